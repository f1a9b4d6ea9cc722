/**
 * One odd item put into real API dumps at random places must still be seen at 8,000 chars. The
 * dumps are looked for at SPILLWAY_CORPORA or beside the checkout, and are not part of the
 * repository; without them the test is skipped, and says so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

const folder = resolve(
  process.env.SPILLWAY_CORPORA ?? join(import.meta.dirname, '../../../../../shared/corpora'),
  'structured/json',
);
const dumps = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(?:json|sarif)$/.test(name)) : [];
if (dumps.length === 0) console.warn(`Real dumps not found at ${folder}: the test on them is skipped.`);

type Item = Record<string, unknown>;
const MARK = 'c0ffee-odd-item';
const ROUNDS = 24;

describe.skipIf(dumps.length === 0)('an odd item in a real dump', () => {
  it.each([
    ['another shape', (item: Item): Item => ({ ...item, [MARK]: true })],
    ['a null where others have a value', (item: Item): Item => ({ ...withNull(item), mark: MARK })],
    ['a number far from all others', (item: Item): Item => withOutlier(item)],
  ])('with %s is kept in at least 90 %% of random places', async (_name, change) => {
    let kept = 0;
    let all = 0;
    for (const name of dumps) {
      const document = JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;
      const list = longestList(document);
      if (list === null) continue;
      for (let round = 0; round < ROUNDS; round++) {
        const at = 6 + ((round * 7_919) % Math.max(1, list.length - 12));
        const usual = list[at] as Item;
        list[at] = {
          ...change(usual),
          mark: undefined,
          ...(MARK in change(usual) ? {} : { [Object.keys(usual)[0] ?? 'id']: MARK }),
        };
        const { projection } = await openSpillway().process(
          { tool: 'api', session: 's', scope: 's' },
          { kind: 'text', text: JSON.stringify(document) },
        );
        list[at] = usual;
        if (!projection.metadata.was_truncated) continue;
        all++;
        if (projection.text.includes(MARK)) kept++;
      }
    }
    expect(all).toBeGreaterThan(ROUNDS);
    expect(kept / all).toBeGreaterThanOrEqual(0.9);
  });
});

function withNull(item: Item): Item {
  const key =
    Object.keys(item).findLast((name) => item[name] !== null && typeof item[name] !== 'number') ?? 'value';
  return { ...item, [key]: null };
}

function withOutlier(item: Item): Item {
  const key = Object.keys(item).find((name) => typeof item[name] === 'number') ?? 'value';
  return { ...item, [key]: 9e12 };
}

/** The array of objects with the most items, wherever it is. */
function longestList(value: unknown): unknown[] | null {
  if (value === null || typeof value !== 'object') return null;
  const lists = Object.values(value).map(longestList);
  if (
    Array.isArray(value) &&
    value.length >= 30 &&
    value.every((item) => item !== null && typeof item === 'object' && !Array.isArray(item))
  )
    lists.push(value);
  return lists.reduce(
    (longest, list) => ((list?.length ?? 0) > (longest?.length ?? 0) ? list : longest),
    null,
  );
}
