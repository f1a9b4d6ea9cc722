/**
 * What our own words cost at the most, with every number as long as it can be: reserved before
 * anything is selected, so that the real ones always fit.
 */
import type { Detail, GapFacts } from '../model/dialect.ts';
import type { Share } from '../model/strategy.ts';
import { measureText } from '../text/measure.ts';
import type { FitJob } from './fit-job.ts';
import { countOf, type Section, shownName, shownType } from './section.ts';
import type { Layout } from './views.ts';

/** Chars and lines, taken or left. */
export interface Room {
  readonly chars: number;
  readonly lines: number;
}

/** Notice, labels, descriptors and the line ends between parts. */
export function framePrice(job: FitJob, layout: Layout, detail: Detail): Room {
  const { dialect, facts } = job;
  const { totalChars, totalLines } = facts;
  const shown = { chars: totalChars, ends: { first: totalChars, last: totalChars } };
  const notice = dialect.notice(
    {
      ...facts,
      shown,
      nextCall: longestCall(job, layout),
      // Room for these is made when it is needed.
      insideLines: [],
      unfit: null,
      elidedChars: 0,
      lookalikes: 0,
      findings: null,
    },
    detail,
  );
  const frames = layout.shown.map(({ section: { part, selector }, labelled }) => {
    if (selector !== null) return labelled ? dialect.label({ ...part, name: shownName(part) }, detail) : '';
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
    lines: measureText(text).lines + layout.shown.length - 1,
  };
}

type ExactPrice = NonNullable<Share['gap']['exactly']>;

/** One marker. Between two runs it ends a line that was cut, or leaves an empty one. */
export function gapPrice(job: FitJob, detail: Detail): Share['gap'] {
  const totalChars = plural(job.facts.totalChars);
  const totalLines = plural(job.facts.totalLines);
  const from = longestFrom(job.sections);
  const priced = (position: GapFacts['position'], lines: number, chars: number) => {
    const address = lines > 0 ? `${totalLines}-${totalLines}` : `chars ${totalChars}-${totalChars}`;
    const facts = { position, lines, chars, following: totalChars, from, what: null };
    return job.dialect.marker(job.facts.artifact === null ? facts : { ...facts, address }, detail);
  };
  const texts = (['start', 'middle', 'end'] as const).map((position) =>
    priced(position, totalLines, totalChars),
  );
  const breaks = texts.map((text) => text.split('\n').length - 1);
  return {
    chars: Math.max(...texts.map((text) => text.length)),
    lines: Math.max(...breaks),
    exactly: remembered((position, lines, chars) => priced(position, lines, chars).length),
  };
}

/** The same gaps are priced over and over while a selection is made. */
function remembered(price: ExactPrice): ExactPrice {
  type Prices = Map<number, Map<number, number>>;
  const known = { start: new Map() as Prices, middle: new Map() as Prices, end: new Map() as Prices };
  return (position, lines, chars) => {
    const byChars = known[position].get(lines) ?? new Map<number, number>();
    if (byChars.size === 0) known[position].set(lines, byChars);
    const found = byChars.get(chars) ?? price(position, lines, chars);
    byChars.set(chars, found);
    return found;
  };
}

/** The longest name that markers may give to a part. */
function longestFrom(sections: readonly Section[]): string | null {
  const parts = countOf(sections, 'parts');
  const names = sections.flatMap(({ part }) => (part.labelled === true ? [shownName(part)] : []));
  if (parts > 1) names.push(`part ${parts}/${parts}`);
  return names.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** `0 lines` is longer than `1 line`: the price of one is that of several. */
function plural(number: number): number {
  return Math.max(2, number);
}

/**
 * The call with the longest address there can be: of the part with the longest name, or of the
 * last.
 */
function longestCall(job: FitJob, layout: Layout): string | null {
  const { totalChars, totalLines, totalBytes } = job.facts;
  const parts = layout.shown.map(({ section }) => section.part);
  const [longestName] = parts.toSorted((a, b) => b.name.length - a.name.length);
  const calls = [longestName, parts.at(-1)].flatMap((part) =>
    part === undefined
      ? []
      : (job.callFor({
          part: part.index,
          last_part: part.index,
          name: part.name,
          bytes: { start: totalBytes, end: totalBytes },
          chars: totalChars,
          lines: totalLines,
          first_char: totalChars,
          last_char: totalChars,
          first_line: totalLines,
          last_line: totalLines,
        }) ?? []),
  );
  return calls.sort((a, b) => b.length - a.length)[0] ?? null;
}
