/**
 * Records of several lines, each `key: value`: packages, certificates, devices. The first record is
 * shown whole, of the others what tells them apart. Lines that only hold encoded bytes (the digits
 * of a key, base64) are left out.
 */
import type { Plan, PlanFacts, PlanTier } from '../../model/plan.ts';
import { piecesOf, type Rows } from '../../table/plan.ts';

const KEY = /^\s{0,24}([A-Za-z][\w ()-]{0,40}?)\s?[:=]/;
const ENCODED = /^\s*(?:(?:[0-9a-fA-F]{2}:){3,}[0-9a-fA-F]{0,2}|[A-Za-z0-9+/]{60,}={0,2})$/;
const MUCH_ENCODED = 0.3;
const FEWEST_ROWS = 40;
const FEWEST_PLAIN = 10;
const FEWEST_RECORDS = 3;
/** Shorter records are lines of a list. */
const FEWEST_LINES = 5;
/** A record begins with a key that stands this near the top. */
const NEAR_TOP = 5;
/** Keys that tell records apart, and the longest value that does. */
const MOST_KEYS = 8;
const LONGEST_VALUE = 120;

export function stanzaPlan(rows: Rows, { isFile, isCommand, isSearch, isLog }: PlanFacts): Plan | null {
  if (isFile || isSearch || !isCommand || rows.count < FEWEST_ROWS || rows.table.isPruned) return null;
  const isEncoded = (text: string) => ENCODED.test(text);
  const encoded = rows.share(isEncoded);
  // Digits of keys look like addresses of a stack.
  if (encoded < MUCH_ENCODED && isLog()) return null;
  if (rows.share((text) => KEY.test(text) || isEncoded(text)) < 0.5) return null;
  const plain = rows.filled().filter((row) => !isEncoded(rows.text(row)));
  if (plain.length < FEWEST_PLAIN) return null;
  const records = recordsIn(rows, plain);
  const [first] = records;
  if (first === undefined && encoded < MUCH_ENCODED) return null;
  const tiers: PlanTier[] =
    first === undefined
      ? [{ pieces: piecesOf(plain) }]
      : [
          { pieces: piecesOf(first), share: 0.4 },
          ...distinctRows(rows, records).map((each) => ({ pieces: piecesOf(each) })),
        ];
  return { strategy: 'element', why: 'its lines are keys with values', tiers, isQuoted: true };
}

/** By the first key near the top that comes again; empty if none does. */
function recordsIn(rows: Rows, plain: readonly number[]): number[][] {
  const keyOf = (row: number) => KEY.exec(rows.text(row))?.[1] ?? '';
  const counts = new Map<string, number>();
  for (const row of plain) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  const begins = plain
    .slice(0, NEAR_TOP)
    .map(keyOf)
    .find((key) => key !== '' && (counts.get(key) ?? 0) >= FEWEST_RECORDS);
  if (begins === undefined || plain.length < (counts.get(begins) ?? 0) * FEWEST_LINES) return [];
  const records: number[][] = [];
  for (const row of plain) {
    if (keyOf(row) === begins) records.push([]);
    records.at(-1)?.push(row);
  }
  return records;
}

/** By key, the rows of the later records whose values differ from record to record. */
function distinctRows(rows: Rows, records: readonly (readonly number[])[]): number[][] {
  const byKey = new Map<string, Map<string, number>>();
  for (const record of records.slice(1)) {
    const seen = new Set<string>();
    for (const row of record) {
      const text = rows.text(row).trim();
      const key = KEY.exec(text)?.[1];
      if (key === undefined || seen.has(key) || text.length > LONGEST_VALUE || text.length <= key.length + 2)
        continue;
      seen.add(key);
      const values = byKey.get(key) ?? new Map<string, number>();
      byKey.set(key, values);
      if (!values.has(text)) values.set(text, row);
    }
  }
  const distinct = [...byKey.values()].filter(({ size }) => size > (records.length - 1) / 2);
  return distinct.slice(0, MOST_KEYS).map((values) => [...values.values()]);
}
