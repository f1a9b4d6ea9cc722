/**
 * The maximum price of our own words, with every number at its longest. Reserved before anything is
 * selected, so that the real ones always fit.
 */
import type { Detail, GapFacts, NoticeFacts } from '../model/dialect.ts';
import type { OmittedThings } from '../model/selection.ts';
import type { Share } from '../model/strategy.ts';
import { linesIn } from '../text/utf8.ts';
import { NO_FACTS, omissionAt } from './notice-facts.ts';
import { countOf, type FitJob, type Layout, type Section, shownName, shownType } from './section.ts';

export interface Room {
  readonly chars: number;
  readonly lines: number;
}

/** Including line ends between parts. */
export function framePrice(job: FitJob, layout: Layout, detail: Detail): Room {
  const { dialect, facts } = job;
  const { totalChars, totalLines } = facts;
  const shown = { chars: totalChars, ends: { first: totalChars, last: totalChars } };
  // Room for findings is made when needed.
  const more = { ...NO_FACTS, shown, nextCall: longestCall(job, layout) };
  const notice = dialect.notice({ ...facts, ...more }, detail);
  const frames = layout.shown.map(({ section: { part, text }, labelled }) => {
    if (text !== null) return labelled ? dialect.label({ ...part, name: shownName(part) }, detail) : '';
    const { bytes, hash } = part;
    return `${dialect.descriptor({ mediaType: shownType(part), bytes, hash })}\n`;
  });
  const collapsed =
    layout.hidden.length === 0
      ? ''
      : dialect.collapsed({
          parts: countOf(layout.hidden, 'parts'),
          lines: plural(totalLines),
          chars: plural(totalChars),
        });
  const text = notice + frames.join('') + collapsed;
  return {
    chars: text.length + layout.shown.length,
    lines: linesIn(text) + layout.shown.length - 1,
  };
}

type ExactPrice = NonNullable<Share['gap']['exactly']>;

/** Between two runs it ends a cut line, or leaves an empty one. */
export function gapPrice(job: FitJob, detail: Detail): Share['gap'] {
  const totalChars = plural(job.facts.totalChars);
  const totalLines = plural(job.facts.totalLines);
  const from = longestFrom(job.sections);
  const priced = (
    position: GapFacts['position'],
    lines: number,
    chars: number,
    first = totalLines,
    last = totalLines,
    what: OmittedThings | null = null,
  ) => {
    const address = lines > 0 ? `${first}-${last}` : `chars ${totalChars}-${totalChars}`;
    const facts = { position, lines, chars, following: totalChars, from, what };
    return job.dialect.marker(job.facts.artifact === null ? facts : { ...facts, address }, detail);
  };
  const texts = (['start', 'middle', 'end'] as const).map((position) =>
    priced(position, totalLines, totalChars),
  );
  const breaks = texts.map((text) => text.split('\n').length - 1);
  return {
    chars: Math.max(...texts.map((text) => text.length)),
    lines: Math.max(...breaks),
    exactly: remembered((...gap) => priced(...gap).length, totalLines),
    label: labelPrice(
      (what) => priced('middle', totalLines, totalChars, totalLines, totalLines, what).length,
    ),
  };
}

/**
 * What the notice says of one text, beyond what `framePrice` knows. Several texts are told of
 * together, so none of them knows what that takes.
 */
export function noticeCost(job: FitJob, detail: Detail): Pick<Share, 'noticeCost'> {
  if (job.sections.length > 1) return {};
  const facts = { ...job.facts, ...NO_FACTS, shown: { chars: 0, ends: null }, nextCall: null };
  const length = (more: Partial<NoticeFacts>) => job.dialect.notice({ ...facts, ...more }, detail).length;
  return { noticeCost: (findings, elidedChars) => length({ findings, elidedChars }) - length({}) };
}

/**
 * A marker's length depends on the digits of its numbers and on plurals: each case is rendered
 * once.
 */
function remembered(price: ExactPrice, totalLines: number): ExactPrice {
  const known = {
    start: new Map<number, number>(),
    middle: new Map<number, number>(),
    end: new Map<number, number>(),
  };
  return (position, lines, chars, first = totalLines, last = totalLines) => {
    const prices = known[position];
    const key = ((widthOf(lines) * 20 + widthOf(chars)) * 20 + widthOf(first)) * 20 + widthOf(last);
    let found = prices.get(key);
    if (found === undefined) {
      found = price(position, sample(lines), sample(chars), sample(first), sample(last));
      prices.set(key, found);
    }
    return found;
  };
}

/** Each unit is rendered once per width of its count. */
function labelPrice(price: (what: OmittedThings | null) => number): NonNullable<Share['gap']['label']> {
  const known = new Map<string, number>();
  return ({ unit, count, of }) => {
    const key = `${unit} ${widthOf(count)} ${of === undefined}`;
    let chars = known.get(key);
    if (chars === undefined) {
      chars = price({ unit, count: sample(count), ...(of === undefined ? {} : { of: '' }) }) - price(null);
      known.set(key, chars);
    }
    return chars + (of?.length ?? 0);
  };
}

/** 0, 1, other digits, then one per further digit. */
function widthOf(number: number): number {
  if (number < 2) return number;
  let width = 2;
  for (let rest = number; rest >= 10; rest /= 10) width++;
  return width;
}

function sample(number: number): number {
  return number < 2 ? number : 10 ** (widthOf(number) - 2) + (number < 10 ? 1 : 0);
}

function longestFrom(sections: readonly Section[]): string | null {
  const parts = countOf(sections, 'parts');
  const names = sections.flatMap(({ part }) => (part.labelled === true ? [shownName(part)] : []));
  if (parts > 1) names.push(`part ${parts}/${parts}`);
  return names.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** `0 lines` is longer than `1 line`. */
function plural(number: number): number {
  return Math.max(2, number);
}

/** With the longest address, of the part with the longest name or the last. */
function longestCall(job: FitJob, layout: Layout): string | null {
  const { totalChars, totalLines, totalBytes } = job.facts;
  const parts = layout.shown.map(({ section }) => section.part);
  const [longestName] = parts.toSorted((a, b) => b.name.length - a.name.length);
  const longest = { start: totalBytes, end: totalBytes, chars: totalChars, lines: totalLines };
  const last = { firstChar: totalChars, firstLine: totalLines, lastLine: totalLines };
  const calls = [longestName, parts.at(-1)].flatMap((part) =>
    part === undefined
      ? []
      : (job.callFor({ ...omissionAt({ ...longest, ...last, part }), last_char: totalChars }) ?? []),
  );
  return calls.sort((a, b) => b.length - a.length)[0] ?? null;
}
