/**
 * Text of a tool as it can be shown safely: colours become classes, and every character that a
 * browser would hide or obey (control, bidi, invisible) becomes a visible sign. The result is a
 * list of pieces for text nodes; nothing here is ever parsed as HTML.
 */

export interface Piece {
  readonly text: string;
  /** Classes of colour and weight, separated by spaces; empty for plain text. */
  readonly style: string;
  /** A sign that stands for one character. */
  readonly isSign: boolean;
  /** Where the piece begins in the line, in chars of the stored text. */
  readonly at: number;
}

/** Escape sequences: CSI, OSC with its end, and two-byte ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const ESCAPE = /\x1b(?:\[([0-9;:]*)([ -/]*[@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])/y;
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\x1b/g;
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

export interface VisibleLine {
  readonly pieces: readonly Piece[];
  /** The style that the next line begins with. */
  readonly end: Style;
}

/** A line as it looks if it begins with a style: terminals carry colours over the ends of lines. */
export function visiblePieces(line: string, begin: Style): VisibleLine {
  const pieces: Piece[] = [];
  let state = begin;
  let from = 0;
  const push = (to: number) => {
    if (to > from)
      pieces.push({ text: line.slice(from, to), style: styleOf(state), isSign: false, at: from });
    from = to;
  };
  HIDDEN.lastIndex = 0;
  for (let hit = HIDDEN.exec(line); hit !== null; hit = HIDDEN.exec(line)) {
    push(hit.index);
    const sequence = escapeAt(line, hit.index);
    if (sequence) {
      state = sequence.apply(state);
      from = hit.index + sequence.length;
    } else {
      pieces.push({ text: signOf(hit[0]), style: styleOf(state), isSign: true, at: from });
      from = hit.index + 1;
    }
    HIDDEN.lastIndex = from;
  }
  push(line.length);
  return { pieces, end: state };
}

export interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
  readonly ground: string;
  readonly inverse: boolean;
}
export const PLAIN: Style = {
  colour: '',
  bold: false,
  dim: false,
  underline: false,
  ground: '',
  inverse: false,
};

function escapeAt(line: string, at: number): { length: number; apply: (state: Style) => Style } | undefined {
  ESCAPE.lastIndex = at;
  const found = ESCAPE.exec(line);
  if (!found) return undefined;
  const [whole, codes, end] = found;
  return {
    length: whole.length,
    apply: (state) => (end === 'm' ? coloured(state, (codes ?? '').split(/[;:]/).map(Number)) : state),
  };
}

function coloured(before: Style, codes: readonly number[]): Style {
  let state = before;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] as number;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(i + 1));
      state = code === 38 ? { ...state, colour } : { ...state, ground: colour };
      i += used;
    } else state = simple(state, code);
  }
  return state;
}

function simple(state: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...state, bold: true };
  if (code === 2) return { ...state, dim: true };
  if (code === 4) return { ...state, underline: true };
  if (code === 7 || code === 27) return { ...state, inverse: code === 7 };
  if (code === 49) return { ...state, ground: '' };
  if (code === 22) return { ...state, bold: false, dim: false };
  if (code === 24) return { ...state, underline: false };
  if (code === 39) return { ...state, colour: '' };
  const ground = code >= 100 ? code - 100 : code - 40;
  if (ground >= 0 && ground < 8) return { ...state, ground: COLOURS[ground] as string };
  const index = code >= 90 ? code - 90 : code - 30;
  return index >= 0 && index < 8 ? { ...state, colour: COLOURS[index] as string } : state;
}

/** `5;N` of 256 colours, `2;R;G;B`: the nearest of the eight that we have contrast for. */
function extended([kind, ...rest]: readonly number[]): [colour: string, used: number] {
  if (kind === 5) return [nearestOf256(rest[0] ?? 0), 2];
  if (kind === 2) return [nearest(rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0), 4];
  return ['', 1];
}

function nearestOf256(index: number): string {
  if (index < 16) return COLOURS[index % 8] as string;
  if (index >= 232) return '';
  const level = (place: number) => (Math.floor((index - 16) / place) % 6) * 51;
  return nearest(level(36), level(6), level(1));
}

function nearest(red: number, green: number, blue: number): string {
  const top = Math.max(red, green, blue);
  if (top - Math.min(red, green, blue) < 40) return '';
  const bit = (value: number) => (value > top * 0.6 ? 1 : 0);
  return COLOURS[bit(red) + 2 * bit(green) + 4 * bit(blue)] as string;
}

function styleOf({ colour, bold, dim, underline, ground, inverse }: Style): string {
  const back = inverse ? 'inv' : ground && `g-${ground}`;
  return [colour && `a-${colour}`, back, bold && 'b', dim && 'd', underline && 'u'].filter(Boolean).join(' ');
}

/** Control characters as terminals write them (`^G`); others by their number. */
function signOf(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(0x40 + code)}`;
  return code === 0x7f ? '^?' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
