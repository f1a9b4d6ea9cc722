/**
 * What every content driver promises, as cases: a driver for a bucket runs the same ones. Each case
 * gets an empty driver.
 */
import type { ContentDriver } from '../../../src/model/content-driver.ts';

export interface DriverCase {
  readonly promise: string;
  run(driver: ContentDriver, is: (actual: unknown, expected: unknown) => void): Promise<void>;
}

const ALL = { start: 0, end: Number.MAX_SAFE_INTEGER };
const BYTES = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) % 256);

export const DRIVER_CASES: readonly DriverCase[] = [
  {
    promise: 'gives an object back byte for byte, however it was cut into chunks',
    async run(driver, is) {
      for (const [i, size] of [1, 1_000, 65_536, 300_000].entries()) {
        const { key, bytes } = await driver.put(
          `a${i}`,
          chunked(size === 1 ? BYTES.subarray(0, 500) : BYTES, size),
        );
        is([key, bytes], [`a${i}`, size === 1 ? 500 : BYTES.length]);
        is(await read(driver, key, ALL), Buffer.from(size === 1 ? BYTES.subarray(0, 500) : BYTES));
      }
    },
  },
  {
    promise: 'keeps an empty object',
    async run(driver, is) {
      await driver.put('empty', chunked(new Uint8Array(), 1));
      is(await read(driver, 'empty', ALL), Buffer.alloc(0));
      is(await keys(driver), ['empty']);
    },
  },
  {
    promise: 'gives any range, and only as much as there is',
    async run(driver, is) {
      await driver.put('a', chunked(BYTES, 10_000));
      for (const [start, end] of [
        [0, 1],
        [65_535, 65_537],
        [299_999, 300_000],
        [299_990, 400_000],
        [300_000, 300_001],
        [7, 7],
      ] as const)
        is(await read(driver, 'a', { start, end }), Buffer.from(BYTES.subarray(start, end)));
    },
  },
  {
    promise: 'refuses a key that is taken and leaves its object as it is',
    async run(driver, is) {
      await driver.put('a', chunked(BYTES, 10_000));
      is(await codeOf(driver.put('a', chunked(new Uint8Array(5), 5))), 'conflict');
      is((await read(driver, 'a', ALL)).length, BYTES.length);
    },
  },
  {
    promise: 'gives a key to one of two that ask for it at once, whole',
    async run(driver, is) {
      const both = [driver.put('a', chunked(BYTES, 7_000)), driver.put('a', chunked(BYTES, 9_000))];
      is((await Promise.all(both.map(codeOf))).sort(), ['conflict', 'none']);
      is(await read(driver, 'a', ALL), Buffer.from(BYTES));
    },
  },
  {
    promise: 'keeps nothing of an object whose chunks broke off',
    async run(driver, is) {
      is(await codeOf(driver.put('a', brokenOff())), 'broken off');
      is(await keys(driver), []);
      is(await codeOf(read(driver, 'a', ALL)), 'not_found');
      await driver.put('a', chunked(BYTES, 10_000));
      is(await keys(driver), ['a']);
    },
  },
  {
    promise: 'keeps nothing of an object that was given up',
    async run(driver, is) {
      const given = new AbortController();
      const chunks = (async function* () {
        yield BYTES;
        given.abort(new Error('given up'));
        yield BYTES;
      })();
      is(await codeOf(driver.put('a', chunks, { signal: given.signal })), 'given up');
      is(await keys(driver), []);
    },
  },
  {
    promise: 'removes objects, also those that are not there',
    async run(driver, is) {
      for (const key of ['a', 'b', 'c']) await driver.put(key, chunked(BYTES, 100_000));
      await driver.remove(['a', 'c', 'never']);
      await driver.remove(['a']);
      is(await keys(driver), ['b']);
      is(await codeOf(read(driver, 'a', ALL)), 'not_found');
    },
  },
  {
    promise: 'lists objects in the order of their keys, with size and time, from any key on',
    async run(driver, is) {
      const before = Date.now();
      for (const key of ['c', 'a', 'b']) await driver.put(key, chunked(BYTES.subarray(0, 9), 9));
      is(await keys(driver), ['a', 'b', 'c']);
      is(await keys(driver, 'a'), ['b', 'c']);
      // Clocks of file systems are coarse.
      for await (const { bytes, writtenAt } of driver.list())
        is([bytes, writtenAt > before - 5_000], [9, true]);
    },
  },
];

async function* chunked(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* brokenOff(): AsyncIterable<Uint8Array> {
  yield BYTES;
  throw new Error('broken off');
}

async function read(driver: ContentDriver, key: string, range: typeof ALL): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of driver.read(key, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function keys(driver: ContentDriver, after?: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of driver.list(after === undefined ? {} : { after })) found.push(key);
  return found;
}

/** The code of what it is refused with, or its message where it is no error of ours. */
function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: { readonly code?: string; readonly message: string }) => error.code ?? error.message,
  );
}
