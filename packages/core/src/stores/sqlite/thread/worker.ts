/**
 * The other thread: runs the store in-thread and answers requests in the order they arrive, each as
 * soon as it is done.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import type { PartSpec } from '../../../model/part.ts';
import type { OutputWriter, Reading, Store } from '../../../model/store.ts';
import { STORE_METHODS } from '../../assembling.ts';
import type { PartPiece } from '../../sql/writer.ts';
import { type SqliteStoreOptions, sqliteStore } from '../index.ts';
import { type Abort, type Reply, type Request, STORE, sendable, type Target } from './messages.ts';

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

const store = sqliteStore(workerData as SqliteStoreOptions);
const targets = new Map<Target, Methods>([[STORE, methodsOf(store)]]);
const asked = new Map<number, AbortController>();
let lastTarget: Target = STORE;

parentPort?.on('message', async (message: Request | Abort) => {
  if ('abort' in message) {
    asked.get(message.abort)?.abort();
    return;
  }
  const reply = await answer(message);
  const value = 'value' in reply ? reply.value : undefined;
  parentPort?.postMessage(reply, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
});

async function answer({ id, target, method, args }: Request): Promise<Reply> {
  const controller = new AbortController();
  const { signal } = controller;
  asked.set(id, controller);
  try {
    const call = targets.get(target)?.[method];
    // The writer or reading belonged to an earlier worker.
    if (call === undefined)
      throw new SpillwayError('store_unavailable', 'The thread of the store was started anew: begin again.');
    return { id, value: await call(...([...args, { signal }] as never[])) };
  } catch (error) {
    return { id, error: sendable(error, signal) };
  } finally {
    asked.delete(id);
  }
}

function forget(target: Target): void {
  targets.delete(target);
}

function methodsOf(store: Store): Methods {
  const create = async (...args: Parameters<Store['create']>) => writerTarget(await store.create(...args));
  const read = async (...args: Parameters<Store['read']>) => readingTarget(await store.read(...args));
  return { ...bound(store, STORE_METHODS), create, read, forget, close: () => store.close() };
}

function writerTarget(writer: OutputWriter): Target {
  const ends: number[] = [];
  // A failed seal is repeated with its pieces: skip those that arrived.
  const write = async (specs: readonly PartSpec[], pieces: readonly PartPiece[]) => {
    for (const spec of specs.slice(ends.length)) ends[writer.part(spec)] = 0;
    for (const { part, piece } of pieces) {
      if (piece.start.bytes < (ends[part] ?? 0)) continue;
      await writer.append(part, piece);
      ends[part] = piece.start.bytes + piece.bytes.length;
    }
  };
  const seal = async (
    specs: readonly PartSpec[],
    pieces: readonly PartPiece[],
    ...given: Parameters<OutputWriter['seal']>
  ) => {
    await write(specs, pieces);
    return ended(await writer.seal(...given));
  };
  const ended = <T>(answer: T): T => {
    forget(target);
    return answer;
  };
  const target = add({ write, seal, discard: () => writer.discard().then(ended) });
  return target;
}

function readingTarget({ at, pieces }: Reading): { readonly at: Reading['at']; readonly target: Target } {
  const iterator = pieces[Symbol.asyncIterator]();
  return { at, target: add({ next: async () => (await iterator.next()).value }) };
}

function bound<T extends object>(object: T, names: readonly (keyof T & string)[]): Methods {
  return Object.fromEntries(
    names.map((name) => [name, (object[name] as (...given: never[]) => unknown).bind(object)]),
  );
}

function add(methods: Methods): Target {
  targets.set(++lastTarget, methods);
  return lastTarget;
}
