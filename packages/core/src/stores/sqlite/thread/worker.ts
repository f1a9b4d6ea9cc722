/**
 * The other thread: runs the store in-thread and answers requests in the order they arrive, each as
 * soon as it is done.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import type { OutputDraft } from '../../../model/output.ts';
import type { PartSpec } from '../../../model/part.ts';
import type { Reading, Seal, Store, WaitOptions } from '../../../model/store.ts';
import { STORE_METHODS } from '../../assembling.ts';
import { sqlStore } from '../../sql/store.ts';
import type { PartPiece } from '../../sql/writer.ts';
import { sqliteEngine } from '../engine.ts';
import type { SqliteStoreOptions } from '../opening.ts';
import { type Abort, type Reply, type Request, STORE, sendable, type Target } from './messages.ts';

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

const engine = sqliteEngine(workerData as SqliteStoreOptions);
const store = sqlStore(engine);
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
  const read = async (...args: Parameters<Store['read']>) => readingTarget(await store.read(...args));
  return { ...bound(store, STORE_METHODS), create, read, forget, close: () => store.close() };
}

/** Pieces arrive gathered, together with the parts that are declared so far. */
async function create(draft: OutputDraft, { signal }: WaitOptions): Promise<Target> {
  const drafted: { draft: OutputDraft; specs: readonly PartSpec[] } = { draft, specs: [] };
  const output = await engine.create(drafted, signal);
  const ended = <T>(answer: T): T => {
    forget(target);
    return answer;
  };
  const target = add({
    write(specs: readonly PartSpec[], pieces: readonly PartPiece[]) {
      drafted.specs = specs;
      return output.write(pieces);
    },
    async seal(
      specs: readonly PartSpec[],
      pieces: readonly PartPiece[] | null,
      seal: Seal,
      wait: WaitOptions,
    ) {
      drafted.specs = specs;
      return ended(await output.seal(seal, pieces, wait));
    },
    discard: () => output.discard().then(ended),
  });
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
