/**
 * Records, one a line: processes, packages, symbols, settings, rows of a table. Shown are the header,
 * the first and the last records, those with the largest numbers, the names of records from the
 * whole list, and some records from everywhere.
 */
import type { Cells } from '../../formats/table/cells.ts';
import { inTurns, MOST_COLUMNS, NUMBER, numbersIn, rareIn } from '../../formats/table/odd.ts';
import type { Plan, PlanFacts, PlanTier } from '../../model/plan.ts';
import { OPEN } from '../../table/line-table.ts';
import { piecesOf, type Rows, sampleNames, spread } from '../../table/plan.ts';
import { formatCount } from '../../text/numbers.ts';

const SETTING = /^\s*[\w.@:/-]{1,100}(?: ?= ?|: +)\S/;
/** `src/a.ts:12: text`: a place, which its own format shows by file. */
const HIT = /^[^\s:]+:\d+[:-]/;
const WIDE = /\S(?: {2,}|\t| ?[│|] ?)\S/;
const FEWEST_RECORDS = 30;
/** Lines with more words are sentences. */
const MOST_WORDS = 6;
const LONGEST_NAME = 60;
/** What a list of names may take of what is enough. */
const NAMES_SHARE = 0.4;
const FAMILIES_CHARS = 500;
const SOME_RECORDS = 90;
const SOME_PROGRESS = 6;
/** One or two parts of a name, with more behind them. */
const FAMILY = /^[.:/]*[^.:/]+(?:[.:/]+[^.:/]+)?(?=[.:/]+[^.:/])/;
/** A record is written with fewer blanks if that is so much shorter. */
const NARROWER = 0.75;
const FIRST = 5;
const RANKED_FIRST = 60;
/** Records that are shorter say as much as their names. */
const SHORT_RECORD = 45;
const SHORT_CELL = 20;

export function recordsPlan(
  rows: Rows,
  { isFile, isSearch, isCommand, endedWell, enough, isLog }: PlanFacts,
): Plan | null {
  if (isFile || isSearch || !isCommand || rows.count < FEWEST_RECORDS || rows.table.isPruned) return null;
  // A line that is cut into segments is no record.
  if (isLog() || rows.table.flags.subarray(0, rows.count).some((flags) => (flags & OPEN) !== 0)) return null;
  const isSettings = rows.share((text) => SETTING.test(text)) > 0.85;
  const isWide = rows.share((text) => WIDE.test(text.trim())) > 0.8;
  if (rows.share((text) => HIT.test(text)) > 0.5) return null;
  if (!isSettings && !isWide && !hasEvenWords(rows)) return null;
  const filled = rows.filled().filter((row) => /[\p{L}\p{N}]/u.test(rows.text(row)));
  const texts = filled.map((row) => rows.text(row).trim());
  const records = cellsOf(texts, isSettings);
  const nameAt = isSettings ? 0 : nameColumn(records);
  if (nameAt === null && !isWide) return null;
  const names = nameAt === null ? [] : records.map((cells) => cells.at(nameAt) ?? '');
  const families = familiesIn(names);
  const isOfFamilies = families.size > 2;
  const { largest, isRanked } = numbersIn(records);
  // What begins and ends unlike its rows was done in between: they tell of its progress.
  const isSentence = (text = '') => /\w{2}/.test(text) && !WIDE.test(text);
  const isProgress = isWide && isSentence(texts[0]) && isSentence(texts.at(-1));
  const pieceOf = (at: number) => {
    const row = filled[at] as number;
    const short = shortened(texts[at] as string);
    return short.length < NARROWER * rows.text(row).length ? { row, text: short } : { row };
  };
  const isShort = medianOf(texts.map((text) => shortened(text).length)) < SHORT_RECORD;
  const listed = nameAt === null || isShort ? [] : namesOf(withoutFrame(records, texts), nameAt);
  const summary = isOfFamilies
    ? `names begin with: ${sampleNames(countsOf(families), FAMILIES_CHARS)}`
    : `${formatCount(listed.length)} names: ${sampleNames(listed, enough * NAMES_SHARE)}`;
  const tiers: PlanTier[] = [
    { pieces: piecesOf([...filled.slice(0, FIRST), ...filled.slice(-2)]), over: true, share: 0.25 },
    {
      pieces:
        isRanked && !isProgress ? texts.slice(FIRST, RANKED_FIRST).map((_, at) => pieceOf(at + FIRST)) : [],
      share: 0.4,
    },
    { pieces: piecesOf(largest.map((at) => filled[at] as number)), share: 0.3 },
    { pieces: piecesOf(rareIn(records).map((at) => filled[at] as number)), share: 0.3 },
    {
      pieces: isOfFamilies || listed.length > 0 ? [{ row: 0, to: rows.count - 1, text: summary }] : [],
      share: 0.5,
    },
    {
      pieces: (isOfFamilies ? inTurns([...families.values()]) : spread(filled.length))
        .slice(0, isProgress ? SOME_PROGRESS : SOME_RECORDS)
        .map(pieceOf),
      // If it is not known how the command ended, there is never enough.
      ...(endedWell ? {} : { over: true as const }),
    },
  ];
  return { strategy: 'element', why: 'its lines are records', tiers, isQuoted: isSettings };
}

/** With two blanks between cells. */
function shortened(text: string): string {
  return text.replace(/\s{2,}/g, '  ');
}

/** Without what stands above and below the records: it has no numbers, or more or fewer cells. */
function withoutFrame(records: readonly Cells[], texts: readonly string[]): readonly Cells[] {
  const usual = isEven(records) ? medianOf(records.map(({ length }) => length)) : null;
  const areNumbered = texts.filter((text) => /\d/.test(text)).length > 0.8 * texts.length;
  const isRecord = ({ length }: Cells, at: number) =>
    (usual === null || length === usual) && (!areNumbered || /\d/.test(texts[at] as string));
  const first = records.findIndex(isRecord);
  const last = records.findLastIndex(isRecord);
  const isFrame = first !== -1 && first < FIRST && last >= records.length - FIRST;
  return isFrame ? records.slice(first, last + 1) : records;
}

/** The names of records, with the number beside each: a version, a count. */
function namesOf(records: readonly Cells[], at: number): string[] {
  return records.flatMap((cells) => {
    const name = cells.at(at) ?? '';
    const beside = at < 0 ? '' : (cells[at + 1] ?? '');
    if (name === '') return [];
    return /^\d/.test(beside) && beside.length <= SHORT_CELL ? `${name} ${beside}` : name;
  });
}

function isName(cell: string): boolean {
  return /\p{L}/u.test(cell) && cell.length <= LONGEST_NAME && !NUMBER.test(cell);
}

/** Whether nearly all lines have about as many words, and few of them. */
function hasEvenWords(rows: Rows): boolean {
  const counts: number[] = [];
  rows.share((text) => counts.push(text.trim().split(/\s+/).length) > 0);
  const usual = medianOf(counts);
  const alike = counts.filter((count) => Math.abs(count - usual) <= 1).length;
  return usual > 1 && usual <= MOST_WORDS && alike > 0.8 * counts.length;
}

/** Each word is a cell where records have as many; else cells stand apart by two blanks or bars. */
function cellsOf(texts: readonly string[], isSettings: boolean): Cells[] {
  if (isSettings) return texts.map((text) => [text.replace(/(?: ?= ?|: +).*/s, '')]);
  const words = texts.map((text) => text.replace(/ -> .*/, '').split(/[\s│|]+/));
  const cells = texts.map((text) =>
    text
      .replace(/^[│|] ?/, '')
      .split(/ {2,}|\t|[│|] */)
      .map((cell) => cell.trim()),
  );
  return isEven(words) || !isEven(cells) ? words : cells;
}

/** Whether nearly all records have as many cells. */
function isEven(records: readonly Cells[]): boolean {
  const usual = medianOf(records.map(({ length }) => length));
  return usual > 1 && records.filter(({ length }) => length === usual).length > 0.8 * records.length;
}

function medianOf(counts: readonly number[]): number {
  return counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0;
}

function countsOf(families: ReadonlyMap<string, readonly number[]>): string[] {
  const largest = [...families].sort((a, b) => b[1].length - a[1].length);
  return largest.map(([name, { length }]) => `${name} (${length})`);
}

/** The column, from the left or from the right, with a name of its own for most records. */
function nameColumn(records: readonly Cells[]): number | null {
  let best: number | null = null;
  let most = 0.5 * records.length;
  for (const at of [...Array(MOST_COLUMNS).keys(), -1]) {
    const names = new Set<string>();
    for (const cells of records) {
      const word = cells.at(at) ?? '';
      if (isName(word)) names.add(word);
    }
    if (names.size <= most * 1.1) continue;
    best = at;
    most = names.size;
  }
  return best;
}

/** Positions of names by what they begin with, where names have parts: `net.ipv4.tcp_mem`. */
function familiesIn(names: readonly string[]): Map<string, number[]> {
  const families = new Map<string, number[]>();
  names.forEach((name, at) => {
    const family = FAMILY.exec(name)?.[0];
    if (family === undefined) return;
    const members = families.get(family) ?? [];
    families.set(family, members);
    members.push(at);
  });
  const inFamilies = [...families.values()].filter(({ length }) => length > 1).flat().length;
  return inFamilies > 0.8 * names.length ? families : new Map();
}
