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
    if (this.#grows('keep', from, to, lines, listed)) return;
    const keep = {
      kind: 'keep',
      start: from.bytes,
      end: to.bytes,
      chars: to.chars - from.chars,
      lines,
    } as const;
    this.#segments.push(listed === undefined ? keep : { ...keep, listed });
  }

  omit(from: Extent, to: Extent, endsLine: boolean, what?: OmittedThings): void {
    const firstLine = from.breaks + 1;
    const lastLine = Math.max(firstLine, to.breaks + (endsLine ? 0 : 1));
    const lines = this.#passed(from, to);
    if (to.bytes === from.bytes) return;
    this.#segments.push({
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
    const lines = this.#passed(from, to);
    if (this.#grows('elide', from, to, lines)) return;
    const chars = to.chars - from.chars;
    this.#segments.push({ kind: 'elide', start: from.bytes, end: to.bytes, chars, lines, why });
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

  /** Whether there is nothing to add, or the last segment takes it over. */
  #grows(kind: 'keep' | 'elide', from: Extent, to: Extent, lines: number, listed?: number): boolean {
    if (to.bytes === from.bytes) return true;
    const last = this.#segments[this.#segments.length - 1];
    if (last?.kind !== kind || last.end !== from.bytes) return false;
    if (last.kind === 'keep' && last.listed !== listed) return false;
    last.end = to.bytes;
    last.chars += to.chars - from.chars;
    last.lines += lines;
    return true;
  }
}
