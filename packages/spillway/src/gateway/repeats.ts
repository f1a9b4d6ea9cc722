/**
 * Detects structured content that only repeats a text: the same JSON, the text as a string inside,
 * or either in a small wrapper. Compares the first 64 KB.
 */
import { membersOf } from './json-edit.ts';

const SAMPLE_BYTES = 65_536;
/** Bytes that may stand beside the copy. */
const BESIDE_BYTES = 200;

export class PrefixSample {
  #pieces: Uint8Array[] = [];
  #held = 0;
  bytes = 0;

  push(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.#held >= SAMPLE_BYTES) return;
    const taken = bytes.subarray(0, SAMPLE_BYTES - this.#held);
    this.#held += taken.length;
    this.#pieces.push(Buffer.from(taken));
  }

  get prefix(): Buffer {
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  get whole(): boolean {
    return this.bytes <= SAMPLE_BYTES;
  }
}

export function repeats(texts: readonly PrefixSample[], structured: PrefixSample): boolean {
  const copies = copiesIn(structured).map((json) => bare(unescaped(json.toString('utf8'))));
  return texts.some(({ bytes, prefix }) => {
    const opening = prefix.toString('utf8');
    const forms = [bare(opening), bare(unescaped(opening))];
    return bytes > 0 && copies.some((copy) => forms.some((form) => begins(form, copy)));
  });
}

/** All of it, or its one large member. */
function copiesIn(structured: PrefixSample): readonly Buffer[] {
  const json = structured.prefix;
  if (!structured.whole) return [json, json.subarray(json.indexOf(0x3a) + 1)];
  const members = [...(membersOf(json)?.values() ?? [])].filter(
    ({ whole }) => json.length - (whole.end - whole.start) <= BESIDE_BYTES,
  );
  return [json, ...members.map(({ value }) => json.subarray(value.start, value.end))];
}

/** Equal as far as both were seen, apart from closing brackets. */
function begins(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  const longest = Math.max(one.length, other.length);
  if (length < 2 || one.slice(0, length - 2) !== other.slice(0, length - 2)) return false;
  return longest - length <= 2 || length > SAMPLE_BYTES / 4;
}

function bare(text: string): string {
  return text.replace(/[\s"\\]/g, '');
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
