/**
 * How a line looks when what changes from one time to the next is made alike: numbers, long
 * hexadecimal words, runs of spaces, the length of bars and rules. Lines that are alike have the
 * same numbers; others nearly always have different ones.
 */
export interface Fingerprint {
  /** The same for lines that differ in numbers only. */
  readonly template: number;
  /** A coarser fingerprint: which cues, and how the line begins. */
  readonly signature: number;
}

const SEEN_CHARS = 400;
const TEMPLATE_CHARS = 140;
const SIGNATURE_CHARS = 14;
const LONG_HEX = 8;
/** Of a sign that is repeated so many are seen: bars grow, and say the same. */
const SIGNS_SEEN = 2;

/** Stands for what is left out. */
const NOTHING = 0;
/** No sign. */
const NONE = -1;
const OTHER = 0;
const SPACE = 1;
const DIGIT = 2;
/** `a` to `f`. */
const HEX = 3;
const WORD = 4;

export function fingerprintOf(text: string, cues: number): Fingerprint {
  // Looked up, not worked out: it is asked of nearly every char.
  kinds ??= kindsOfAscii();
  const table = kinds;
  const end = Math.min(text.length, SEEN_CHARS);
  let hash = 17;
  let beginning = cues | 0;
  let length = 0;
  let before = OTHER;
  let last = NONE;
  let run = 0;
  for (let at = 0; at < end && length < TEMPLATE_CHARS; at++) {
    let char = text.charCodeAt(at);
    const kind = kindOf(char, table);
    if (kind === OTHER) {
      run = char === last ? run + 1 : 0;
      last = char;
      if (run >= SIGNS_SEEN) char = NOTHING;
    } else {
      last = NONE;
      if (kind === SPACE) {
        char = before === SPACE || length === 0 ? NOTHING : 0x20;
      } else if (kind === DIGIT || (kind === HEX && before < DIGIT)) {
        const next = numberEnd(text, at, end, before, table);
        if (next > at) {
          char = 0x30;
          at = next - 1;
        }
      }
    }
    before = kind;
    if (char === NOTHING) continue;
    hash = (Math.imul(hash, 31) + char) | 0;
    if (length < SIGNATURE_CHARS) beginning = (Math.imul(beginning, 31) + char) | 0;
    length++;
  }
  return { template: hash & 0x3fff_ffff, signature: beginning & 0x3fff_ffff };
}

/**
 * Where a number ends that begins here: a word of hexadecimal digits, or a run of digits; `at` if
 * none does.
 */
function numberEnd(text: string, at: number, end: number, before: number, table: Uint8Array): number {
  let to = at;
  while (to < end && kindOf(text.charCodeAt(to), table) === DIGIT) to++;
  const digits = to;
  if (before >= DIGIT) return digits;
  if (text.charCodeAt(at) === 0x30 && (text.charCodeAt(at + 1) | 0x20) === 0x78) {
    to = at + 2;
    while (to < end && kindOf(text.charCodeAt(to), table) >= DIGIT) to++;
    return to > at + 2 ? to : digits;
  }
  while (to < end && isHex(kindOf(text.charCodeAt(to), table))) to++;
  const isWord = to === end || kindOf(text.charCodeAt(to), table) < DIGIT;
  return isWord && to - at >= LONG_HEX ? to : digits;
}

function isHex(kind: number): boolean {
  return kind === DIGIT || kind === HEX;
}

function kindOf(code: number, table: Uint8Array): number {
  return code < 128 ? (table[code] as number) : OTHER;
}

let kinds: Uint8Array | undefined;

function kindsOfAscii(): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const char = String.fromCharCode(code);
    if (/[\t-\r ]/.test(char)) return SPACE;
    if (/\d/.test(char)) return DIGIT;
    return /[a-f]/.test(char) ? HEX : /\w/.test(char) ? WORD : OTHER;
  });
}
