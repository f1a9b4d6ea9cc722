/**
 * The line to the other thread: requests out, replies back. The thread starts with the first
 * request, and keeps the process alive only while something is asked of it.
 */
import type { Worker } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import { type Reply, received, STORE, type Target } from './messages.ts';

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

export class Line {
  readonly #options: object;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosing = false;

  constructor(options: object) {
    this.#options = options;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Closes the store there, if there is one; its thread ends. */
  close(): Promise<void> {
    const isUp = this.#worker !== undefined;
    this.#isClosing = true;
    return isUp ? this.ask<void>(STORE, 'close', []) : Promise.resolve();
  }

  /** The signal ends the wait there; whether it came in time is in the reply. */
  ask<T>(target: Target, method: string, args: readonly unknown[], options: AskOptions = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { transfer = [], signal } = options;
    const id = ++this.#lastId;
    const worker = this.#up();
    const abort = () => worker.postMessage({ abort: id });
    signal?.addEventListener('abort', abort, { once: true });
    this.#pending.set(id, { resolve, reject, signal, abort });
    worker.ref();
    worker.postMessage({ id, target, method, args }, transfer);
    return promise as Promise<T>;
  }

  #up(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    // Loaded here: most programs have no use for threads.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(fileOfWorker(), { workerData: this.#options, ...flagsForFile() });
    worker.on('message', (reply: Reply) => this.#replied(worker, reply));
    worker.on('error', (error) => this.#down(error));
    worker.on('exit', () => this.#down(undefined));
    this.#worker = worker;
    return worker;
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
    const message =
      'The thread of the store has ended; what was not answered may or may not be stored. Try again.';
    for (const { reject } of this.#pending.values())
      reject(new SpillwayError('store_unavailable', message, { cause }));
    this.#pending.clear();
  }
}

/** Beside this file, as source or as built. */
function fileOfWorker(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./worker.ts', import.meta.url)
    : new URL('./worker.js', import.meta.url);
}

/**
 * A thread takes over the flags of the process; the one that says what `-e` is written in is
 * refused with a file. They are named only then: of those that are named, a thread refuses what is
 * for a whole process, such as the size of its heap.
 */
function flagsForFile(): { execArgv?: string[] } {
  const fitting = process.execArgv.filter((flag) => !flag.startsWith('--input-type'));
  return fitting.length === process.execArgv.length ? {} : { execArgv: fitting };
}
