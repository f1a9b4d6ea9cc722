/**
 * The text at a gap, in the three dialects. Each marker is one template, which also reads it back.
 * `... [1,168 lines / 11,206 chars omitted from stdout: 526-1693, 3 hits in src/a.ts] ...`
 * The address is what `get_artifact` takes as `lines`, or behind `chars ` as `chars`.
 */
import type { Detail, GapFacts, ParsedGap } from '../model/dialect.ts';
import type { OmittedThings } from '../model/selection.ts';
import { formatCount } from '../text/numbers.ts';
import { amount, optional, RECOGNISED, type Template, template, unread, words } from './template.ts';

export interface MarkerWords {
  readonly lines: number;
  readonly chars: number;
  readonly parts: number;
  /** `stdout`, `part 2/5`. */
  readonly from: string | null;
  /** `526-1693`, `chars 108-9911`. */
  readonly address: string | null;
  /**
   * `: 12 hits in src/a.ts`, or behind an address `, 12 hits …`; empty when there is nothing to
   * add.
   */
  readonly things: string;
}

/** A name may hold anything but the end of its marker. */
const from = (end: string) =>
  optional('from', template<{ from: string }>` from ${words('from', `[^${end}]{1,200}?`)}`);
const ADDRESS = optional(
  'address',
  template<{ address: string }>`: ${words('address', String.raw`(?:chars )?\d+-\d+`)}`,
);
const THINGS = unread('things', '(?:[:,] .{0,2000})?');
const AMOUNT = template<MarkerWords>`${amount('lines', 'line')} / ${amount('chars', 'char')}`;
const FROM = from(String.raw`\]`);

/** The default dialect. */
export const OMITTED = {
  start: template<MarkerWords>`... [Beginning omitted${FROM}: ${AMOUNT}${THINGS}] ...`,
  end: template<MarkerWords>`... [Remainder omitted${FROM}: ${AMOUNT}${ADDRESS}${THINGS}] ...`,
  between: template<MarkerWords>`... [${AMOUNT} omitted${FROM}${ADDRESS}${THINGS}] ...`,
  parts: template<MarkerWords>`... [${amount('parts', 'part')}: ${AMOUNT} omitted] ...`,
};

/** The plain dialect: chars only. */
export const TRUNCATED = {
  open: template<MarkerWords>`... (${amount('chars', 'char')} truncated${RECOGNISED}${from(')')}${THINGS})`,
  closed: template<MarkerWords>`... (${amount('chars', 'char')} truncated${from(')')}${THINGS}) ...`,
};

/** The dialect for agents that read files: chars only, and the run that follows is announced. */
export const SPILLED = {
  gap: template<MarkerWords>`... (${amount('chars', 'character')} truncated${RECOGNISED}${from(')')}${THINGS}) ...`,
  announced: template<{ following: number }>`[Last ${amount('following', 'char')} below]`,
};

export function markerWords(facts: GapFacts, detail: Detail): MarkerWords {
  const { lines, chars, from, what, position } = facts;
  if (detail === 'least') return { lines, chars, parts: 1, from: null, address: null, things: '' };
  // The address is obvious at the start and for a whole part, and repeats need not be fetched.
  const known = position === 'start' || position === 'all' || what?.unit === 'repeat';
  const address = known ? null : (facts.address ?? null);
  const leftOut = thingsLeftOut(what);
  const things = leftOut === '' ? '' : `${address === null ? ':' : ','} ${leftOut}`;
  return { lines, chars, parts: 1, from, address, things };
}

/** A marker without an address, for dialects that have none. */
export function withoutAddress(facts: GapFacts): GapFacts {
  const { address: _, ...rest } = facts;
  return rest;
}

export function readMarkers(templates: readonly Template<MarkerWords>[], text: string): ParsedGap[] {
  return templates
    .flatMap((each) => each.find(text))
    .map(({ facts: { chars = 0, lines = null, from = null, address = null }, at }) => ({
      chars,
      lines,
      from,
      ...(address === null ? {} : { address }),
      at,
    }))
    .sort((a, b) => a.at - b.at);
}

function thingsLeftOut(what: OmittedThings | null): string {
  if (what === null || what.unit === 'line') return '';
  const { unit, count: number, of } = what;
  if (unit === 'repeat') return `the line above ×${formatCount(number)}`;
  if (unit === 'alike') return 'like those above';
  const several = unit === 'entry' ? 'entries' : `${unit}s`;
  const leftOut = `${formatCount(number)} ${number === 1 ? unit : several}`;
  if (of === undefined) return leftOut;
  return unit === 'file' || unit === 'block' ? `${leftOut} (${of})` : `${leftOut} in ${of}`;
}
