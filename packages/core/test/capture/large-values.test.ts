// A large value is written and recorded piece by piece: the same text and notes, and others run
// meanwhile.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { textOf } from '../../src/testing/index.ts';
import { valueChunks, valueToJson } from '../../src/text/value.ts';
import { openSpillway } from '../opening.ts';

const CALL = { tool: 'query', session: 's', scope: 's' };
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: i, name: `row ${i} ü 😀`, tags: ['a', { deep: null }] }));

async function written(value: unknown) {
  const { chunks, kind, notes } = valueChunks(value);
  let text = '';
  let pieces = 0;
  for await (const chunk of typeof chunks === 'string' ? [chunks] : chunks) {
    text += chunk;
    pieces++;
  }
  return { text, kind, notes: [...notes], pieces };
}

describe('a large value', () => {
  it('is the same text in pieces as at once, and JSON.parse gives it back', async () => {
    const value = rows(20_000);
    const { text, kind, notes, pieces } = await written(value);
    expect(text).toBe(valueToJson(value).text);
    expect(JSON.parse(text)).toEqual(value);
    expect([kind, notes]).toEqual(['object', []]);
    expect(pieces).toBeGreaterThan(5);
    expect((await written(rows(10))).pieces).toBe(1);
  });

  it('has its notes, wherever in it they arise', async () => {
    const cyclic: unknown[] = [...rows(20_000), 10n, Number.NaN];
    cyclic.push(cyclic);
    const { text, notes } = await written(cyclic);
    expect(notes).toEqual(['bigint', 'cycle', 'number']);
    expect(text).toBe(valueToJson(cyclic).text);
    const spillway = openSpillway();
    const answer = await spillway.process(CALL, { kind: 'value', value: cyclic });
    expect((await spillway.sealed(answer))?.parts.at(-1)?.notes).toEqual(['bigint', 'cycle', 'number']);
  });

  it.each(['process', 'record'] as const)('lets others run while it is recorded: %s', async (method) => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    let [turns, done] = [0, false];
    const others = (async () => {
      while (!done) {
        await setImmediate();
        turns++;
      }
    })();
    const value = rows(60_000);
    const recorded = await spillway[method](CALL, { kind: 'value', value });
    done = true;
    await others;
    expect(turns).toBeGreaterThan(3);
    const record = 'record' in recorded ? recorded.record : await spillway.sealed(recorded);
    if (record === null) throw new Error('not stored');
    expect(await textOf(store, record.id, record.parts.length - 1)).toBe(JSON.stringify(value));
  });
});
