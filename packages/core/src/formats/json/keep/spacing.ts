/**
 * Which white space between tokens is kept. `exact`: all of it, for files; `blanks`: the blank
 * behind a colon, where the text has one; `none`: for documents inside a log.
 */
export type Spacing = 'exact' | 'blanks' | 'none';

const COLON = 0x3a;
const BLANK = 0x20;

/** Whether the white space in `bytes[from … to]` is kept. */
export function keepsSpace(bytes: Uint8Array, from: number, to: number, spacing: Spacing): boolean {
  if (spacing !== 'blanks') return spacing === 'exact';
  return to - from === 1 && bytes[from] === BLANK && bytes[from - 1] === COLON;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === BLANK || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
