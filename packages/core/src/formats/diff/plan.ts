/**
 * Patches: one line a file with what was added and taken away, then whole hunks in turns over the
 * files, then the first changed lines of others.
 * What is generated comes last, and small files before huge ones.
 */

import type { Plan, PlanPiece, PlanTier } from '../../model/plan.ts';
import type { TableRows } from '../../model/table-rows.ts';
import { piecesOf, type Rows } from '../../table/plan.ts';
import { formatCount, pluralize } from '../../text/numbers.ts';
import { DiffLines } from './lines.ts';
import { namesIn } from './paths.ts';

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|[\w.-]+\.lock|go\.sum|uv\.lock)$|\.(?:snap|min\.js|min\.css|map|svg|lock|ipynb)$|(?:^|\/)(?:dist|vendor|node_modules|__snapshots__|generated)\//;
/** `d`, `-`, `I`, `O`: a file's first row begins with one of them. */
const HEAD_BYTES: readonly number[] = [0x64, 0x2d, 0x49, 0x4f];
/** Below so many other rows a text is no patch. */
const MOST_ABOVE = 80;
/** Rows before the first file that are shown. */
const HEAD_ROWS = 24;
/** Changed lines shown of a hunk that is not shown whole. */
const CHANGED_ROWS = 6;
/** Of so many files hunks are shown whole; else so many rows of them. */
const FEW_FILES = 3;
/** What a line without a change counts. */
const UNCHANGED = 0.3;
const LONGEST_HUNK = 24;
/** Shares of the room for hunks, and for lines of others. */
const HUNKS_SHARE = { whole: 0.2, lines: 0.4 };
const NAMES_SHARE = 0.6;
/** Hunks per file that get a turn. */
const TURNS = 6;

interface PatchFile {
  readonly row: number;
  last: number;
  path: string;
  from: string;
  note: string;
  plus: number;
  minus: number;
  readonly hunks: { readonly row: number; last: number; readonly changed: number[] }[];
}

export function patchPlan(rows: Rows): Plan | null {
  const files = filesOf(rows, MOST_ABOVE);
  const [first] = files;
  if (first === undefined) return null;
  if (files.every(({ hunks, from, note }) => hunks.length === 0 && from === '' && note === '')) return null;
  const plus = files.reduce((sum, file) => sum + file.plus, 0);
  const minus = files.reduce((sum, file) => sum + file.minus, 0);
  const total = `${pluralize(files.length, 'file')} changed, ${changes(plus, minus)}`;
  const head: PlanPiece[] = first.row === 0 ? [] : [{ row: 0, to: Math.min(first.row, HEAD_ROWS) - 1 }];
  const tiers: PlanTier[] = [
    { pieces: head, over: true, share: 0.3 },
    { pieces: rows.table.isPruned ? [] : [{ row: first.row + 1, text: total }], over: true },
    ...tiersOf(rows, files, 0.45),
  ];
  return { strategy: 'element', why: 'it is a diff', tiers, isQuoted: true, ...restOf(rows, files) };
}

function restOf(rows: Rows, files: readonly PatchFile[]): Pick<Plan, 'rest' | 'with'> {
  const hunkOf = new Int32Array(rows.count).fill(-1);
  for (const { hunks } of files) for (const { row, last } of hunks) hunkOf.fill(row, row, last + 1);
  const isInHunk = (row: number) => (hunkOf[row] as number) >= 0 && hunkOf[row] !== row;
  return {
    rest: (row) => (!isInHunk(row) ? 0 : /^ ?[+-]/.test(rows.text(row)) ? 1 : UNCHANGED),
    with: (row) => {
      const hunk = hunkOf[row] as number;
      return hunk < 0
        ? [[row, row]]
        : [
            [hunk, hunk],
            [row, row],
          ];
    },
  };
}

/** `share`: room for the lines about files. */
export function patchTiers(rows: Rows, share: number): PlanTier[] {
  return tiersOf(rows, filesOf(rows, rows.count), share);
}

function tiersOf(rows: Rows, files: readonly PatchFile[], share: number): PlanTier[] {
  if (files.length === 0) return [];
  const own = files.filter(({ path }) => !GENERATED.test(path));
  const ordered = [...own, ...files.filter(({ path }) => GENERATED.test(path))];
  // After pruning nothing can be counted, and a hunk may belong to another file.
  if (rows.table.isPruned) return [{ pieces: ordered.map(nameOf), over: true, share: NAMES_SHARE }];
  const bySize = own.filter(({ hunks }) => hunks.length > 0).sort((a, b) => sizeOf(a) - sizeOf(b));
  const isFew = files.length <= FEW_FILES;
  const turns: PlanPiece[] = [];
  const lines: PlanPiece[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    for (const { hunks } of bySize) {
      const hunk = hunks[turn];
      if (hunk === undefined) continue;
      const to = isFew ? hunk.last : Math.min(hunk.last, hunk.row + LONGEST_HUNK);
      turns.push({ row: hunk.row, to, isWhole: true });
      lines.push({ row: hunk.row }, ...piecesOf(hunk.changed));
    }
  const moved = ordered.filter(({ from, note }) => from !== '' || note === ' (binary)');
  return [
    { pieces: moved.map(lineOf), over: true, share: share * 0.6 },
    { pieces: ordered.map(lineOf), over: true, share },
    isFew ? { pieces: turns } : { pieces: turns, over: true, share: HUNKS_SHARE.whole },
    { pieces: lines, over: true, share: HUNKS_SHARE.lines },
  ];
}

function sizeOf({ row, last }: PatchFile): number {
  return last - row;
}

function lineOf(file: PatchFile): PlanPiece {
  const name = nameOf(file);
  return { ...name, text: `${name.text} ${changes(file.plus, file.minus)}` };
}

function nameOf({ row, last, path, from, note }: PatchFile) {
  return { row, to: last, text: `${from === '' ? path : `${from} → ${path}`}${note}` };
}

function changes(plus: number, minus: number): string {
  return `+${formatCount(plus)} −${formatCount(minus)}`;
}

/** None if the first of them stands below more than `most` rows. */
function filesOf(rows: Rows, most: number): PatchFile[] {
  const files: PatchFile[] = [];
  const lines = new DiffLines();
  let file: PatchFile | undefined;
  const { bytes, from } = rows.table;
  for (let row = 0; row < rows.count && (file !== undefined || row <= most); row++) {
    // Only these letters begin a diff: most texts are ruled out.
    if (file === undefined && !HEAD_BYTES.includes(bytes[from[row] as number] ?? 0)) continue;
    if (row > 0 && !rows.table.isNext(row - 1)) lines.skip();
    const text = rows.text(row);
    const role = lines.next(text);
    if (role === 'text' || (role === 'head' && text.startsWith('--- ') && !isHeadAt(rows, row))) continue;
    if (role === 'head') {
      file = { row, last: row, path: '', from: '', note: '', plus: 0, minus: 0, hunks: [] };
      files.push(file);
    }
    if (file === undefined) continue;
    file.last = row;
    const hunk = file.hunks.at(-1);
    if (role === 'hunk') file.hunks.push({ row, last: row, changed: [] });
    else if (role !== 'line') noteHeader(file, text);
    else if (hunk !== undefined) {
      hunk.last = row;
      if (lines.sign === '+') file.plus++;
      else if (lines.sign === '-') file.minus++;
      if (lines.sign !== ' ' && hunk.changed.length < CHANGED_ROWS && /\w/.test(text)) hunk.changed.push(row);
    }
  }
  return files;
}

function isHeadAt(rows: Rows, row: number): boolean {
  return rows.text(row + 1).startsWith('+++ ');
}

function noteHeader(file: PatchFile, text: string): void {
  const [path] = namesIn(text);
  if (text.startsWith('rename from ')) file.from = path ?? '';
  else if (path !== undefined) file.path = path;
  if (text.startsWith('Binary files')) file.note = ' (binary)';
  else if (text.startsWith('new file')) file.note = ' (new)';
  else if (text.startsWith('deleted file')) file.note = ' (deleted)';
}

/** The heads of files. */
export function worthOfFiles(table: TableRows): Float32Array {
  const isHead = (row: number) =>
    HEAD_BYTES.includes(table.first[row] as number) && /^(?:diff|---) /.test(table.textOf(row));
  return Float32Array.from({ length: table.rows }, (_, row) => (isHead(row) ? 1 : 0));
}
