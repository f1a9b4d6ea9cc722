/**
 * Builds a store from a function that answers its calls: from an object, from another thread, or from
 * a store that lacks some methods. METHODS is the only list of the methods; code does not compile
 * while a method of the contract is missing in it.
 */
import { SpillwayError } from '../model/errors.ts';
import type { HistoryStore, OutputStore, Store, UpkeepStore, WaitOptions } from '../model/store.ts';
import { closed } from './refusals.ts';

/** How many arguments each method has before its options. */
type ArgumentCounts<Part> = { readonly [Name in Exclude<keyof Part, 'close' | symbol>]: number };

const OUTPUTS: ArgumentCounts<OutputStore> = { create: 1, find: 1, read: 3, list: 1, freeze: 2, frozen: 2 };
const HISTORY: ArgumentCounts<HistoryStore> = { addMessages: 1, messages: 1, addSummary: 1, summaries: 1 };
const UPKEEP: ArgumentCounts<UpkeepStore> = {
  note: 1,
  events: 1,
  sessions: 1,
  retire: 1,
  archive: 1,
  usage: 1,
};
const METHODS = { ...OUTPUTS, ...HISTORY, ...UPKEEP };

/** A method of a store that waits, apart from `close`. */
export type StoreMethod = keyof typeof METHODS;
export const STORE_METHODS = Object.keys(METHODS) as readonly StoreMethod[];

/** Answers a call: its arguments, absent ones as undefined, then the options. */
export type StoreCall = (
  method: StoreMethod,
  args: readonly unknown[],
  options: WaitOptions,
) => Promise<unknown> | unknown;

/**
 * A store whose calls are answered by one function. Calls that are aborted before they begin, or
 * come after `close`, do not reach it.
 */
export function storeOf(call: StoreCall, close: () => Promise<void>): Store {
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  const methods = Object.entries(METHODS).map(([name, count]) => {
    const method = (...given: readonly unknown[]) => {
      const options = (given[count] ?? {}) as WaitOptions;
      if (options.signal?.aborted === true) return Promise.reject(options.signal.reason);
      if (closing !== undefined) return Promise.reject(closed());
      const args = given.slice(0, count);
      while (args.length < count) args.push(undefined);
      // What throws instead of rejecting rejects, too.
      try {
        const answer = call(name as StoreMethod, args, options);
        return answer instanceof Promise ? answer : Promise.resolve(answer);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    return [name, method];
  });
  // The table above is complete, by its type.
  return {
    ...Object.fromEntries(methods),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  } as unknown as Store;
}

/** Asks a store, or the part of one that has the method. */
export function callStore(
  part: object,
  method: StoreMethod,
  args: readonly unknown[],
  options: WaitOptions,
): unknown {
  return methodOf(part, method)?.(...args, options);
}

const completed = new WeakMap<OutputStore, Store>();

/**
 * A store that answers every call: where it lacks history or upkeep, with what to do about it. One
 * that has all three stays itself.
 */
export function completeStore(store: OutputStore): Store {
  if (STORE_METHODS.every((method) => methodOf(store, method) !== undefined)) return store as Store;
  const known = completed.get(store);
  if (known !== undefined) return known;
  const call: StoreCall = (method, args, options) => {
    const own = methodOf(store, method);
    if (own === undefined) throw lacking(method);
    return own(...args, options);
  };
  const complete = storeOf(call, () => store.close());
  completed.set(store, complete);
  // What is complete is not completed again.
  completed.set(complete, complete);
  return complete;
}

/** Whether a store keeps a ledger and ends things, and does not only say that it cannot. */
export function hasUpkeep(store: OutputStore): boolean {
  return !completed.has(store) && Object.keys(UPKEEP).every((name) => name in store);
}

function methodOf(part: object, name: StoreMethod): ((...args: unknown[]) => unknown) | undefined {
  const method: unknown = (part as Readonly<Record<string, unknown>>)[name];
  return typeof method === 'function' ? method.bind(part) : undefined;
}

function lacking(method: StoreMethod): SpillwayError {
  const [what, part] =
    method in HISTORY
      ? ['no messages and no summaries', 'HistoryStore']
      : ['no ledger, and ends nothing', 'UpkeepStore'];
  return new SpillwayError(
    'unsupported',
    `This store keeps ${what}: \`${method}\` needs one that implements ${part}, such as memoryStore or sqliteStore.`,
  );
}
