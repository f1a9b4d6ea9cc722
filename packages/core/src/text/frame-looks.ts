/**
 * What a frame of a line looks like: its first bytes without escape sequences. Two frames are alike
 * if they have the same letters, whatever their numbers and bars are. What is only looked at for a
 * moment is held in buffers that are used again. Units: bytes.
 */
import { ESC, escapeEnd, isFrameEnd } from './escapes.ts';

const CR = 13;
const LF = 10;
/** So much of a frame tells what it looks like. */
const LOOK_BYTES = 240;

/** Words of failure: such a frame stays even if it was erased. */
const FAILURE_WORDS =
  /error|fail|fatal|panic|exception|denied|abort|warn|cannot|can't|unable|not found|invalid|refused|killed|traceback/i;
/**
 * What progress looks like where nothing else tells that a CR draws over: `12 %`, `3/10`, `4 MB`, a
 * bar, an ETA.
 */
const PROGRESS =
  /\d\s?%|\d\s?\/\s?\d|\d\s?[KMGT]?i?B(?:\/s)?\b|\bETA\b|\d of \d|[[(|][=#.>\- *]{3,}|\xe2(?:[\x94-\x96]|[\xa0-\xa3])[\x80-\xbf]/;

/** A frame as it is compared with the next: its first bytes without sequences. */
export interface Look {
  readonly from: number;
  readonly to: number;
  /** Bytes that are seen of it, up to `MANY`. */
  readonly visible: number;
  /**
   * Its first letters; null where it has neither letters nor digits, undefined until somebody asks.
   */
  shape: string | null | undefined;
}

/** Frames with fewer bytes are like nothing. */
const MANY = 3;
const MOST_LETTERS = 24;
/** The first bytes of a frame, without sequences, used again for each; and letters of it. */
const shown = Buffer.alloc(2 * LOOK_BYTES);
const letters = Buffer.alloc(MOST_LETTERS);

export function lookOf(bytes: Uint8Array, from: number, to: number): Look {
  let visible = 0;
  for (let at = from; at < to && visible < MANY; ) {
    const byte = bytes[at];
    if (byte === CR || byte === LF) break;
    if (byte === ESC) {
      const end = escapeEnd(bytes, at, to);
      if (visible > 0 && isFrameEnd(bytes, at, end)) break;
      at = end;
    } else {
      visible++;
      at++;
    }
  }
  return { from, to, visible, shape: undefined };
}

function shapeOf(bytes: Uint8Array, look: Look): string | null {
  if (look.shape !== undefined) return look.shape;
  const length = show(bytes, look.from, look.to);
  let count = 0;
  let hasDigit = false;
  for (let at = 0; at < length && count < MOST_LETTERS; at++) {
    const byte = shown[at] as number;
    if (byte === 0xe2 && isDrawn(at, length)) at += 2;
    else if (byte >= 0x80 || isLetter(byte)) letters[count++] = byte;
    else if (byte >= 0x30 && byte <= 0x39) hasDigit = true;
  }
  look.shape = count === 0 ? (hasDigit ? '' : null) : letters.toString('latin1', 0, count);
  return look.shape;
}

/** Whether a frame speaks of a failure. */
export function speaksOfFailure(bytes: Uint8Array, { from, to }: Look): boolean {
  return FAILURE_WORDS.test(textOf(bytes, from, to));
}

/** Whether it looks like progress. */
export function isProgress(bytes: Uint8Array, { from, to }: Look): boolean {
  return PROGRESS.test(textOf(bytes, from, to));
}

/** Whether the second one draws the same as the first, apart from numbers and bars. */
export function isAlike(bytes: Uint8Array, a: Look, b: Look): boolean {
  if (b.visible < MANY) return false;
  const shape = shapeOf(bytes, a);
  return shape !== null && shape === shapeOf(bytes, b);
}

/** The same bytes as text, for patterns. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  return shown.toString('latin1', 0, show(bytes, from, to));
}

/** Puts what is seen first of a frame into `shown`; how many bytes that is. */
function show(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to && count < LOOK_BYTES; ) {
    const byte = bytes[at];
    if (byte === CR || byte === LF) break;
    if (byte === ESC) {
      const end = escapeEnd(bytes, at, to);
      if (count > 0 && isFrameEnd(bytes, at, end)) break;
      at = end;
      continue;
    }
    const most = Math.min(to, at + LOOK_BYTES);
    do shown[count++] = bytes[at++] as number;
    while (at < most && !isEnd(bytes[at]));
  }
  return count;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Bars, boxes and spinners: three bytes each. */
function isDrawn(at: number, end: number): boolean {
  if (at + 2 >= end) return false;
  const second = shown[at + 1] as number;
  const isKind = (second >= 0x94 && second <= 0x96) || (second >= 0xa0 && second <= 0xa3);
  return isKind && ((shown[at + 2] as number) & 0xc0) === 0x80;
}

function isEnd(byte: number | undefined): boolean {
  return byte === ESC || byte === CR || byte === LF;
}
