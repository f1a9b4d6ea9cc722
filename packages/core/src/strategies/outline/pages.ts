/**
 * Texts with headings: manuals, help, Markdown, reStructuredText, settings, and whatever else is
 * ordered by indentation. Headings come first, the outer ones before the inner ones.
 */

import type { Plan, PlanFacts, PlanPiece, PlanTier } from '../../model/plan.ts';
import { piecesOf, type Rows, sampleNames, spread } from '../../table/plan.ts';
import { pluralize } from '../../text/numbers.ts';

const MARKUP_FILE = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|\*{3,}|#{3,})$/;
const MOST_HEADINGS = 90;
/** The newest entries stand first. */
const CHANGES_FILE = /(?:^|\/)(?:changelog|changes|history|news|releases?(?:[-_ ]?notes)?)\b[^/]*$/i;
const NEWEST_ROWS = 60;

/** With the beginning of the text. */
export function markupPlan(rows: Rows, { path, isFile }: PlanFacts): Plan | null {
  if (!(isFile && MARKUP_FILE.test(path))) return null;
  const levels = new Map<number, number[]>();
  const put = (level: number, row: number) => levels.set(level, [...(levels.get(level) ?? []), row]);
  let isFenced = false;
  for (let row = 0; row < rows.count; row++) {
    const text = rows.text(row);
    if (/^\s{0,3}(?:```|~~~)/.test(text)) isFenced = !isFenced;
    if (isFenced || text === '') continue;
    const hashes = /^(#{1,6}) \S/.exec(text)?.[1];
    if (hashes !== undefined) put(hashes.length, row);
    else if (/^\S/.test(text) && text.length < 100 && !UNDERLINE.test(text)) {
      const under = rows.text(row + 1);
      if (UNDERLINE.test(under)) put(under.startsWith('=') ? 1 : 2, row);
    }
  }
  const outerFirst = [...levels].sort((a, b) => a[0] - b[0]).map(([, each]) => each);
  if (outerFirst.flat().length < 4) return null;
  const newest = CHANGES_FILE.test(path) ? rows.filled().slice(0, NEWEST_ROWS) : [];
  const tiers = [
    { pieces: piecesOf(newest), share: 0.5 },
    ...outerFirst.map((each) => ({ pieces: someOf(each, MOST_HEADINGS) })),
  ];
  return { strategy: 'reading', why: 'it is a file with headings', tiers, isQuoted: true };
}

const OPTION = /^\s{0,14}(-{1,2}[A-Za-z?#][\w-]*(?:[ =[<].{0,40}?)?(?:, *--?[\w-]+\S{0,30})?)(?: {2,}|\t|$)/;
const FLUSH_HEADING = /^[A-Z][A-Z0-9 ,/&'()-]{2,60}$/;
const TOPIC = /^[ |]{2,10}(?:class \w|(?:async )?[A-Za-z_.]{2,60}\([^()]{0,160}\)?)/;
const MOST_TERM_CHARS = 40;
/** `   clone    Clone a repository`: a name with what it does on the same line. */
const ENTRY = /^ {1,6}([\w.@:+/-]{2,40}) {2,}\S/;

/** Manuals and help: headings, then the options of each section on a line of ours. */
export function manualPlan(rows: Rows, { words, isFile, enough, isLog }: PlanFacts): Plan | null {
  if (isFile) return null;
  const isHelp = /^(?:man|info|pydoc3?|perldoc|ri|go doc|help)\b|(?:^| )(?:--help|-h|help|-\?)(?: |$)/.test(
    words.join(' '),
  );
  const isSetDeeper = (text: string) => text.startsWith(' ') || text.startsWith('\t');
  if (!isHelp && (isLog() || rows.share(isSetDeeper) < 0.4)) return null;
  const filled = rows.filled();
  const flush = filled.filter((row) => rows.indent(row) === 0);
  const headings = flush.filter((row) => isHeading(rows, row));
  const capitals = headings.filter((row) => FLUSH_HEADING.test(rows.text(row)));
  if (!isHelp && capitals.length < 4) return null;
  if (headings.length < 3 || headings.length > filled.length / 4) return null;
  const below: { row: number; to: number; names: string[] }[] = [];
  const subheadings: number[] = [];
  headings.forEach((heading, at) => {
    const end = headings[at + 1] ?? rows.count;
    const names: string[] = [];
    let first = end;
    for (let row = heading + 1; row < end; row++) {
      const text = rows.text(row);
      const option = OPTION.exec(text)?.[1];
      if (option !== undefined) names.push(...(option.match(/--?[A-Za-z?#][\w-]*/g) ?? []));
      else if (rows.indent(row) <= 4 && isHeading(rows, row) && !text.endsWith(':')) subheadings.push(row);
      else if (isTerm(rows, row)) names.push(text.trim());
      else if (isHelp) names.push(...(ENTRY.exec(text)?.slice(1) ?? []));
      if (names.length > 0) first = Math.min(first, row);
    }
    if (names.length > 1) below.push({ row: first, to: end - 1, names: [...new Set(names)] });
  });
  const topics = filled.filter((row) => TOPIC.test(rows.text(row)) && isHead(rows, row));
  const all = below.reduce((sum, { names }) => sum + names.length, 0);
  const listed = below.map(({ row, to, names }) => {
    const most = Math.max(60, (Math.min(2_200, 0.7 * enough) * names.length) / all);
    const isOption = names.filter((name) => name.startsWith('-')).length * 2 > names.length;
    const text = `${pluralize(names.length, isOption ? 'option' : 'term')}: ${sampleNames(names, most)}`;
    return { row, to, text };
  });
  const lead = filled.filter((row) => row < (headings[2] ?? 0)).slice(0, 8);
  const tiers: PlanTier[] = [
    { pieces: piecesOf(lead), share: 0.3 },
    { pieces: someOf(headings, MOST_HEADINGS), share: 0.6 },
    { pieces: someOf(subheadings, MOST_HEADINGS), share: 0.5 },
    ...levelsOf(rows, topics),
    { pieces: listed },
  ];
  return { strategy: 'reading', why: 'it is a manual', tiers, isQuoted: true };
}

/** A short line above deeper ones. */
function isHeading(rows: Rows, row: number): boolean {
  const text = rows.text(row).trim();
  return text.length < 70 && !/[.,;]$/.test(text) && /^[A-Z`'"]|:$/.test(text) && isHead(rows, row);
}

/** One or two words with their explanation right below; not the last words of a paragraph. */
function isTerm(rows: Rows, row: number): boolean {
  const text = rows.text(row).trim();
  if (text.length >= MOST_TERM_CHARS || !/^(?!(?:and|or)$)[\w$%.-]+(?: [\w<>[\].=-]+){0,2}$/.test(text))
    return false;
  const isOfParagraph = rows.text(row - 1) !== '' && rows.indent(row - 1) === rows.indent(row);
  return !isOfParagraph && rows.text(row + 1) !== '' && isHead(rows, row);
}

function isHead(rows: Rows, row: number): boolean {
  let next = row + 1;
  while (next < rows.count && rows.text(next) === '') next++;
  return next < rows.count && rows.indent(next) > rows.indent(row);
}

/** A hash, which tells a reader nothing. */
const DIGEST = /[0-9a-f]{32}|sha\d{1,3}-/;
const SETTINGS_FILE = /\.(?:ya?ml|toml|ini|cfg|conf|properties|env|tf|hcl|gradle|cmake|service|lock)$/i;

/** Settings and trees of lines: outer lines first, each text once. */
export function indentPlan(rows: Rows, { path, isFile, isCommand, isLog }: PlanFacts): Plan | null {
  const isSettings = SETTINGS_FILE.test(path);
  if (!isSettings && (isFile || !isCommand || isLog())) return null;
  const filled = rows.filled();
  const flush = filled.filter((row) => rows.indent(row) === 0);
  if (!isSettings && (flush.length < 4 || flush.length > 0.3 * filled.length)) return null;
  if (filled.length < 20) return null;
  const seen = new Set<string>();
  const once = filled.filter((row) => {
    const text = rows.text(row).trim();
    const isNew = !seen.has(text) && /\w/.test(text) && !text.startsWith('#') && !DIGEST.test(text);
    seen.add(text);
    return isNew;
  });
  const tiers: PlanTier[] = [
    { pieces: piecesOf([...filled.slice(0, 3), ...filled.slice(-2)]), over: true, share: 0.2 },
    ...levelsOf(rows, once),
  ];
  return { strategy: 'reading', why: 'its lines are ordered by indentation', tiers, isQuoted: isSettings };
}

function levelsOf(rows: Rows, some: readonly number[]): PlanTier[] {
  const depths = [...new Set(some.map((row) => rows.indent(row)))].sort((a, b) => a - b).slice(0, 5);
  return depths.map((depth) => {
    const own = some.filter((row) => rows.indent(row) === depth);
    return { pieces: someOf(own, MOST_HEADINGS), share: 0.6 };
  });
}

/** Of many, the first and an even sample. */
function someOf(rows: readonly number[], most: number): PlanPiece[] {
  if (rows.length <= most) return piecesOf(rows);
  const first = rows.slice(0, most / 4);
  return piecesOf([
    ...first,
    ...spread(rows.length)
      .slice(0, most)
      .map((at) => rows[at] as number),
  ]);
}
