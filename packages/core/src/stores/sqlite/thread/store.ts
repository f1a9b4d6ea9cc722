/**
 * The same store with its work in another thread, so that a slow disk never holds up the event
 * loop. Only plain data crosses. Pieces are copied on the way in, because the caller may still use
 * them, and transferred on the way out.
 */

import type { Worker } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import type { Extent } from '../../../model/extent.ts';
import type { OutputDraft } from '../../../model/output.ts';
import type { Reading, Seal, SealResult, Store, WaitOptions } from '../../../model/store.ts';
import { storeOf } from '../../assembling.ts';
import { Drafting } from '../../drafting.ts';
import { closed } from '../../refusals.ts';
import { type OutputTarget, type PartPiece, SqlWriter } from '../../sql/writer.ts';
import { unlessAborted } from '../../waiting.ts';
import { Gathering } from '../writer.ts';
import { type Reply, received, STORE, type Target } from './messages.ts';

interface ThreadOptions {
  readonly processStart: number;
  readonly largePartBytes?: number;
}

/** A store in another thread. `options` are those of the store there: plain data only. */
export function threadedStore(options: ThreadOptions): Store {
  const line = new Line(options);
  const holding = new Set<SqlWriter>();
  return storeOf(
    async (method, args, { signal }) => {
      const answer = await line.ask<unknown>(STORE, method, args, { signal });
      if (method === 'create') {
        const drafting = new Drafting(args[0] as OutputDraft);
        return new SqlWriter(drafting, targetOf(line, answer as Target, drafting, options), holding);
      }
      return method === 'read' ? readingOf(line, answer as OpenedReading, signal) : answer;
    },
    async () => {
      for (const writer of holding) await writer.end();
      await line.close();
    },
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

/** Gathers as the target in the thread would, and sends what is to be written. */
function targetOf(line: Line, target: Target, { specs }: Drafting, options: ThreadOptions): OutputTarget {
  const send = <T>(
    method: string,
    pieces: readonly PartPiece[] | null,
    rest: readonly unknown[] = [],
    signal?: AbortSignal,
  ): Promise<T> => {
    // `slice` of a Buffer would share memory with others, which cannot be handed over.
    const copies = pieces?.map(({ part, piece }) => {
      return { part, piece: { ...piece, bytes: new Uint8Array(piece.bytes) } };
    });
    const transfer = copies?.map(({ piece }) => piece.bytes.buffer) ?? [];
    return line.ask(target, method, [specs, copies ?? null, ...rest], { transfer, signal });
  };
  return Object.assign(new Gathering(options), {
    write: (pieces: readonly PartPiece[]) => send<void>('write', pieces),
    seal: (seal: Seal, pieces: readonly PartPiece[] | null, { signal }: WaitOptions) =>
      send<SealResult>('seal', pieces, [seal], signal),
    discard: () => line.ask<void>(target, 'discard', []),
  });
}

/**
 * Requests to the worker and their replies. The worker starts with the first request and keeps the
 * process alive only while a request is open.
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

  /** The signal ends the wait in the worker; the reply says whether it came in time. */
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
 * A worker inherits the flags of the process, and the input type of `-e` must not apply to its
 * code. Flags are named only in that case, because a worker refuses per-process flags that are
 * named.
 */
function flagsForThread(): { execArgv?: string[] } {
  const fitting = process.execArgv.filter((flag) => !flag.startsWith('--input-type'));
  return fitting.length === process.execArgv.length ? {} : { execArgv: fitting };
}
