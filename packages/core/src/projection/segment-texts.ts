/**
 * What a selector keeps, as text, segment by segment. While a selection is made to fit, most of its
 * segments stay as they are: each is decoded once.
 */
import type { Selection } from '../model/selection.ts';
import type { Selector } from '../model/strategy.ts';
import { decode } from '../text/utf8.ts';

export class SegmentTexts {
  readonly #selector: Selector;
  /** By where a segment begins: where it ended when it was last decoded, and its text. */
  readonly #known = new Map<number, { readonly end: number; readonly text: string }>();

  constructor(selector: Selector) {
    this.#selector = selector;
  }

  /** Nothing for segments that keep nothing. */
  of(selection: Selection): readonly string[] {
    return selection.map(({ kind, start, end }) => (kind === 'keep' ? this.#text(start, end) : ''));
  }

  #text(start: number, end: number): string {
    const known = this.#known.get(start);
    if (known?.end === end) return known.text;
    const text = decode(this.#selector.bytes({ start, end }));
    this.#known.set(start, { end, text });
    return text;
  }
}
