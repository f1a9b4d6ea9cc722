/** The other thread: runs the store in-thread and answers requests in the order they arrive, each as soon as it is done. */
import { parentPort, workerData } from 'node:worker_threads';
import { SpillwayError } from '../../../model/errors.ts';
import type { Store } from '../../../model/store.ts';
import { type SqliteStoreOptions, sqliteStore } from '../index.ts';
import { type Reply, type Request, STORE, sendable, type Target } from './messages.ts';

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

const store = sqliteStore(workerData as SqliteStoreOptions);
const targets = new Map<Target, Methods>([[STORE, methodsOf(store)]]);
let lastTarget: Target = STORE;

parentPort?.on('message', async (request: Request) => {
  const reply = await answer(request);
  const value = 'value' in reply ? reply.value : undefined;
  parentPort?.postMessage(reply, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
  // Nothing follows: without the port the thread ends.
  if (request.target === STORE && request.method === 'close') parentPort?.close();
});

async function answer({ id, target, method, args }: Request): Promise<Reply> {
  try {
    const call = targets.get(target)?.[method];
    // A writer or reading of a thread that has ended: its successor knows nothing of it.
    if (call === undefined)
      throw new SpillwayError('store_unavailable', 'The thread of the store was started anew: begin again.');
    return { id, value: await call(...(args as never[])) };
  } catch (error) {
    return { id, error: sendable(error) };
  }
}

function methodsOf(store: Store): Methods {
  return {
    find: store.find.bind(store),
    list: store.list.bind(store),
    freeze: store.freeze.bind(store),
    frozen: store.frozen.bind(store),
    note: store.note.bind(store),
    events: store.events.bind(store),
    sessions: store.sessions.bind(store),
    addMessages: store.addMessages.bind(store),
    messages: store.messages.bind(store),
    addSummary: store.addSummary.bind(store),
    summaries: store.summaries.bind(store),
    retire: store.retire.bind(store),
    archive: store.archive.bind(store),
    usage: store.usage.bind(store),
    async create(...args: Parameters<Store['create']>) {
      const writer = await store.create(...args);
      const { part, append, seal, discard } = writer;
      return add({
        part: part.bind(writer),
        append: append.bind(writer),
        seal: seal.bind(writer),
        discard: discard.bind(writer),
      });
    },
    async read(...args: Parameters<Store['read']>) {
      const { at, pieces } = await store.read(...args);
      const iterator = pieces[Symbol.asyncIterator]();
      return { at, target: add({ next: async () => (await iterator.next()).value }) };
    },
    forget(target: Target) {
      targets.delete(target);
    },
    close: store.close.bind(store),
  };
}

function add(methods: Methods): Target {
  targets.set(++lastTarget, methods);
  return lastTarget;
}
