/**
 * Builds a selection that covers a part exactly from runs given in order, and counts the lines of
 * each: a line of which any part is kept counts as shown, once; any other counts where it ends.
 * Neighbouring runs of the same kind become one segment.
 */
import type { Extent } from '../model/extent.ts';
import type { Elide, OmittedThings, Segment } from '../model/selection.ts';

type Growing<T extends Segment> = T extends Segment ? { -readonly [Key in keyof T]: T[Key] } : never;

export class CoverBuilder {
  readonly #segments: Growing<Segment>[] = [];
  #lineShown = false;

  /** `endsLine`: the last byte is a line end. `listed`: its line number. */
  keep(from: Extent, to: Extent, endsLine: boolean, listed?: number): void {
    const breaks = to.breaks - from.breaks;
    let lines = 0;
    if (breaks > 0) lines += breaks - (this.#lineShown ? 1 : 0);
    if (breaks > 0) this.#lineShown = false;
    if (!endsLine && to.bytes > from.bytes && !this.#lineShown) {
      lines++;
      this.#lineShown = true;
    }
    const range = { start: from.bytes, end: to.bytes, chars: to.chars - from.chars, lines };
    this.#add({ kind: 'keep', ...range, ...(listed === undefined ? {} : { listed }) });
  }

  omit(from: Extent, to: Extent, endsLine: boolean, what?: OmittedThings): void {
    const firstLine = from.breaks + 1;
    const lastLine = Math.max(firstLine, to.breaks + (endsLine ? 0 : 1));
    const lines = this.#passed(from, to);
    this.#add({
      kind: 'omit',
      start: from.bytes,
      end: to.bytes,
      chars: to.chars - from.chars,
      lines,
      firstLine,
      lastLine,
      ...(what === undefined ? {} : { what }),
    });
  }

  elide(from: Extent, to: Extent, why: Elide['why']): void {
    this.#add({
      kind: 'elide',
      start: from.bytes,
      end: to.bytes,
      chars: to.chars - from.chars,
      lines: this.#passed(from, to),
      why,
    });
  }

  finish(openLine: boolean): Segment[] {
    const last = this.#segments.at(-1);
    if (openLine && !this.#lineShown && last !== undefined && last.kind !== 'keep') {
      this.#segments[this.#segments.length - 1] = { ...last, lines: last.lines + 1 };
    }
    return this.#segments;
  }

  #passed(from: Extent, to: Extent): number {
    const breaks = to.breaks - from.breaks;
    if (breaks === 0) return 0;
    const lines = breaks - (this.#lineShown ? 1 : 0);
    this.#lineShown = false;
    return lines;
  }

  #add(segment: Segment): void {
    if (segment.end === segment.start) return;
    const last = this.#segments.at(-1);
    if (
      last !== undefined &&
      last.end === segment.start &&
      last.kind === segment.kind &&
      last.kind !== 'omit' &&
      listedIn(last) === listedIn(segment)
    ) {
      last.end = segment.end;
      last.chars += segment.chars;
      last.lines += segment.lines;
      return;
    }
    this.#segments.push(segment);
  }
}

function listedIn(segment: Segment): number | undefined {
  return segment.kind === 'keep' ? segment.listed : undefined;
}
