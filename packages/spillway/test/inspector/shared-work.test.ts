/** Work that several requests wait for: done once, kept, and ended when nobody waits any more. */
import { describe, expect, it } from 'vitest';
import { SharedWork } from '../../src/inspector/shared-work.ts';

/** Work that ends when it is told to. */
function started() {
  let [times, finish] = [0, (_: string) => {}];
  let signal: AbortSignal | undefined;
  const start = (given: AbortSignal) => {
    times++;
    signal = given;
    return new Promise<string>((resolve, reject) => {
      finish = resolve;
      given.addEventListener('abort', () => reject(given.reason));
    });
  };
  return { start, finish: (text: string) => finish(text), times: () => times, signal: () => signal };
}

const waiting = () => new AbortController();

describe('shared work', () => {
  it('is done once for all who wait, and kept for those who come later', async () => {
    const work = new SharedWork<string>(2);
    const { start, finish, times } = started();
    const both = Promise.all([
      work.get('a', waiting().signal, start),
      work.get('a', waiting().signal, start),
    ]);
    finish('done');
    expect(await both).toEqual(['done', 'done']);
    expect(await work.get('a', waiting().signal, start)).toBe('done');
    expect(times()).toBe(1);
  });

  it('goes on while one of them still waits, and ends with the last', async () => {
    const work = new SharedWork<string>(2);
    const { start, signal, times } = started();
    const [first, second] = [waiting(), waiting()];
    const one = work.get('a', first.signal, start).catch(() => 'gone');
    const other = work.get('a', second.signal, start).catch(() => 'gone');
    first.abort();
    expect(await one).toBe('gone');
    expect(signal()?.aborted).toBe(false);
    second.abort();
    expect(await other).toBe('gone');
    expect(signal()?.aborted).toBe(true);
    void work.get('a', waiting().signal, start).catch(() => 'gone');
    expect(times()).toBe(2);
  });

  it('that failed is tried again by the next one', async () => {
    const work = new SharedWork<string>(2);
    const failing = () => Promise.reject(new Error('it broke'));
    await expect(work.get('a', waiting().signal, failing)).rejects.toThrow('it broke');
    expect(await work.get('a', waiting().signal, async () => 'done')).toBe('done');
  });

  it('is forgotten where there is too much of it', async () => {
    const work = new SharedWork<string>(1);
    await work.get('a', waiting().signal, async () => 'first');
    await work.get('b', waiting().signal, async () => 'other');
    expect(await work.get('a', waiting().signal, async () => 'second')).toBe('second');
  });
});
