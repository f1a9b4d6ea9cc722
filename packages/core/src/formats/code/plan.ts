/**
 * Source code in outline: the heads of what is defined, outer before inner, and what is imported.
 * Blame is source code behind columns that say who wrote it.
 */
import type { Plan, PlanFacts, PlanPiece, PlanTier, RowRun } from '../../model/plan.ts';
import { piecesOf, type Rows, spread, wholePieces } from '../../table/plan.ts';
import { countWhile } from '../../text/count-while.ts';

const MODIFIERS =
  '(?:(?:export|default|declare|abstract|async|pub(?:\\([\\w:]{1,40}\\))?|unsafe|extern|public|private|protected|internal|static|final|override|virtual|inline|constexpr|sealed|partial|readonly|local) ){0,5}';
/** Definitions that a keyword announces, at any depth. */
const KEYWORD = new RegExp(
  `^\\s*${MODIFIERS}(?:class|interface|enum|namespace|function\\*?|def|defp|module|trait|protocol|object|record|fn|struct|impl|mod|union|macro_rules!|func|sub|defmodule|procedure|contract) ?[\\w$.<(*:]`,
);
/** Definitions at the margin: types, exports, functions of C, tables, stages of a Dockerfile. */
const AT_MARGIN = [
  /^(?:export )?(?:declare )?type [\w$]/,
  /^(?:typedef|struct|union|enum|impl)\b/,
  /^#\s?define \w/,
  /^[A-Za-z_][\w:<>,*& ]{0,80}[ *&]~?[\w:]{1,80}\s?\([^;=]{0,200}(?:\)\s?(?:const)?\s?\{?|,)$/,
  /^[a-z_][\w ]{0,80}[ *]\w{1,80}\s?\([^()]{0,200}(?:\)[^;]{0,60};|,)$/,
  /^(?:[\w$]{1,60}\.){1,4}[\w$]{1,60} = (?:async )?(?:function\b|\(.{0,120}=>|class\b)/,
  /^(?:module\.)?exports\b.{0,80}=/,
  /^(?:export )?(?:const|let|var) [\w$]{1,80}(?:: [^=]{1,80})? = (?:async )?(?:\(|function\b|<|[\w$]{1,40} =>|class\b)/,
  /^(?:var|const|type) \($/,
  /^(?:CREATE|ALTER) \w/i,
  /^(?:FROM|ENTRYPOINT|CMD|EXPOSE|WORKDIR|VOLUME) /,
  /^[\w.-]{1,60} ?\(\) ?\{/,
];
/** Members of classes and objects. */
const MEMBER =
  /^(?: {2}| {4}|\t)(?:(?:static|async|get|set|public|private|protected|readonly|override) ){0,3}[\w$#]{1,80}(?:<[^>]{0,60}>)?\([^()]{0,200}\)?.{0,80}\{$/;
const CONTROL =
  /^\s*(?:\} ?)?(?:if|for|while|switch|catch|return|else|do|with|try|await|throw|new|super|case|elif|except|match|print|assert|(?:defer|default|go|select|yield|loop|unless|until|synchronized)(?! ?\())\b/;
const IMPORT =
  /^(?:import\b|from \S+ import\b|use [\w:{]|#\s?include\b|using |require\b|(?:const|var|let) [^=]{1,200} ?= ?require\(|extern crate|package )/;
const CODE_FILE =
  /\.(?:py|pyi|pyx|[cm]?jsx?|[cm]?tsx?|go|rs|java|kts?|scala|rb|php|c|h|cc|cpp|cxx|hpp|hh|cs|swift|sh|bash|zsh|lua|pl|pm|sql|exs?|hs|dart|vue|svelte|proto|erl|clj|jl|r|m|zig|nim|ml)\b|(?:^|\/)(?:Dockerfile|Makefile|Rakefile|Gemfile)/i;

/** What a file says of itself. */
const LEAD_ROWS = 6;

function isDefinition(text: string): boolean {
  if (CONTROL.test(text)) return false;
  if (KEYWORD.test(text)) return true;
  return isIndented(text) ? MEMBER.test(text) : AT_MARGIN.some((pattern) => pattern.test(text));
}

function isIndented(text: string): boolean {
  return text.charCodeAt(0) <= 0x20;
}

export function sourcePlan(rows: Rows, { path, isFile, words }: PlanFacts): Plan | null {
  if (!(isFile && CODE_FILE.test(path)) && !/\.schema\b/.test(words.join(' '))) return null;
  const heads: number[] = [];
  const imports: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    const text = rows.text(row).slice(0, 400);
    if (!isIndented(text) && IMPORT.test(text)) {
      imports.push(row);
      // `import (` continues up to its closing bracket.
      if (/[({]$/.test(text))
        while (row + 1 < rows.count && /^\s/.test(rows.text(row + 1))) imports.push(++row);
    } else if (isDefinition(text)) heads.push(row);
  }
  if (heads.length < 3) return null;
  const depth = (row: number) => rows.indent(row);
  const outer = heads.filter((row) => depth(row) === 0);
  const inner = heads.filter((row) => depth(row) > 0).sort((a, b) => depth(a) - depth(b) || a - b);
  const tiers: PlanTier[] = [
    { pieces: piecesOf(imports.slice(0, 40)), share: 0.2 },
    { pieces: spreadPieces(outer), share: 0.8 },
    { pieces: spreadPieces(inner) },
    isFile
      ? { pieces: piecesOf(rows.filled().slice(0, LEAD_ROWS)), share: 0.1, over: true }
      : { pieces: piecesOf(rows.filled()) },
  ];
  return { strategy: 'reading', why: 'it is a file', tiers, isQuoted: true };
}

const BLAME = /^\^?[0-9a-f]{7,40} (?:\S+ +)?\((.{1,60}?) +(?:\d{4}-\d\d-\d\d|\d{9,10}).{0,20}? (\d+)\)(.*)$/;

/** Who wrote most of it, the heads of definitions, and the first rows. */
export function blamePlan(rows: Rows): Plan | null {
  if (!BLAME.test(rows.text(0)) || rows.share((text) => BLAME.test(text)) < 0.9) return null;
  const authors = new Map<string, number>();
  const heads: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    const [, author, , code = ''] = BLAME.exec(rows.text(row)) ?? [];
    if (author === undefined) continue;
    authors.set(author, (authors.get(author) ?? 0) + 1);
    if (isDefinition(code.slice(1))) heads.push(row);
  }
  const most = [...authors].sort((a, b) => b[1] - a[1]).slice(0, 12);
  const written = `lines by author: ${most.map(([author, lines]) => `${author} ${lines}`).join(', ')}`;
  const tiers: PlanTier[] = [
    { pieces: rows.table.isPruned ? [] : [{ row: rows.count - 1, text: written }], over: true },
    { pieces: piecesOf(rows.filled().slice(0, 12)), share: 0.3 },
    { pieces: spreadPieces(heads) },
  ];
  return { strategy: 'element', why: 'it is source code with its authors', tiers, isQuoted: true };
}

/** Spread over the whole. */
function spreadPieces(rows: readonly number[]): PlanPiece[] {
  return piecesOf(spread(rows.length).map((at) => rows[at] as number));
}

/** Comments, decorators and attributes belong to what follows. */
const LEADS = /^(?:\/\/|\/\*| ?\*|#(?!!)|--|;|"""|'''|@\w|\[\w[^\]]*\]$|template\s*<)/;
const NAMED =
  /\b(?:class|interface|struct|enum|trait|impl|namespace|module|object|type|function\*?|def|fn|func|const|let|var|sub) +([\w$.:]{1,60})/;
const FEWEST_BLOCKS = 2;
const HEADER_SHARE = 0.6;
/** Shares of the room: larger blocks are divided, and what the heads of such blocks may take. */
const LARGE = 0.25;
const HEADS_SHARE = 0.5;
/** Of what a marker says. */
const LONGEST_LIST = 57;

/** Cut between definitions: the header, whole blocks, and of blocks that are too long whole members. */
export function blocksPlan(rows: Rows, { enough }: PlanFacts): Plan | null {
  const blocks = blocksIn(rows, [0, rows.count - 1], 0);
  if (blocks.length < FEWEST_BLOCKS || rows.text(0).includes('\0')) return null;
  const charsOf = ([first, last]: RowRun) =>
    (rows.table.after[last] as number) - (rows.table.at[first] as number);
  const heads = new Map<number, RowRun>();
  const divided = blocks.flatMap((block): RowRun[] => {
    const inner = charsOf(block) > LARGE * enough ? membersIn(rows, block) : [];
    const [first] = inner;
    if (first === undefined) return [block];
    const head: RowRun = [block[0], first[0] - 1];
    for (const [row] of [head, ...inner]) heads.set(row, head);
    return [head, ...inner];
  });
  const small = divided.filter((block) => charsOf(block) <= LARGE * enough);
  const [[top] = [0]] = blocks;
  return {
    ...{ strategy: 'element', why: 'it is source code', isQuoted: true },
    tiers: [
      { pieces: top === 0 ? [] : [{ row: 0, to: top - 1 }], share: HEADER_SHARE },
      { pieces: wholePieces([...new Set(heads.values())]), share: HEADS_SHARE },
      { pieces: wholePieces(small.filter(([row]) => !heads.has(row))) },
      { pieces: wholePieces(small) },
      { pieces: wholePieces(divided) },
    ],
    with: (row) => [heads.get(row) ?? [row, row]],
    // After pruning nothing can be counted.
    ...(rows.table.isPruned ? {} : { label: labelsOf(rows, divided) }),
  };
}

/** `2 blocks (parse, render, lines 18-427)`. */
function labelsOf(rows: Rows, blocks: readonly RowRun[]): NonNullable<Plan['label']> {
  const names = blocks.map((block) => nameOf(rows, block));
  const before = (row: number) => countWhile(blocks.length, (at) => (blocks[at] as RowRun)[0] < row);
  return (above, below) => {
    const first = before(above + 1);
    const count = before(below) - first;
    if (count === 0) return undefined;
    const lines = `lines ${rows.table.lineOf(above + 1)}-${rows.table.lineOf(below - 1)}`;
    let [list, named] = ['', 0];
    for (; named < count; named++) {
      const next = `${list}${names[first + named]}, `;
      if (next.length + lines.length > LONGEST_LIST) break;
      list = next;
    }
    return { unit: 'block', count, of: `${list}${named < count ? '…, ' : ''}${lines}` };
  };
}

/** From definition to definition, with the comments above it. */
function blocksIn(rows: Rows, [first, last]: RowRun, indent: number): RowRun[] {
  const isLead = (row: number) => LEADS.test(rows.text(row).trimStart());
  const starts: number[] = [];
  for (let row = first; row <= last; row++) {
    const text = rows.text(row).slice(0, 400);
    if (text === '' || rows.indent(row) !== indent || IMPORT.test(text) || !isDefinition(text)) continue;
    let start = row;
    while (start > (starts.at(-1) ?? first - 1) + 1 && isLead(start - 1)) start--;
    starts.push(start);
  }
  return starts.map((start, at): RowRun => [start, (starts[at + 1] ?? last + 1) - 1]);
}

function membersIn(rows: Rows, [first, last]: RowRun): RowRun[] {
  for (let row = first + 1; row <= last; row++) {
    const indent = rows.indent(row);
    if (indent > 0 && isDefinition(rows.text(row))) return blocksIn(rows, [row, last], indent);
  }
  return [];
}

function nameOf(rows: Rows, [first, last]: RowRun): string {
  for (let row = first; row <= last; row++) {
    const text = rows.text(row).trim();
    if (!isDefinition(rows.text(row))) continue;
    return NAMED.exec(text)?.[1] ?? /([\w$#~:]{1,60}) ?\(/.exec(text)?.[1] ?? text.slice(0, 30);
  }
  return rows.text(first).trim().slice(0, 30);
}
