/** What is shown of listings of files: a line a folder with counts. */

import type { Plan, PlanFacts, PlanPiece, PlanTier } from '../../model/plan.ts';
import type { LineTable } from '../../table/line-table.ts';
import { piecesOf, type Rows, sampleNames } from '../../table/plan.ts';
import { formatCount } from '../../text/numbers.ts';

const TREE = /^([│| \u00a0]*)(?:[├└`+](?:──|--|─┬|─)|\\--|\|--) ?(.*)$/;
/** What stands before a path: a size and a time, or a mode and a hash. */
const BEFORE_PATH = /^\s{0,16}(?:([\d.,]{1,20}[KMGTP]?)(?:\t| {1,8}(?=\S*\/)))?(?:[^\t/\s][^\t/]{0,80}\t)?/;
/** The last line of `wc -l` and `du -c`. */
const TOTAL = /^\s*[\d.,]+[KMGTP]?\s+total$/;
const COUNT = /:(\d{1,15})$/;
/** `M\t`, `R087\told\t`: how git says what became of a file. */
const STATE = /^([ACDMRTU])\d{0,3}\t(?:[^\t]*\t)?/;
const ROWS_OF_STATE = 3;
/** The largest of a listing with sizes, and the outermost: totals of what was asked for. */
const ROWS_OF_SIZE = 10;
/** The largest of a listing that is sorted by size, and what they may take of the room. */
const RANKED = { rows: 60, share: 0.5 };
const MOST_ABOVE = 3;
const PATH = /^(?:[^\s:"'(),;={}]| (?=\S*\/))+$/;
const LONG =
  /^[-dlcbps][rwxsStT-]{9}[.+@]? +\d+ +\S+ +\S+ +([\d.,]+[KMGT]?) +(?:\w{3} +\d+ +[\d:]+|\d{4}-\d\d-\d\d(?: [\d:.]+)?(?: [+-]\d{4})?) (.*)$/;
const LISTS = /(?:^|\/)(?:find|fd|ls|tree|du|exa|eza|locate|npm|pnpm|yarn|git)$/;
const FOLDER = /^\S.*:$/;
const PLAIN_FOLDER = /^(?:\.{1,2}|[^\s:/]*\/[^\s:]*):$/;
/** A file name that stands alone: one or two blanks, no marks of a sentence or of code. */
const NAME = /^[^\s:;,(){}="'<>]+(?: [^\s:;,(){}="'<>]+){0,2}$/;
const SLASH = 0x2f;
/** Folders per level that get a line. */
const MOST_FOLDERS = 60;
const LEAST_LISTED = 40;
const FEWEST_ENTRIES = 20;

const LISTING = { strategy: 'element', why: 'it is a listing', isQuoted: false } as const;

interface Entry {
  readonly names: readonly string[];
  readonly row: number;
  readonly size: number;
  /** What git says became of it; empty if nothing is said. */
  readonly state: string;
}

interface Folder {
  readonly path: string;
  readonly rows: number[];
  /** How many entries have each state. */
  readonly states: Map<string, number>;
  readonly below: Map<string, Folder>;
}

/**
 * One line a folder, the outer ones first, with what lies right in it and how much lies below; the
 * largest entries as they stand.
 */
export function listingPlan(rows: Rows, facts: PlanFacts): Plan | null {
  const { isFile, isSearch, isLog, words, enough } = facts;
  if (isFile || (isSearch && !isCounted(rows))) return null;
  if (!LISTS.test(words[0] ?? '') && isLog()) return null;
  const isLong = /^(?:total |\S.*:$|[-dl][rwx-]{9})/.test(rows.text(0)) && !rows.table.isPruned;
  const long = isLong ? longFolders(rows, listedChars(enough)) : null;
  if (long !== null) return long;
  const entries = entriesOf(rows);
  if (entries === null || entries.length < FEWEST_ENTRIES) return null;
  if (rows.table.isPruned) return { ...LISTING, tiers: levelsOf(rows, entries) };
  const sized = entries.filter(({ size }) => size > 0);
  const outermost = Math.min(...sized.map(({ names }) => names.length));
  const asked = sized.filter(({ names }) => names.length === outermost).slice(0, ROWS_OF_SIZE);
  const bySize = sized.toSorted((a, b) => b.size - a.size);
  const largest = [...asked, ...bySize.slice(0, ROWS_OF_SIZE)];
  const ranked = isSorted(sized) ? bySize.slice(ROWS_OF_SIZE, RANKED.rows) : [];
  const same = sameName(entries);
  const each = same === null ? '' : `, most of them …/${same}, which is not repeated`;
  const states = Map.groupBy(
    entries.filter(({ state }) => state !== ''),
    ({ state }) => state,
  );
  const some = [...largest, ...[...states.values()].flatMap((each) => each.slice(0, ROWS_OF_STATE))];
  // Of a tree, its root and what was said above it are no entries.
  const above = Array.from({ length: Math.min(MOST_ABOVE, entries[0]?.row ?? 0) }, (_, row) => row);
  const shown = [...new Set([0, ...above, rows.count - 1, ...some.map(({ row }) => row)])];
  const tiers: PlanTier[] = [
    { pieces: piecesOf(shown), over: true },
    { pieces: piecesOf(ranked.map(({ row }) => row)), share: RANKED.share },
    { pieces: [{ row: rows.count - 2, text: `${formatCount(entries.length)} entries${each}` }], over: true },
    {
      pieces: folderLines(
        same === null ? entries : entries.map((entry) => without(entry, same)),
        [...shown, ...ranked.map(({ row }) => row)],
        facts,
      ),
    },
  ];
  return { ...LISTING, tiers };
}

/** Of `grep -c`: a count behind each path. */
function isCounted(rows: Rows): boolean {
  return rows.share((text) => COUNT.test(text)) > 0.9;
}

/** Whether the sizes only fall or only rise. */
function isSorted(entries: readonly Entry[]): boolean {
  const steps = entries.slice(1).map(({ size }, at) => size - (entries[at] as Entry).size);
  return steps.every((step) => step <= 0) || steps.every((step) => step >= 0);
}

/** Where rows were dropped nothing can be counted: both ends, then the outer levels. */
function levelsOf(rows: Rows, entries: readonly Entry[]): PlanTier[] {
  const byDepth = entries.toSorted((a, b) => a.names.length - b.names.length || a.row - b.row);
  const ends = piecesOf([0, 1, 2, rows.count - 3, rows.count - 2, rows.count - 1]);
  return [{ pieces: ends, over: true }, { pieces: piecesOf(byDepth.map(({ row }) => row)) }];
}

/** What rows of a long listing are worth keeping in the table: the outer ones most. */
export function worthOfPaths({ rows, bytes, from, to }: LineTable): Float32Array {
  const worth = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    let depth = 1;
    for (let at = from[row] as number; at < (to[row] as number); at++) if (bytes[at] === SLASH) depth++;
    worth[row] = 1 / depth;
  }
  return worth;
}

function sameName(entries: readonly Entry[]): string | null {
  const name = entries[entries.length >> 1]?.names.at(-1) ?? '';
  const count = entries.filter(({ names }) => names.length > 1 && names.at(-1) === name).length;
  return count > 0.8 * entries.length ? name : null;
}

function without(entry: Entry, name: string): Entry {
  const { names } = entry;
  return names.length > 1 && names.at(-1) === name ? { ...entry, names: names.slice(0, -1) } : entry;
}

function folderLines(
  entries: readonly Entry[],
  shown: readonly number[],
  { policy: { maxDepth }, enough }: PlanFacts,
): PlanPiece[] {
  const pieces: PlanPiece[] = [];
  const used = new Set(shown);
  let open = [only(treeOf(entries))];
  let left = listedChars(enough);
  while (open.length > 0 && left > 0) {
    const next: Folder[] = [];
    const all = open.reduce((sum, folder) => sum + weightOf(folder), 0);
    const room = left * (pieces.length === 0 ? 0.6 : 0.9);
    for (const folder of open) {
      const { path, rows, below } = folder;
      const names = [...below].map(([name, child]) => namedFolder(name, child));
      const listed = sampleNames(names, Math.max(LEAST_LISTED, (room * weightOf(folder)) / all));
      const text = `${path === '' ? '' : `${path}/ `}(${countOf(folder)}): ${listed}`;
      const row = rows.find((each) => !used.has(each));
      if (row === undefined || text.length > left) continue;
      used.add(row);
      left -= text.length;
      pieces.push({ row, text });
      for (const child of below.values()) {
        const inner = only(child);
        const depth = inner.path.split('/').length;
        if (inner.below.size > 1 && depth < (maxDepth ?? Number.POSITIVE_INFINITY)) next.push(inner);
      }
    }
    const largest = next.toSorted((a, b) => b.below.size - a.below.size).slice(0, MOST_FOLDERS);
    open = next.filter((folder) => largest.includes(folder));
  }
  return pieces;
}

/** What lines about folders may take. */
function listedChars(enough: number): number {
  return 0.85 * enough;
}

/** Small folders get more room per name. */
function weightOf({ below }: Folder): number {
  return below.size ** 0.6;
}

function namedFolder(name: string, folder: Folder): string {
  const [state] = folder.states.keys();
  if (folder.below.size === 0) return state === undefined ? name : `${state} ${name}`;
  return `${name}/ (${formatCount(folder.rows.length)})`;
}

/** `52`, or with states `52: 50 A, 2 M`. */
function countOf({ rows, states }: Folder): string {
  const each = [...states]
    .sort((a, b) => b[1] - a[1])
    .map(([state, count]) => `${formatCount(count)} ${state}`);
  return [formatCount(rows.length), ...(each.length === 0 ? [] : [each.join(', ')])].join(': ');
}

/** Collapses chains of single folders. */
function only(folder: Folder): Folder {
  const [child] = folder.below.values();
  return folder.below.size === 1 && child !== undefined && child.below.size > 0 ? only(child) : folder;
}

function treeOf(entries: readonly Entry[]): Folder {
  const root: Folder = { path: '', rows: [], states: new Map(), below: new Map() };
  for (const { names, row, state } of entries) {
    const take = ({ rows, states }: Folder) => {
      rows.push(row);
      if (state !== '') states.set(state, (states.get(state) ?? 0) + 1);
    };
    let folder = root;
    take(root);
    for (const name of names) {
      let child = folder.below.get(name);
      if (child === undefined) {
        const path = folder.path === '' ? name : `${folder.path}/${name}`;
        child = { path, rows: [], states: new Map(), below: new Map() };
        folder.below.set(name, child);
      }
      take(child);
      folder = child;
    }
  }
  return root;
}

function entriesOf(rows: Rows): Entry[] | null {
  const isTree = rows.share((text) => TREE.test(text)) > 0.7;
  const before = rows.share((text) => STATE.test(text)) > 0.9 ? STATE : BEFORE_PATH;
  const after = isCounted(rows) ? COUNT : null;
  const pathIn = (text: string) => text.replace(after ?? before, '');
  const isPath = (text: string) => text.includes('/') && PATH.test(pathIn(text));
  if (!isTree && rows.share(isPath) < 0.85) return null;
  const entries: Entry[] = [];
  const open: string[] = [];
  let width = 0;
  for (let row = 0; row < rows.count; row++) {
    const text = rows.text(row);
    if (text === '' || TOTAL.test(text)) continue;
    if (isTree) {
      const [, lead = '', name] = TREE.exec(text) ?? [];
      if (name === undefined) continue;
      if (lead.length > 0 && width === 0) width = lead.length;
      open.length = width === 0 ? 0 : Math.round(lead.length / width);
      open.push(name.replace(/^[─┬ ]+/, '').trim());
      entries.push({ names: [...open], row, size: 0, state: '' });
      continue;
    }
    const [, first = ''] = (after ?? before).exec(text) ?? [];
    const path = pathIn(text);
    const names = path
      .replace(/^\.\//, '')
      .split('/')
      .filter((name) => name !== '');
    if (path.startsWith('/')) names[0] = `/${names[0] ?? ''}`;
    entries.push({
      names,
      row,
      size: bytesIn(first),
      state: before === STATE ? first : '',
    });
  }
  return entries;
}

/** `ls -R`, `ls -lR`: each folder on one line with its names, the largest files as they stand. */
function longFolders(rows: Rows, chars: number): Plan | null {
  const isLong = rows.share((text) => LONG.test(text) || /^total |:$/.test(text)) > 0.8;
  if (!isLong && rows.share((text) => NAME.test(text) || PLAIN_FOLDER.test(text)) < 0.98) return null;
  const folders: {
    readonly row: number;
    to: number;
    readonly name: string;
    total: string;
    names: string[];
  }[] = [];
  const files: { readonly row: number; readonly size: number }[] = [];
  for (let row = 0; row < rows.count; row++) {
    const text = rows.text(row);
    const [, size, name = size === undefined ? text : ''] = LONG.exec(text) ?? [];
    if (
      size === undefined &&
      FOLDER.test(text) &&
      rows.text(row - 1) === '' &&
      (isLong || PLAIN_FOLDER.test(text))
    )
      folders.push({ row, to: row, name: text, total: '', names: [] });
    const folder = folders.at(-1);
    if (folder === undefined) continue;
    folder.to = row;
    if (text.startsWith('total ')) folder.total = ` ${text}`;
    else if (text !== '' && row > folder.row && name !== '.' && name !== '..') {
      const isFolder = size !== undefined && text.startsWith('d');
      folder.names.push(name.replace(/ -> .*/, '') + (isFolder ? '/' : ''));
      if (size !== undefined && !isFolder) files.push({ row, size: bytesIn(size) });
    }
  }
  if (folders.length < 2) return null;
  const all = folders.reduce((sum, { names }) => sum + names.length, 0);
  const spare = Math.max(0, chars - folders.length * 40);
  const pieces = folders.map(({ row, to, name, total, names }) => ({
    row,
    to,
    text: `${name}${total} (${formatCount(names.length)}): ${sampleNames(names, Math.max(30, (spare * names.length) / Math.max(1, all)))}`,
  }));
  const largest = files.sort((a, b) => b.size - a.size).slice(0, 8);
  const tiers: PlanTier[] = [
    { pieces: piecesOf([0, ...largest.map(({ row }) => row)]), over: true },
    { pieces },
  ];
  return { ...LISTING, tiers };
}

const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };

function bytesIn(size: string): number {
  return Number.parseFloat(size.replaceAll(',', '')) * (UNITS[size.at(-1) ?? ''] ?? 1) || 0;
}
