/**
 * A span as people and models write it: `12-40`, `12-`, `-40` or `12`, with blanks anywhere between
 * and commas as notices print them (`1,200-1,400`). Positions count from 1 and are inclusive. Linear
 * in the length of the text.
 */

/** Null where the span is open. */
export interface Span {
  readonly first: number | null;
  readonly last: number | null;
}

/** Two numbers of 16 digits with blanks around them are shorter. */
const MOST_CHARS = 100;

const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

/** Null if the text is not a span. */
export function parseSpan(text: string): Span | null {
  if (text.length > MOST_CHARS) return null;
  const [, alone, from, to] = /^(?:(\d+)|(\d*)\s*-\s*(\d*))$/.exec(text.trim().replace(THOUSANDS, '')) ?? [];
  if (alone !== undefined) return { first: Number(alone), last: Number(alone) };
  if (!from && !to) return null;
  return { first: from ? Number(from) : null, last: to ? Number(to) : null };
}
