/**
 * Source code in outline: the heads of what is defined, outer before inner, and what is imported.
 * Blame is source code behind columns that say who wrote it.
 */
import { type Piece, type Plan, type PlanFacts, piecesOf, type Rows, spread, type Tier } from './plan.ts';

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
  return KEYWORD.test(text) || MEMBER.test(text) || AT_MARGIN.some((pattern) => pattern.test(text));
}

export function sourcePlan(rows: Rows, { path, isFile, words }: PlanFacts): Plan | null {
  if (!(isFile && CODE_FILE.test(path)) && !/\.schema\b/.test(words.join(' '))) return null;
  const heads: number[] = [];
  const imports: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    const text = rows.text(row).slice(0, 400);
    if (IMPORT.test(text)) {
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
  const tiers: Tier[] = [
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
  const tiers: Tier[] = [
    { pieces: rows.table.isPruned ? [] : [{ row: rows.count - 1, text: written }], over: true },
    { pieces: piecesOf(rows.filled().slice(0, 12)), share: 0.3 },
    { pieces: spreadPieces(heads) },
  ];
  return { strategy: 'element', why: 'it is source code with its authors', tiers, isQuoted: true };
}

/** Spread over the whole. */
function spreadPieces(rows: readonly number[]): Piece[] {
  return piecesOf(spread(rows.length).map((at) => rows[at] as number));
}
