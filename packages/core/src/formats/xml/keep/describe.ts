/**
 * What an element looks like: a number made of its names and attributes (to three levels; how often
 * a child repeats does not matter), its attributes and texts by column, and whether a tag speaks of
 * a failure. A text's column is its place, e.g. the second cell of a row. All long texts are one
 * word; a text with digits is also compared with its digits masked.
 */
import { mix, type TagReader } from './tag-reader.ts';
import type { TextReader } from './text-reader.ts';

const SEED = 0x811c9dc5;
/** The element itself is level 0. */
const DEEPEST = 2;
const DEEPEST_FIELDS = 1;
const MOST_FIELDS = 32;
const TEXT = 0x7e57;

export class Description {
  shape = SEED;
  failing = false;
  /** Field by field: its column, and its word. */
  readonly columns: number[] = [];
  readonly words: number[] = [];
  /** The shape of the last element on each level. */
  #last0 = 0;
  #last1 = 0;
  #last2 = 0;
  /** How many elements were opened on each level, within the one above. */
  #opened1 = 0;
  #opened2 = 0;

  /** A start tag so many levels below the element. */
  open(level: number, tag: TagReader): void {
    this.failing ||= tag.failing;
    if (level > DEEPEST) return;
    if (level <= DEEPEST_FIELDS)
      for (let at = 0; at < tag.columns.length; at++)
        this.#addField(tag.columns[at] as number, tag.words[at] as number);
    this.#count(level);
    if (!this.#isRepeated(level, tag.shape)) this.shape = mix(mix(this.shape, level), tag.shape);
  }

  /** A text in an element so many levels below. */
  text(level: number, text: TextReader): void {
    if (level > DEEPEST || text.isBlank) return;
    let column = mix(TEXT, level);
    if (level >= 1) column = mix(column, this.#opened1);
    if (level >= 2) column = mix(column, this.#opened2);
    this.#addField(column, text.word);
    if (text.masked >= 0) this.#addField(mix(column, TEXT), text.masked);
  }

  #count(level: number): void {
    if (level === 2) this.#opened2++;
    else {
      this.#opened1 = level === 1 ? this.#opened1 + 1 : 0;
      this.#opened2 = 0;
    }
  }

  /** Whether the element before it on its level had that shape. */
  #isRepeated(level: number, shape: number): boolean {
    const last = level === 0 ? this.#last0 : level === 1 ? this.#last1 : this.#last2;
    if (last === shape) return true;
    if (level === 0) this.#last0 = shape;
    if (level <= 1) this.#last1 = level === 1 ? shape : 0;
    this.#last2 = level === 2 ? shape : 0;
    return false;
  }

  #addField(column: number, word: number): void {
    if (this.columns.length >= MOST_FIELDS) return;
    this.columns.push(column);
    this.words.push(word);
  }
}
