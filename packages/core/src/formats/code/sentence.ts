/** Whether a trimmed line reads as natural language: most of its words are words of a language. */

const WORD = /^[("'*_`[“‘«¿¡]{0,3}\p{L}[\p{L}\p{M}'’-]{0,30}[.,;:!?)"'*_`\]”’»…]{0,3}$/u;
const OTHER_SCRIPT = /[\u0370-\u1fff\u2c80-\ud7ff\uf900-\ufdff\ufe70-\ufefc]/g;
const WORD_SHARE = 0.75;
const LEAST_WORDS = 4;

export function isSentence(text: string, isAscii: boolean): boolean {
  if (isAscii) return isAsciiSentence(text);
  const other = text.match(OTHER_SCRIPT)?.length ?? 0;
  if (other > 0 && other >= text.length * 0.25) return true;
  const words = text.split(/\s+/);
  if (words.length < LEAST_WORDS || /[;{}]$/.test(text)) return false;
  return words.filter((word) => WORD.test(word)).length >= words.length * WORD_SHARE;
}

/** What an ASCII character may be in a word, as bits. */
const BEFORE = 1;
const LETTER = 2;
const INSIDE = 4;
const AFTER = 8;
const BLANK = 16;
let roles: Uint8Array | undefined;

/** The same for ASCII alone, in one pass: most lines of a text are looked at so. */
function isAsciiSentence(text: string): boolean {
  if (';{}'.includes(text.at(-1) ?? '')) return false;
  roles ??= roleTable();
  let words = 0;
  let found = 0;
  for (let at = 0; at < text.length; ) {
    let end = at;
    while (end < text.length && ((roles[text.charCodeAt(end)] as number) & BLANK) === 0) end++;
    words++;
    if (isWord(text, at, end, roles)) found++;
    at = end;
    while (at < text.length && ((roles[text.charCodeAt(at)] as number) & BLANK) !== 0) at++;
  }
  return words >= LEAST_WORDS && found >= words * WORD_SHARE;
}

const MOST_BEFORE = 3;
const MOST_INSIDE = 30;
const MOST_AFTER = 3;

function isWord(text: string, from: number, to: number, table: Uint8Array): boolean {
  let at = from;
  const role = () => table[text.charCodeAt(at)] as number;
  while (at < to && at - from < MOST_BEFORE && (role() & BEFORE) !== 0) at++;
  if (at === to || (role() & LETTER) === 0) return false;
  at++;
  for (const most = at + MOST_INSIDE; at < to && at < most && (role() & INSIDE) !== 0; ) at++;
  if (to - at > MOST_AFTER) return false;
  while (at < to && (role() & AFTER) !== 0) at++;
  return at === to;
}

function roleTable(): Uint8Array {
  const table = new Uint8Array(128);
  const mark = (chars: string, role: number) => {
    for (const char of chars) table[char.charCodeAt(0)] = (table[char.charCodeAt(0)] as number) | role;
  };
  table.fill(LETTER | INSIDE, 0x41, 0x5b).fill(LETTER | INSIDE, 0x61, 0x7b);
  mark('("\'*_`[', BEFORE);
  mark("'-", INSIDE);
  mark('.,;:!?)"\'*_`]', AFTER);
  mark('\t\n\v\f\r ', BLANK);
  return table;
}
