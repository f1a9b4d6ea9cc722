/**
 * Patches: one line a file with what was added and taken away, then whole hunks in turns over the
 * files, then the first changed lines of others.
 * What is generated comes last, and small files before huge ones.
 */
import { formatCount, pluralize } from '../../text/numbers.ts';
import { type Piece, type Plan, piecesOf, type Rows, type Tier } from './plan.ts';

const FILE = /^diff --(?:git|cc|combined) (.+)$/;
const HUNK = /^@@+ -\d+(?:,(\d+))? .*\+\d+(?:,(\d+))? @@/;
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|[\w.-]+\.lock|go\.sum|uv\.lock)$|\.(?:snap|min\.js|min\.css|map|svg|lock|ipynb)$|(?:^|\/)(?:dist|vendor|node_modules|__snapshots__|generated)\//;
/** The first byte of a file's first row. */
const SMALL_D = 0x64;
const HYPHEN = 0x2d;
/** Rows before the first file that are shown. */
const HEAD_ROWS = 24;
/** Changed lines shown of a hunk that is not shown whole. */
const CHANGED_ROWS = 6;
/** Rows of a longer hunk that are shown. */
const LONGEST_HUNK = 24;
/** Shares of the room for hunks, and for lines of others. */
const HUNKS_SHARE = { whole: 0.2, lines: 0.4 };
const FEW_FILES = 3;
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
  const files = filesOf(rows);
  const [first] = files;
  // Few files: the format shows their hunks.
  if (first === undefined || first.row > 80 || files.length <= FEW_FILES) return null;
  if (files.every(({ hunks, from, note }) => hunks.length === 0 && from === '' && note === '')) return null;
  const plus = files.reduce((sum, file) => sum + file.plus, 0);
  const minus = files.reduce((sum, file) => sum + file.minus, 0);
  const total = `${pluralize(files.length, 'file')} changed, ${changes(plus, minus)}`;
  const head: Piece[] = first.row === 0 ? [] : [{ row: 0, to: Math.min(first.row, HEAD_ROWS) - 1 }];
  const tiers: Tier[] = [
    { pieces: head, over: true, share: 0.3 },
    { pieces: rows.table.isPruned ? [] : [{ row: rows.count - 1, text: total }], over: true },
    ...tiersOf(rows, files, 0.45),
  ];
  return { strategy: 'element', why: 'it is a diff', tiers, isQuoted: true };
}

/** `share`: room for the lines about files. */
export function patchTiers(rows: Rows, share: number): Tier[] {
  return tiersOf(rows, filesOf(rows), share);
}

function tiersOf(rows: Rows, files: readonly PatchFile[], share: number): Tier[] {
  if (files.length === 0) return [];
  const own = files.filter(({ path }) => !GENERATED.test(path));
  const ordered = [...own, ...files.filter(({ path }) => GENERATED.test(path))];
  // After pruning nothing can be counted, and a hunk may belong to another file.
  if (rows.table.isPruned) return [{ pieces: ordered.map(nameOf), over: true }];
  const bySize = own.filter(({ hunks }) => hunks.length > 0).sort((a, b) => sizeOf(a) - sizeOf(b));
  const turns: Piece[] = [];
  const lines: Piece[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    for (const { hunks } of bySize) {
      const hunk = hunks[turn];
      if (hunk === undefined) continue;
      turns.push({ row: hunk.row, to: Math.min(hunk.last, hunk.row + LONGEST_HUNK), isWhole: true });
      lines.push({ row: hunk.row }, ...piecesOf(hunk.changed));
    }
  const moved = ordered.filter(({ from, note }) => from !== '' || note === ' (binary)');
  return [
    { pieces: moved.map(lineOf), over: true, share: share * 0.6 },
    { pieces: ordered.map(lineOf), over: true, share },
    { pieces: turns, over: true, share: HUNKS_SHARE.whole },
    { pieces: lines, over: true, share: HUNKS_SHARE.lines },
  ];
}

function sizeOf({ row, last }: PatchFile): number {
  return last - row;
}

function lineOf(file: PatchFile): Piece {
  const name = nameOf(file);
  return { ...name, text: `${name.text} ${changes(file.plus, file.minus)}` };
}

function nameOf({ row, last, path, from, note }: PatchFile) {
  return { row, to: last, text: `${from === '' ? path : `${from} → ${path}`}${note}` };
}

function changes(plus: number, minus: number): string {
  return `+${formatCount(plus)} −${formatCount(minus)}`;
}

function filesOf(rows: Rows): PatchFile[] {
  const files: PatchFile[] = [];
  let file: PatchFile | undefined;
  /** Lines of the hunk still to come, on either side. */
  let left = 0;
  const begin = (row: number, path: string) => {
    file = { row, last: row, path, from: '', note: '', plus: 0, minus: 0, hunks: [] };
    files.push(file);
    left = 0;
  };
  const { bytes, from } = rows.table;
  for (let row = 0; row < rows.count; row++) {
    const first = bytes[from[row] as number];
    if (file === undefined && first !== SMALL_D && first !== HYPHEN) continue;
    const text = rows.text(row);
    if (row > 0 && !rows.table.isNext(row - 1)) left = 0;
    if (file !== undefined && left > 0) {
      const hunk = file.hunks.at(-1);
      const sign = text[0] ?? ' ';
      if (sign === '+' || sign === '-') {
        left--;
        if (sign === '+') file.plus++;
        else file.minus++;
        if (hunk !== undefined && hunk.changed.length < CHANGED_ROWS && /\w/.test(text))
          hunk.changed.push(row);
      } else if (sign === ' ' || sign === '\t') left -= 2;
      if ('+- \t\\'.includes(sign)) {
        file.last = row;
        if (hunk !== undefined) hunk.last = row;
        continue;
      }
      left = 0;
    }
    const named = text.startsWith('diff --') ? FILE.exec(text)?.[1] : undefined;
    if (named !== undefined) begin(row, named.replace(/^"?[a-z]\/.* "?b\//, '').replace(/"$/, ''));
    else if (text.startsWith('--- ') && rows.text(row + 1).startsWith('+++ ')) {
      const path = pathIn(rows.text(row + 1)) ?? pathIn(text);
      if (path === null) continue;
      if (file === undefined || file.hunks.length > 0 || row - file.row > 8) begin(row, path);
      else file.path = path;
    }
    if (file === undefined) continue;
    const hunk = text.startsWith('@@') ? HUNK.exec(text) : null;
    if (hunk !== null) {
      file.hunks.push({ row, last: row, changed: [] });
      file.last = row;
      left = Number(hunk[1] ?? 1) + Number(hunk[2] ?? 1);
    } else if (file.hunks.length === 0) noteHeader(file, text, row);
  }
  return files;
}

function noteHeader(file: PatchFile, text: string, row: number): void {
  if (/^[a-zA-Z+-]/.test(text)) file.last = row;
  if (text.startsWith('rename from ')) file.from = text.slice(12);
  else if (text.startsWith('rename to ')) file.path = text.slice(10);
  else if (/^(?:Binary files|GIT binary patch)/.test(text)) file.note = ' (binary)';
  else if (text.startsWith('new file')) file.note = ' (new)';
  else if (text.startsWith('deleted file')) file.note = ' (deleted)';
}

function pathIn(text: string): string | null {
  const path = text
    .slice(4)
    .replace(/\t.*/, '')
    .replace(/^"?[a-z]\//, '')
    .replace(/"$/, '');
  return path === '/dev/null' ? null : path;
}
