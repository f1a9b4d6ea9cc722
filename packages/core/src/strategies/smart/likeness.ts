/**
 * How a line looks when what changes from one time to the next is made alike: numbers, long hexadecimal words, runs of spaces. Lines that are
 * alike have the same numbers; others nearly always have different ones.
 */
export interface Likeness {
  /** The same for lines that differ in numbers only. */
  readonly template: number;
  /** A coarser likeness: which cues, and how the line begins. */
  readonly signature: number;
}

const SEEN_CHARS = 400;
const TEMPLATE_CHARS = 140;
const SIGNATURE_CHARS = 14;
const LONG_HEX = 8;

const OTHER = 0;
const SPACE = 1;
const DIGIT = 2;
/** `a` to `f`. */
const HEX = 3;
const WORD = 4;

export function likenessOf(text: string, cues: number): Likeness {
  let hash = 17;
  let beginning = cues | 0;
  let length = 0;
  const end = Math.min(text.length, SEEN_CHARS);
  let at = 0;
  let before = OTHER;
  while (at < end && length < TEMPLATE_CHARS) {
    let char = text.charCodeAt(at);
    const kind = kindOf(char);
    let next = at + 1;
    if (kind === SPACE) {
      while (next < end && kindOf(text.charCodeAt(next)) === SPACE) next++;
      char = 0x20;
    } else if (kind === DIGIT || (kind === HEX && before < DIGIT)) {
      next = numberEnd(text, at, end, before);
      if (next > at) char = 0x30;
      else next = at + 1;
    }
    before = kindOf(text.charCodeAt(next - 1));
    at = next;
    if (char === 0 || (char === 0x20 && length === 0)) continue;
    hash = (Math.imul(hash, 31) + char) | 0;
    if (length < SIGNATURE_CHARS) beginning = (Math.imul(beginning, 31) + char) | 0;
    length++;
  }
  return { template: hash & 0x3fff_ffff, signature: beginning & 0x3fff_ffff };
}

/** Where a number ends that begins here: a word of hexadecimal digits, or a run of digits; `at` if none does. */
function numberEnd(text: string, at: number, end: number, before: number): number {
  let to = at;
  while (to < end && kindOf(text.charCodeAt(to)) === DIGIT) to++;
  const digits = to;
  if (before >= DIGIT) return digits;
  const prefixed = text.charCodeAt(at) === 0x30 && (text.charCodeAt(at + 1) | 0x20) === 0x78;
  if (prefixed) to = at + 2;
  while (to < end && (prefixed ? isWord(text, to) : isHex(text, to))) to++;
  const isNumber = prefixed ? to > at + 2 : to - at >= LONG_HEX && !(to < end && isWord(text, to));
  return isNumber ? to : digits;
}

function isHex(text: string, at: number): boolean {
  const kind = kindOf(text.charCodeAt(at));
  return kind === DIGIT || kind === HEX;
}

function isWord(text: string, at: number): boolean {
  return kindOf(text.charCodeAt(at)) >= DIGIT;
}

function kindOf(code: number): number {
  if (code > 0x60) return code <= 0x66 ? HEX : code <= 0x7a ? WORD : OTHER;
  if (code > 0x39) return (code >= 0x41 && code <= 0x5a) || code === 0x5f ? WORD : OTHER;
  if (code >= 0x30) return DIGIT;
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) ? SPACE : OTHER;
}
