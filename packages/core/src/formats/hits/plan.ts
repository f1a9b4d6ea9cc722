/**
 * What is shown of search hits (`rg`, `grep -n`): lines that define something, the first hit of
 * every file, then the hits that bring most new names; lines around hits come last. Gaps say how
 * many hits of which files they leave out. Forms: `path:12:text`, `path:12:3:text`, `path-11-text`
 * around it, `path:text`, and under a heading or for one file `12:text`.
 */
import type { Plan, PlanFacts, RowRun } from '../../model/plan.ts';
import { CONTINUED, OPEN } from '../../table/line-table.ts';
import { type Rows, sampleNames, wholePieces } from '../../table/plan.ts';
import { pluralize } from '../../text/numbers.ts';

type Form = 'numbered' | 'named' | 'grouped';

const NUMBERED = /^(?!\d+:)(.{1,400}?):\d{1,8}:(?:\d{1,5}:)?/;
const AROUND = /^(?!\d+-)(.{1,400}?)-\d{1,8}-/;
const SAME_FILE = /^([:-])\d{1,10}\1(?:\d{1,5}:)?/;
const GROUPED = /^\d{1,8}([:-])(?:\d{1,5}:)?/;
const NAMED = /^((?=[^\s:]*[./\\])(?:[A-Za-z]:\\)?[^\s:]{1,300}):/;
/** The first rows tell the form. `-C 5` prints a hit in every twelfth line. */
const FIRST_ROWS = 200;
const LEAST_HITS = 0.06;
const DEFINES =
  /^\s*(?:export |default |pub(?:\([a-z]+\))? |public |private |protected |internal |static |async |abstract |final |override |unsafe |extern |declare |inline |const (?=fn|class))*(?:function\*? |class |def |fn |func |interface |type \w+ ?[=<{]|struct |enum |trait |impl\b|module |namespace |macro_rules!|#define |CREATE (?:TABLE|VIEW|FUNCTION|INDEX)|(?:const|let|var|val) [\w$]+ ?(?::[^=]*)?=)/i;
/** Shares of the room for definitions, and for the first hits of files. */
const SHARES = { definitions: 0.3, firsts: 0.6 };
/** With more definitions than this, they were searched for. */
const RARE = { share: 0.1, least: 3 };
/** What the worth of a row counts. */
const FACTORS = { definition: 2, hit: 1, around: 0.1, decay: 0.05 };
const LOOKED_AT = 300;
/** What lists of files may take of the room; they stay short if they could not name half of them. */
const LISTS_SHARE = 0.4;
const LEAST_LISTED = 0.5;
const LEAST_ROOM = 1_000;
const LONGEST_NAME = 60;
const SHORT_LIST = 32;

interface HitFile {
  readonly path: string;
  readonly heading: number | null;
  readonly hits: number[];
}

interface Hits {
  readonly files: HitFile[];
  /** By row: the number of its file; -1 for other lines. */
  readonly fileOf: Int32Array;
  /** By row: hits before it. */
  readonly before: Uint32Array;
  /** By row: what its worth counts. */
  readonly factors: Float32Array;
  /** Hits in lines that are too long to be shown: `dist/all.min.js:12`. */
  readonly long: ReadonlyMap<number, string>;
}

export function hitsPlan(rows: Rows, { enough }: PlanFacts): Plan | null {
  const form = formOf(rows);
  const hits = form === null ? null : readHits(rows, form);
  if (hits === null) return null;
  const { files, factors } = hits;
  const all = files.flatMap((file) => file.hits);
  const definitions = all.filter((row) => factors[row] === FACTORS.definition);
  const isRare = definitions.length <= Math.max(RARE.least, all.length * RARE.share);
  const piecesOf = (some: readonly number[]) => wholePieces(some.map((row): RowRun => [row, row]));
  return {
    ...{ strategy: 'element', why: 'it is search hits', isQuoted: false },
    tiers: [
      { pieces: isRare ? piecesOf(definitions) : [], share: SHARES.definitions },
      { pieces: piecesOf(files.flatMap((file) => file.hits.slice(0, 1))), share: SHARES.firsts },
    ],
    rest: (row) => factors[row] as number,
    with: (row) => {
      const { heading = null } = files[hits.fileOf[row] as number] ?? {};
      return heading === null
        ? [[row, row]]
        : [
            [heading, heading],
            [row, row],
          ];
    },
    // After pruning nothing can be counted.
    ...(rows.table.isPruned ? {} : { label: labelsOf(hits, enough) }),
  };
}

function formOf(rows: Rows): Form | null {
  const first = rows
    .filled()
    .slice(0, FIRST_ROWS)
    .map((row) => rows.text(row));
  const share = (test: (text: string) => boolean) => first.filter(test).length / Math.max(1, first.length);
  if (first.some((text) => text.includes('\0'))) return null;
  const numbered = share((text) => NUMBERED.test(text));
  const around = share((text) => text === '--' || AROUND.test(text));
  if (numbered >= 0.5 || (numbered >= LEAST_HITS && numbered + around >= 0.7)) return 'numbered';
  if (share((text) => GROUPED.test(text)) >= 0.4) return 'grouped';
  return share((text) => NAMED.test(text)) >= 0.7 ? 'named' : null;
}

function readHits(rows: Rows, form: Form): Hits | null {
  const { flags } = rows.table;
  const files: HitFile[] = [];
  const fileOf = new Int32Array(rows.count).fill(-1);
  const before = new Uint32Array(rows.count + 1);
  const factors = new Float32Array(rows.count);
  const long = new Map<number, string>();
  let [found, others] = [0, 0];
  for (let row = 0; row < rows.count; row++) {
    const text = rows.text(row);
    before[row] = found;
    let file = files.at(-1);
    const line = form === 'grouped' ? inGroup(text, rows.text(row - 1)) : ofFile(text, form, file?.path);
    if (line === null) {
      if (text.length > 2) others++;
      continue;
    }
    const isHeading = line === 'heading';
    if (isHeading || file === undefined || (line.path !== null && line.path !== file.path)) {
      file = { path: isHeading ? text : (line.path ?? ''), heading: isHeading ? row : null, hits: [] };
      files.push(file);
    }
    fileOf[row] = files.length - 1;
    if (isHeading) continue;
    if (line.isHit) found++;
    // Only whole lines are shown.
    if (((flags[row] as number) & (OPEN | CONTINUED)) === 0) factors[row] = factorOf(text, line, file);
    else if (line.isHit) long.set(row, /^.{1,400}?:\d{1,8}(?=:)/.exec(text)?.[0] ?? file.path);
    if (line.isHit && factors[row] !== 0) file.hits.push(row);
  }
  before[rows.count] = found;
  return found === 0 || others > found ? null : { files, fileOf, before, factors, long };
}

/** The first hits of a file count more. */
function factorOf(text: string, { isHit, from }: HitLine, { hits }: HitFile): number {
  if (!isHit) return FACTORS.around;
  if (DEFINES.test(text.slice(from, from + LOOKED_AT))) return FACTORS.definition;
  return FACTORS.hit / (1 + hits.length * FACTORS.decay);
}

interface HitLine {
  /** Null under a heading. */
  readonly path: string | null;
  readonly isHit: boolean;
  readonly from: number;
}

function inGroup(text: string, above: string): HitLine | 'heading' | null {
  const [prefix = '', mark] = GROUPED.exec(text) ?? [];
  if (mark !== undefined) return { path: null, isHit: mark === ':', from: prefix.length };
  return text !== '' && above === '' ? 'heading' : null;
}

function ofFile(text: string, form: Form, last: string | undefined): HitLine | null {
  if (last !== undefined && text.startsWith(last)) {
    const rest = text.slice(last.length);
    const [same = '', mark] = (form === 'named' ? /^([:-])/ : SAME_FILE).exec(rest) ?? [];
    if (mark !== undefined) return { path: last, isHit: mark === ':', from: last.length + same.length };
  }
  const hit = (form === 'named' ? NAMED : NUMBERED).exec(text);
  const around = hit === null && form === 'numbered' ? AROUND.exec(text) : null;
  const [prefix = '', path] = hit ?? around ?? [];
  return path === undefined ? null : { path, isHit: hit !== null, from: prefix.length };
}

/** `12 hits in src/a.ts`, `40 hits in 3 files: src/b.ts, src/c.ts`. */
function labelsOf({ files, fileOf, before, long }: Hits, enough: number): NonNullable<Plan['label']> {
  const names = files.map(({ path }) => oneLine(path));
  const charsOf = (some: readonly string[]) => some.reduce((sum, name) => sum + name.length + 2, 0);
  const listed = enough < LEAST_ROOM ? 0 : Math.min(1, (LISTS_SHARE * enough) / charsOf(names));
  const isOfFile = (row: number) => (fileOf[row] as number) >= 0;
  return (above, below) => {
    const count = (before[below] as number) - (before[above + 1] as number);
    if (count === 0) return undefined;
    let [from, to] = [above + 1, below - 1];
    while (!isOfFile(from)) from++;
    while (!isOfFile(to)) to--;
    const [first, last] = [fileOf[from] as number, fileOf[to] as number];
    if (first === last) {
      const own = count === 1 ? long.get(from) : undefined;
      return { unit: 'hit', count, of: own === undefined ? (names[first] as string) : oneLine(own) };
    }
    const of = pluralize(last - first + 1, 'file');
    if (listed < LEAST_LISTED) return { unit: 'hit', count, of };
    // The rows around the gap name their own files.
    const hidden = names.slice(
      first + Number(fileOf[above] === first),
      last + Number(fileOf[below] !== last),
    );
    const chars = charsOf(hidden);
    const list = sampleNames(hidden, Math.max(Math.min(chars, SHORT_LIST), chars * listed));
    return { unit: 'hit', count, of: list === '' || list.startsWith('…') ? of : `${of}: ${list}` };
  };
}

/** Keeps the end of a long name, which tells more. */
function oneLine(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const isLong = line.length > LONGEST_NAME;
  return (isLong ? `…${line.slice(line.length - LONGEST_NAME + 1)}` : line).toWellFormed();
}
