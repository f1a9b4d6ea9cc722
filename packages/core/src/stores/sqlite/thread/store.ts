/**
 * The same store with its work in another thread, so that a slow disk never holds up the event
 * loop. Only plain data crosses; pieces are copied once on the way in (whoever made them may still
 * need them) and handed over on the way out.
 */

import type { Worker } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import type { Extent } from '../../../model/extent.ts';
import type { OutputDraft } from '../../../model/output.ts';
import type { PartSpec } from '../../../model/part.ts';
import type { Piece } from '../../../model/piece.ts';
import type { OutputWriter, Reading, Seal, SealResult, Store, WaitOptions } from '../../../model/store.ts';
import { storeOf } from '../../assembling.ts';
import { Drafting } from '../../drafting.ts';
import { closed } from '../../refusals.ts';
import { unlessAborted } from '../../waiting.ts';
import { type Reply, received, STORE, type Target } from './messages.ts';

/** A store in another thread. `options` are those of the store there: plain data only. */
export function threadedStore(options: object): Store {
  const line = new Line(options);
  return storeOf(
    async (method, args, { signal }) => {
      const answer = await line.ask<unknown>(STORE, method, args, { signal });
      if (method === 'create') return new ThreadedWriter(line, answer as Target, args[0] as OutputDraft);
      return method === 'read' ? readingOf(line, answer as OpenedReading, signal) : answer;
    },
    () => line.close(),
  );
}

interface OpenedReading {
  readonly at: Extent;
  readonly target: Target;
}

function readingOf(line: Line, { at, target }: OpenedReading, signal: AbortSignal | undefined): Reading {
  return { at, pieces: piecesOf(line, target, signal) };
}

async function* piecesOf(
  line: Line,
  target: Target,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      if (line.isClosing) throw closed();
      const piece = await unlessAborted(line.ask<Uint8Array | undefined>(target, 'next', []), signal);
      if (piece === undefined) return;
      yield piece;
    }
  } finally {
    if (!line.isClosing) await line.ask(STORE, 'forget', [target]);
  }
}

/**
 * Bytes of one output that may be on their way to the other thread: a producer need not wait for
 * each answer.
 */
const WINDOW_BYTES = 1024 * 1024;

/** Keeps the rules of a writer on this side too, because `part` answers at once. */
class ThreadedWriter implements OutputWriter {
  readonly #line: Line;
  readonly #target: Target;
  readonly #drafting: Drafting;
  #onTheWay = 0;
  #failure: { readonly error: unknown } | null = null;
  #wake: (() => void)[] = [];

  constructor(line: Line, target: Target, draft: OutputDraft) {
    this.#line = line;
    this.#target = target;
    this.#drafting = new Drafting(draft);
  }

  part(spec: PartSpec): number {
    const index = this.#drafting.declare(spec);
    // The order of messages is the order of calls, so the part is declared there before any piece
    // of it arrives; a thread that is gone says so with the next piece.
    this.#line.ask(this.#target, 'part', [spec]).catch(() => undefined);
    return index;
  }

  async append(part: number, piece: Piece, { signal }: WaitOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#drafting.accept(part, piece);
    this.#mustBeWell();
    // `slice` of a Buffer would share memory with others, which cannot be handed over.
    const bytes = new Uint8Array(piece.bytes);
    const size = bytes.length;
    this.#onTheWay += size;
    const arrived = (failure: { readonly error: unknown } | null) => {
      this.#onTheWay -= size;
      this.#failure ??= failure;
      for (const wake of this.#wake.splice(0)) wake();
    };
    this.#line.ask(this.#target, 'append', [part, { ...piece, bytes }], { transfer: [bytes.buffer] }).then(
      () => arrived(null),
      (error: unknown) => arrived({ error }),
    );
    while (this.#onTheWay > WINDOW_BYTES)
      await unlessAborted(new Promise<void>((resolve) => this.#wake.push(resolve)), signal);
    this.#mustBeWell();
  }

  async seal(seal: Seal, { signal }: WaitOptions = {}): Promise<SealResult> {
    signal?.throwIfAborted();
    this.#mustBeWell();
    this.#drafting.finish(seal);
    return this.#last<SealResult>('seal', [seal], signal);
  }

  async discard(): Promise<void> {
    this.#drafting.finish();
    await this.#last('discard', []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#drafting.isOver) await this.discard();
  }

  #mustBeWell(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #last<T>(method: 'seal' | 'discard', args: readonly unknown[], signal?: AbortSignal): Promise<T> {
    try {
      const value = await this.#line.ask<T>(this.#target, method, args, { signal });
      await this.#line.ask(STORE, 'forget', [this.#target]);
      return value;
    } catch (error) {
      this.#drafting.reopen();
      throw error;
    }
  }
}

/**
 * The line to the other thread: requests out, replies back. The thread starts with the first
 * request, and keeps the process alive only while something is asked of it.
 */
interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly abort: () => void;
}

interface AskOptions {
  readonly transfer?: readonly ArrayBuffer[];
  readonly signal?: AbortSignal | undefined;
}

class Line {
  readonly #options: object;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #starting: Promise<void> | undefined;
  #lastId = 0;
  #isClosing = false;

  constructor(options: object) {
    this.#options = options;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Closes the store there, if there is one; its thread ends. */
  async close(): Promise<void> {
    const isUp = this.#starting !== undefined;
    this.#isClosing = true;
    if (!isUp) return;
    try {
      await this.ask<void>(STORE, 'close', []);
    } finally {
      await this.#worker?.terminate();
    }
  }

  /** The signal ends the wait there; whether it came in time is in the reply. */
  ask<T>(target: Target, method: string, args: readonly unknown[], options: AskOptions = {}): Promise<T> {
    const worker = this.#worker;
    if (worker === undefined) return this.#up().then(() => this.ask(target, method, args, options));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { transfer = [], signal } = options;
    const id = ++this.#lastId;
    const abort = () => worker.postMessage({ abort: id });
    signal?.addEventListener('abort', abort, { once: true });
    this.#pending.set(id, { resolve, reject, signal, abort });
    worker.ref();
    try {
      worker.postMessage({ id, target, method, args }, transfer);
      if (signal?.aborted === true) abort();
    } catch (error) {
      this.#pending.delete(id);
      signal?.removeEventListener('abort', abort);
      reject(error);
    }
    return promise as Promise<T>;
  }

  #up(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    // Loaded here: most programs have no use for threads.
    const { WORKER_CODE } = await import('./worker-code.ts');
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(WORKER_CODE, { eval: true, workerData: this.#options, ...flagsForThread() });
    worker.on('message', (reply: Reply) => this.#replied(worker, reply));
    worker.on('error', (error) => this.#down(error));
    worker.on('exit', () => this.#down(undefined));
    this.#worker = worker;
  }

  #replied(worker: Worker, reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) worker.unref();
    pending?.signal?.removeEventListener('abort', pending.abort);
    if (!('error' in reply)) pending?.resolve(reply.value);
    else pending?.reject(reply.error.aborted ? pending.signal?.reason : received(reply.error));
  }

  #down(cause: unknown): void {
    this.#worker = undefined;
    this.#starting = undefined;
    const message =
      'The thread of the store has ended; what was not answered may or may not be stored. Try again.';
    for (const { reject } of this.#pending.values())
      reject(new SpillwayError('store_unavailable', message, { cause }));
    this.#pending.clear();
  }
}

/**
 * A thread takes over the flags of the process; the one that says what `-e` is written in would
 * speak of its code too. They are named only then: of those that are named, a thread refuses what
 * is for a whole process, such as the size of its heap.
 */
function flagsForThread(): { execArgv?: string[] } {
  const fitting = process.execArgv.filter((flag) => !flag.startsWith('--input-type'));
  return fitting.length === process.execArgv.length ? {} : { execArgv: fitting };
}
