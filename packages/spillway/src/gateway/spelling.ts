/**
 * How a writer of JSON spells the characters of a string. JSON.stringify writes everything as it
 * is, but for what must be escaped; Python escapes all beyond ASCII, PHP slashes, Go the signs of
 * HTML, others write digits in capitals. Whoever knows the spelling can write a text again exactly
 * as it was written. Spellings have short names, which the envelope of a result keeps.
 */

export interface Spelling {
  /** Hexadecimal digits: `\u00e9` or `\u00E9`. */
  readonly digits: 'small' | 'capital';
  /**
   * What lies beyond ASCII: as it is, as escapes, or as escapes only the separators U+2028 and
   * U+2029.
   */
  readonly wide: 'plain' | 'separators' | 'escaped';
  readonly slash: '/' | '\\/';
  /** ASCII characters that are written as `\u00XX` although there is a shorter way. */
  readonly long: readonly number[];
}

/** As JSON.stringify writes. */
export const PLAIN: Spelling = { digits: 'small', wide: 'plain', slash: '/', long: [] };

/**
 * Characters that have an escape of one letter, and that letter. Slashes have one that nobody
 * needs.
 */
export const LETTERS: Readonly<Record<number, string>> = {
  8: 'b',
  9: 't',
  10: 'n',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
};

/** What an escape of one letter stands for, by the letter. */
export const UNITS: Readonly<Record<number, number>> = {
  34: 0x22,
  47: 0x2f,
  92: 0x5c,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};

/** In a few letters; the empty string for JSON.stringify's. */
export function spellingName({ digits, wide, slash, long }: Spelling): string {
  const letters = [
    digits === 'capital' ? 'C' : '',
    wide === 'escaped' ? 'W' : wide === 'separators' ? 'S' : '',
    slash === '/' ? '' : '/',
  ];
  return letters.join('') + long.map((unit) => unit.toString(16).padStart(2, '0')).join('');
}

export function spellingNamed(name: string): Spelling {
  const [, letters = '', units = ''] = /^([CWS/]*)((?:[0-9a-f]{2})*)$/.exec(name) ?? [];
  return {
    digits: letters.includes('C') ? 'capital' : 'small',
    wide: letters.includes('W') ? 'escaped' : letters.includes('S') ? 'separators' : 'plain',
    slash: letters.includes('/') ? '\\/' : '/',
    long: (units.match(/../g) ?? []).map((unit) => Number.parseInt(unit, 16)),
  };
}

/**
 * What a byte means to whoever reads or writes a string: itself, an escape, or something that has
 * to be looked at.
 */
export const BYTE = { itself: 0, escape: 1, look: 2 } as const;

/** For each byte that stands in a string whether it is what this spelling would have written. */
export function bytesAsSpelled({ wide, slash, long }: Spelling): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(BYTE.look, 0, 0x20);
  table[0x5c] = BYTE.escape;
  if (slash !== '/') table[0x2f] = BYTE.look;
  for (const unit of long) table[unit] = BYTE.look;
  if (wide === 'escaped') table.fill(BYTE.look, 0x80);
  // The first byte of the separators, and that of surrogates, which a string in UTF-8 cannot hold.
  if (wide === 'separators') table[0xe2] = BYTE.look;
  table[0xed] = BYTE.look;
  return table;
}

/**
 * For each letter behind a backslash what it stands for, if this spelling would have written it so;
 * else 0.
 */
export function lettersAsSpelled({ slash, long }: Spelling): Uint8Array {
  const table = new Uint8Array(256);
  for (const [letter, unit] of Object.entries(UNITS)) table[Number(letter)] = long.includes(unit) ? 0 : unit;
  if (slash === '/') table[0x2f] = 0;
  return table;
}

/** A UTF-16 unit as an escape. */
export function longEscape(unit: number, { digits }: Pick<Spelling, 'digits'>): string {
  const hex = unit.toString(16).padStart(4, '0');
  return `\\u${digits === 'small' ? hex : hex.toUpperCase()}`;
}
