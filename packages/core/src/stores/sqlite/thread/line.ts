/**
 * The line to the other thread: requests out, replies back. The thread starts with the first request, and keeps the process alive only
 * while something is asked of it.
 */
import type { Worker } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import { type Reply, received, type Target } from './messages.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Line {
  readonly #options: object;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: object) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#worker !== undefined;
  }

  ask<T>(target: Target, method: string, args: readonly unknown[], transfer: ArrayBuffer[] = []): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    const worker = this.#up();
    this.#pending.set(id, { resolve, reject });
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
    if ('error' in reply) pending?.reject(received(reply.error));
    else pending?.resolve(reply.value);
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
 * A thread takes over the flags of the process; the one that says what `-e` is written in is refused with a file. They are named only then:
 * of those that are named, a thread refuses what is for a whole process, such as the size of its heap.
 */
function flagsForFile(): { execArgv?: string[] } {
  const fitting = process.execArgv.filter((flag) => !flag.startsWith('--input-type'));
  return fitting.length === process.execArgv.length ? {} : { execArgv: fitting };
}
