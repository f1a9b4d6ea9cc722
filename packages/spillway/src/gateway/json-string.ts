/**
 * The body of a JSON string (what stands between its quotes): what it says, and the *spelling* by
 * which the same bytes can be written again. Everything works on bytes held as latin1 strings, so
 * bytes that are not UTF-8 survive. Lone surrogates are decoded as WTF-8.
 */

interface Spelling {
  /** Hexadecimal digits of escapes are capitals. */
  readonly capital: boolean;
  /** Characters beyond ASCII that are escaped: none, U+2028 and U+2029, or all. */
  readonly wide: 'none' | 'separators' | 'all';
  readonly escapesSlash: boolean;
  /** ASCII characters that are written as `\u00XX` although there is a shorter way. */
  readonly long: string;
}

/**
 * How well-known writers spell strings: JSON.stringify, Python, PHP, Go, .NET. A name is what an
 * envelope keeps: `C` capital digits, `W` all wide characters, `S` separators, `/` slashes, and the
 * codes of the characters that are escaped the long way.
 */
export const SPELLINGS = ['', 'W', 'W7f', 'W/', 'S3c3e26', 'CW2226272b3c3e607f'] as const;

const SHORT: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
  '/': '/',
};
const MEANT = new Map(Object.entries(SHORT).map(([char, letter]) => [letter, char]));
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})(?:\\u([Dd][C-Fc-f][\dA-Fa-f]{2}))?|([\s\S]))/g;
const SURROGATE = '\\xed[\\xa0-\\xbf][\\x80-\\xbf]';
const WIDE = {
  none: SURROGATE,
  separators: `\\xe2\\x80[\\xa8\\xa9]|${SURROGATE}`,
  all: '[\\xc2-\\xdf][\\x80-\\xbf]|[\\xe0-\\xef][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3}',
} as const;

/** An incomplete or wrong escape stays as it is. */
export function decodeBody(body: string): string {
  if (!body.includes('\\')) return body;
  return body.replace(ESCAPE, (whole, first?: string, second?: string, letter?: string) => {
    if (first === undefined) return MEANT.get(letter ?? '') ?? whole;
    const unit = Number.parseInt(first, 16);
    if (second === undefined) return wtf8(unit);
    const low = Number.parseInt(second, 16);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    return isPair ? wtf8(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)) : wtf8(unit) + wtf8(low);
  });
}

export function spellBody(text: string, name: string): string {
  if (name === '' && !text.includes('\xed')) return JSON.stringify(text).slice(1, -1);
  const { spelling, escaped } = named(name);
  const { capital, long } = spelling;
  return text.replace(escaped, (char) => {
    if (char.length > 1) return escapes(String.fromCodePoint(pointOf(char)), capital);
    const letter = long.includes(char) ? undefined : SHORT[char];
    return letter === undefined ? escapes(char, capital) : `\\${letter}`;
  });
}

/** How much can be decoded without cutting a character. */
export function wholeChars(body: string): number {
  let end = spellable(body);
  while (end > 0) {
    const at = body.lastIndexOf('\\', end - 1);
    if (at === -1 || at < end - 6) return end;
    let first = at;
    while (body[first - 1] === '\\') first--;
    // The second backslash of a pair begins nothing.
    if ((at - first) % 2 === 1) return end;
    const last = body.slice(at, end);
    const isWhole = last.length >= (last[1] === 'u' ? 6 : 2);
    const mayPair = last.length === 6 && /^\\u[Dd][89ABab]/.test(last);
    if (isWhole && !mayPair) return end;
    end = at;
  }
  return 0;
}

/** How much can be spelled without cutting a character. */
export function spellable(text: string): number {
  return text.length - (/[\xc2-\xf4][\x80-\xbf]{0,2}$/.exec(text)?.[0].length ?? 0);
}

const known = new Map<string, { readonly spelling: Spelling; readonly escaped: RegExp }>();

function named(name: string) {
  const found = known.get(name);
  if (found !== undefined) return found;
  const [, letters = '', units = ''] = /^([CWS/]*)((?:[0-9a-f]{2})*)$/.exec(name) ?? [];
  const spelling: Spelling = {
    capital: letters.includes('C'),
    wide: letters.includes('W') ? 'all' : letters.includes('S') ? 'separators' : 'none',
    escapesSlash: letters.includes('/'),
    long: Buffer.from(units, 'hex').toString('latin1'),
  };
  const more = units.replace(/../g, '\\x$&') + (spelling.escapesSlash ? '/' : '');
  const escaped = new RegExp(`[\\x00-\\x1f"\\\\${more}]|${WIDE[spelling.wide]}`, 'g');
  const made = { spelling, escaped };
  known.set(name, made);
  return made;
}

function escapes(text: string, capital: boolean): string {
  return text
    .split('')
    .map((unit) => {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${capital ? hex.toUpperCase() : hex}`;
    })
    .join('');
}

function wtf8(point: number): string {
  if (point < 0x80) return String.fromCharCode(point);
  if (point < 0xd800 || point > 0xdfff) return Buffer.from(String.fromCodePoint(point)).toString('latin1');
  return String.fromCharCode(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
}

function pointOf(bytes: string): number {
  let point = bytes.charCodeAt(0) & (0xff >> (bytes.length + 1));
  for (let i = 1; i < bytes.length; i++) point = (point << 6) | (bytes.charCodeAt(i) & 0x3f);
  return point;
}
