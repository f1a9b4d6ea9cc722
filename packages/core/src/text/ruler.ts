/**
 * Measures places of one run of bytes, again and again: the run is walked once, at the first
 * question, and marked every kilobyte; an answer then looks at the bytes behind one mark. Answers
 * are those of `measure` and `advance` from the beginning of the run. Units: bytes for places.
 */
import { isAscii } from 'node:buffer';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import { countWhile } from './count-while.ts';
import { advance, characterStart, measure } from './utf8.ts';

const BETWEEN_MARKS = 1_024;
const LF = 10;
const CR = 13;

export class Ruler {
  readonly #bytes: Uint8Array;
  #marks: readonly Extent[] | undefined;
  /** Whether every byte is a char, and none ends a line. */
  #isPlain: boolean | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** From the beginning to a place. */
  to(offset: number): Extent {
    this.#isPlain ??= isAscii(this.#bytes) && !this.#bytes.includes(LF) && !this.#bytes.includes(CR);
    if (this.#isPlain) return { bytes: offset, chars: offset, breaks: 0 };
    const mark = this.#last(({ bytes }) => bytes <= offset);
    return sum(mark, measure(this.#bytes, mark.bytes, offset));
  }

  /**
   * How far one gets from the beginning within so many chars and line ends: never into a character,
   * nor between CR and LF.
   */
  reach(chars: number, breaks = Number.POSITIVE_INFINITY): Extent {
    const mark = this.#last((each) => each.chars <= chars && each.breaks < breaks);
    return sum(mark, advance(this.#bytes, mark.bytes, chars - mark.chars, breaks - mark.breaks));
  }

  /**
   * The first place at which at least so many chars have passed: a character belongs to where its
   * first unit lies.
   */
  offsetOfChar(chars: number): number {
    const reached = this.reach(chars);
    if (reached.chars === chars) return reached.bytes;
    return reached.bytes + advance(this.#bytes, reached.bytes, 2).bytes;
  }

  /**
   * The last mark of which something holds that holds of all marks before it too; the beginning if
   * of none.
   */
  #last(holds: (mark: Extent) => boolean): Extent {
    this.#marks ??= marksOf(this.#bytes);
    const marks = this.#marks;
    return marks[Math.max(0, countWhile(marks.length, (at) => holds(marks[at] as Extent)) - 1)] as Extent;
  }
}

/** Marks never stand inside a character, nor between CR and LF. */
function marksOf(bytes: Uint8Array): Extent[] {
  const marks = [NOTHING];
  let last = NOTHING;
  for (let at = BETWEEN_MARKS; at < bytes.length; at += BETWEEN_MARKS) {
    const split = bytes[at - 1] === CR && bytes[at] === LF;
    const offset = split ? at - 1 : characterStart(bytes, at);
    last = sum(last, measure(bytes, last.bytes, offset));
    marks.push(last);
  }
  return marks;
}
