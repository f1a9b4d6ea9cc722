/**
 * A span as people and models write it: `12-40`, `12-`, `-40` or `12`. Positions count from 1 and
 * are inclusive.
 */

/** Null where the span is open. */
export interface Span {
  readonly first: number | null;
  readonly last: number | null;
}

/** Null if the text is no span. */
export function parseSpan(text: string): Span | null {
  const match = /^\s*(\d*)\s*(-?)\s*(\d*)\s*$/.exec(text);
  const [, from = '', dash = '', to = ''] = match ?? [];
  if (from === '' && to === '') return null;
  const first = from === '' ? null : Number(from);
  return { first, last: dash === '' ? first : to === '' ? null : Number(to) };
}
