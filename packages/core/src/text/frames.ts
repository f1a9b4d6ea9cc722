/**
 * What of one line of terminal output is formatting: escape sequences, and frames that were drawn
 * over, as progress bars do. A frame ends with a lone CR, or with a sequence that goes back to the
 * first column or erases the line. It is formatting if it was erased, or if the next frame looks
 * like it apart from numbers and bars. A frame that was erased but speaks of a failure stays.
 * Units: bytes.
 */
import { ESC, effectOf, escapeEnd, isFrameEnd } from './escapes.ts';

export interface FormattingRange {
  readonly from: number;
  readonly to: number;
}

export interface Line {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Offsets of ESC and lone CR; this line has `first` up to `last`. */
  readonly controls: Int32Array;
  readonly first: number;
  readonly last: number;
  /** Lookahead bytes of the line. */
  readonly seenTo: number;
  /** CR surely means "draw over": other lines end with LF. */
  readonly drawsOver: boolean;
  /**
   * What went before in the same line: the start of its first frame, which stays, or other frames.
   */
  readonly continues: 'frame' | 'line' | null;
}

const CR = 13;
const LF = 10;

interface Frame {
  readonly from: number;
  readonly end: number;
  readonly next: number;
  readonly byReturn: boolean;
  erased: boolean;
}

/**
 * For a line drawn once: gives its escape sequences to `leaveOut`, in order, joined. False if it
 * has frames. Allocates nothing: there are many such lines.
 */
export function leaveOutEscapes(
  { bytes, from, to, controls, first, last, seenTo }: Line,
  kept: { leaveOut(from: number, to: number): void },
): boolean {
  let count = 0;
  let at = from;
  for (let i = first; i < last; i++) {
    const offset = controls[i] as number;
    if (offset < at) continue;
    if (bytes[offset] === CR) {
      // Returns before the line end (CR CR LF) draw over nothing.
      if (seenTo === to && isLineEnd(bytes, offset, to)) break;
      return false;
    }
    const end = Math.min(to, escapeEnd(bytes, offset, seenTo));
    if (isFrameEnd(bytes, offset, end)) return false;
    if (count > 0 && escapes[count - 1] === offset) escapes[count - 1] = end;
    else {
      escapes[count++] = offset;
      escapes[count++] = end;
    }
    at = end;
  }
  for (let i = 0; i < count; i += 2) {
    const [start, end] = [escapes[i] as number, escapes[i + 1] as number];
    if (end > start && mayGo(bytes, start, end)) kept.leaveOut(start, end);
  }
  // Release the memory of a very long line.
  if (escapes.length > MOST_REUSED) escapes.length = MOST_REUSED;
  return true;
}

function isLineEnd(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== CR && bytes[at] !== LF) return false;
  return true;
}

/** Start and end of sequences; reused. */
const escapes: number[] = [];
const MOST_REUSED = 4_096;

/** In order, joined. */
export function formattingIn(line: Line): FormattingRange[] {
  const { bytes, to, controls, first, last, seenTo } = line;
  const frames: Frame[] = [];
  const escapes: FormattingRange[] = [];
  let start = line.from;
  let at = start;
  let hasText = false;
  for (let i = first; i < last; i++) {
    const offset = controls[i] as number;
    if (offset < at) continue;
    if (offset > at) hasText = true;
    if (bytes[offset] === CR) {
      frames.push({ from: start, end: offset, next: offset + 1, byReturn: true, erased: false });
      start = at = offset + 1;
      hasText = false;
      continue;
    }
    at = Math.min(to, escapeEnd(bytes, offset, seenTo));
    const does = effectOf(bytes, offset, at);
    // After a return, erasing to the right erases all.
    if (does === 'erase' || (does === 'erase right' && !hasText)) eraseAll(frames);
    if (does === 'home' || does === 'erase') {
      frames.push({ from: start, end: offset, next: at, byReturn: false, erased: does === 'erase' });
      start = at;
      hasText = false;
    }
    escapes.push({ from: offset, to: at });
  }
  if (at < to) hasText = true;
  if (frames.length === 0) return joined(bytes, escapes);
  if (!hasText && erasesNext(bytes, to, seenTo)) eraseAll(frames);
  const gone = goneFrames(bytes, frames, lookOf(bytes, start, seenTo), line);
  return joined(
    bytes,
    [...gone, ...escapes].sort((a, b) => a.from - b.from || a.to - b.to),
  );
}

/** From the start of the line; a CR goes only with all before it. */
function goneFrames(
  bytes: Uint8Array,
  frames: readonly Frame[],
  last: Look,
  { drawsOver, continues }: Pick<Line, 'drawsOver' | 'continues'>,
): FormattingRange[] {
  const ranges: FormattingRange[] = [];
  let isClear = continues === null;
  const looks = frames.map(({ from, end }) => lookOf(bytes, from, end));
  // Compared with the next frame that shows something.
  const following: Look[] = [];
  let look = last;
  for (let i = frames.length - 1; i >= 0; i--) {
    following[i] = look;
    const own = looks[i] as Look;
    if (own.visible > 0) look = own;
  }
  frames.forEach((frame, i) => {
    const own = looks[i] as Look;
    const next = following[i] as Look;
    const isShown = i === 0 && continues === 'frame';
    const isGone = !isShown && (own.visible === 0 || isDrawnOver(bytes, frame, own, next, drawsOver));
    if (isGone && own.visible > 0) ranges.push({ from: frame.from, to: frame.end });
    if (!isGone) isClear = false;
    if (!frame.byReturn) return;
    // Empty lines of CR texts stay.
    const goesToo = isGone && isClear && (own.visible > 0 || (drawsOver && next.visible > 0));
    if (goesToo) ranges.push({ from: frame.from, to: frame.next });
    isClear = true;
  });
  return ranges;
}

function isDrawnOver(
  bytes: Uint8Array,
  { erased, byReturn }: Frame,
  own: Look,
  next: Look,
  drawsOver: boolean,
): boolean {
  if (erased && !speaksOfFailure(bytes, own)) return true;
  return isAlike(bytes, own, next) && (drawsOver || !byReturn || isProgress(bytes, own));
}

function erasesNext(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to && bytes[at] === ESC; ) {
    const end = escapeEnd(bytes, at, to);
    const does = effectOf(bytes, at, end);
    if (does === 'erase' || does === 'erase right') return true;
    at = end;
  }
  return false;
}

function eraseAll(frames: Frame[]): void {
  for (let i = frames.length - 1; i >= 0; i--) {
    const frame = frames[i] as Frame;
    if (frame.erased) return;
    frame.erased = true;
  }
}

/** Null if none ends there. */
export function lastFrameEnd(
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly at: number; readonly byReturn: boolean } | null {
  const range = bytes.subarray(0, to);
  const returned = range.lastIndexOf(CR);
  const byReturn = returned >= from && bytes[returned + 1] !== LF ? returned + 1 : 0;
  for (let at = range.lastIndexOf(ESC); at >= Math.max(from, byReturn); at = range.lastIndexOf(ESC, at - 1)) {
    const end = escapeEnd(bytes, at);
    const does = effectOf(bytes, at, end);
    if ((does === 'home' || does === 'erase') && end <= to) return { at: end, byReturn: false };
    if (at === 0) break;
  }
  return byReturn === 0 ? null : { at: byReturn, byReturn: true };
}

function joined(bytes: Uint8Array, ranges: readonly FormattingRange[]): FormattingRange[] {
  const all: FormattingRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last !== undefined && range.from <= last.to)
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else all.push(range);
  }
  return all.filter(({ from, to }) => to > from && mayGo(bytes, from, to));
}

/** Must not join line ends or characters. */
function mayGo(bytes: Uint8Array, from: number, to: number): boolean {
  const after = bytes[to] ?? 0;
  if ((after & 0xc0) === 0x80) return false;
  return !(after === LF && bytes[from - 1] === CR);
}

/** Bytes of a frame that are compared. */
const LOOK_BYTES = 240;

/** An erased frame with such a word stays. */
const FAILURE_WORDS =
  /error|fail|fatal|panic|exception|denied|abort|warn|cannot|can't|unable|not found|invalid|refused|killed|traceback/i;
/** Progress without other evidence: `12 %`, `3/10`, `4 MB`, a bar, an ETA. */
const PROGRESS =
  /\d\s?%|\d\s?\/\s?\d|\d\s?[KMGT]?i?B(?:\/s)?\b|\bETA\b|\d of \d|[[(|][=#.>\- *]{3,}|\xe2(?:[\x94-\x96]|[\xa0-\xa3])[\x80-\xbf]/;

/** The first bytes of a frame, without sequences. */
interface Look {
  readonly from: number;
  readonly to: number;
  /** Up to `MANY`. */
  readonly visible: number;
  /** First letters; null without letters or digits; undefined until asked. */
  shape: string | null | undefined;
}

/** Shorter frames match nothing. */
const MANY = 3;
const MOST_LETTERS = 24;
/** Reused buffers. */
const shown = Buffer.alloc(2 * LOOK_BYTES);
const letters = Buffer.alloc(MOST_LETTERS);

function lookOf(bytes: Uint8Array, from: number, to: number): Look {
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

function speaksOfFailure(bytes: Uint8Array, { from, to }: Look): boolean {
  return FAILURE_WORDS.test(textOf(bytes, from, to));
}

function isProgress(bytes: Uint8Array, { from, to }: Look): boolean {
  return PROGRESS.test(textOf(bytes, from, to));
}

/** Apart from numbers and bars. */
function isAlike(bytes: Uint8Array, a: Look, b: Look): boolean {
  if (b.visible < MANY) return false;
  const shape = shapeOf(bytes, a);
  return shape !== null && shape === shapeOf(bytes, b);
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return shown.toString('latin1', 0, show(bytes, from, to));
}

/** Returns the number of bytes. */
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

function isDrawn(at: number, end: number): boolean {
  if (at + 2 >= end) return false;
  const second = shown[at + 1] as number;
  const isKind = (second >= 0x94 && second <= 0x96) || (second >= 0xa0 && second <= 0xa3);
  return isKind && ((shown[at + 2] as number) & 0xc0) === 0x80;
}

function isEnd(byte: number | undefined): boolean {
  return byte === ESC || byte === CR || byte === LF;
}
