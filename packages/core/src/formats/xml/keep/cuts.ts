/**
 * A long text, CDATA section or value cut inside: its beginning and its end, with the chars left
 * out between them. Cuts never split a reference, a character, CRLF, or a grapheme where it can be
 * helped, and fall on a line end if one is near. Units: chars as written.
 */
import { cutAfter, cutBefore, lineEndBefore, lineStartAfter } from '../../../text/cut.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';
import { measure, step } from '../../../text/utf8.ts';
import { xmlGap } from '../../../wording/xml-gap.ts';
import { isNameByte } from '../bytes.ts';
import type { XmlRuns } from './runs.ts';
import { referenceEnd } from './tags.ts';

export interface Cuttable {
  /** Holds the beginning, and the end. */
  readonly head: HeldBytes;
  readonly tail: HeldBytes;
  /** What may be cut. */
  readonly from: number;
  readonly to: number;
  /** Whether `&` begins something that is not to be split. */
  readonly references: boolean;
  /** Whether a reference may be shown. */
  readonly allows: (bytes: Uint8Array) => boolean;
}

const HEAD_SHARE = 0.7;
/** Below this the end is not worth showing. */
const SHORTEST_TAIL = 12;
/** Cuts move to a line end that is nearer than this share of what is shown. */
const SLACK = 0.02;
const LONGEST_REFERENCE = 258;

/** What the marker costs at the most. */
export function cutPrice(chars: number): number {
  return xmlGap({ unit: 'char', count: chars, slot: 'text' }).length;
}

/** Shows within a budget what lies between `from` and `to`. */
export function cutInside(text: Cuttable, budget: number, runs: XmlRuns): void {
  const { head, tail, from, to } = text;
  const total = tail.extentAt(to).chars - head.extentAt(from).chars;
  const room = Math.max(0, budget - cutPrice(total));
  const tailRoom = Math.floor(room * (1 - HEAD_SHARE));
  const wantTail = tailRoom >= SHORTEST_TAIL;
  const headEnd = endOfHead(text, wantTail ? room - tailRoom : room);
  const tailStart = wantTail ? startOfTail(text, headEnd, tailRoom) : to;
  runs.keep(head, from, headEnd);
  const left = head.extentAt(headEnd);
  const right = tail.extentAt(tailStart);
  runs.omit(left, right, { unit: 'char', count: right.chars - left.chars, slot: 'text' });
  runs.keep(tail, tailStart, to);
}

function endOfHead(text: Cuttable, room: number): number {
  const { head, from } = text;
  const base = head.start.bytes;
  const reached = forward(text, from, room);
  const line = lineEndBefore(
    head.bytes,
    Math.max(from, reached - Math.ceil(room * SLACK)) - base,
    reached - base,
  );
  if (line !== undefined) return base + line;
  const safe = base + cutBefore(head.bytes, reached - base);
  // Inside a grapheme there may be the end of a reference.
  return safe >= reached
    ? reached
    : forward(text, from, head.extentAt(Math.max(from, safe)).chars - head.extentAt(from).chars);
}

/** The last place that units reach within so many chars. */
function forward(text: Cuttable, from: number, maxChars: number): number {
  const end = Math.min(text.to, text.head.end);
  let at = from;
  let used = 0;
  while (at < end) {
    const { length, width } = unitAt(text, text.head, at, end);
    if (length <= 0 || used + width > maxChars) break;
    used += width;
    at += length;
  }
  return at;
}

function startOfTail(text: Cuttable, headEnd: number, room: number): number {
  const { head, tail, to } = text;
  const base = tail.start.bytes;
  const first = tail === head ? headEnd : safeStart(text);
  const total = tail.extentAt(to).chars;
  const wanted = backTo(text, first, total, room, 0);
  const line = lineStartAfter(
    tail.bytes,
    wanted - base,
    Math.min(to, wanted + Math.ceil(room * SLACK)) - base,
  );
  if (line !== undefined && line > 0) return backTo(text, first, total, room, base + line);
  return backTo(text, first, total, room, base + cutAfter(tail.bytes, wanted - base));
}

/**
 * The first place, at or behind `least`, from which at most so many chars are left and all of them
 * may be shown.
 */
function backTo(text: Cuttable, first: number, total: number, room: number, least: number): number {
  const { tail, to } = text;
  let at = first;
  let start = first;
  let left = total - tail.extentAt(first).chars;
  while (at < to) {
    const { length, width } = unitAt(text, tail, at, to);
    at += Math.max(1, Math.abs(length));
    if (length > 0 && left <= room && start >= least) continue;
    left -= width;
    start = at;
    // What lies behind a reference that may not be shown is counted from there.
    if (length > 0) continue;
    left = total - tail.extentAt(Math.min(at, to)).chars;
  }
  return Math.min(start, to);
}

/** In an end whose beginning is gone, the first place that is surely not inside a reference. */
function safeStart({ tail, to, references }: Cuttable): number {
  if (!references) return tail.start.bytes;
  for (let at = tail.start.bytes; at < to; at++) {
    const byte = tail.at(at);
    if (byte === 0x26) return at;
    if (at - tail.start.bytes > LONGEST_REFERENCE && (byte & 0xc0) !== 0x80) return at;
    if (!isNameByte(byte) && byte !== 0x23)
      return byte === 0x0d && tail.at(at + 1) === 0x0a ? at + 2 : at + 1;
  }
  return to;
}

/**
 * The character, CRLF or reference at a place: bytes (0: it is cut off; negative: not to be shown)
 * and chars.
 */
function unitAt(
  text: Cuttable,
  source: HeldBytes,
  at: number,
  end: number,
): { length: number; width: number } {
  const byte = source.at(at);
  if (byte === 0x26 && text.references) return referenceAt(text, source, at, end);
  if (byte === 0x0d && at + 1 < end && source.at(at + 1) === 0x0a) return { length: 2, width: 2 };
  if (byte < 0x80) return { length: 1, width: 1 };
  const base = source.start.bytes;
  const length = step(source.bytes, at - base, end - base);
  if (length === 0) return end < text.to ? { length: 0, width: 0 } : { length: end - at, width: 1 };
  return { length: Math.abs(length), width: length === 4 ? 2 : 1 };
}

function referenceAt(
  text: Cuttable,
  source: HeldBytes,
  at: number,
  end: number,
): { length: number; width: number } {
  const base = source.start.bytes;
  const close = referenceEnd(source.bytes, at - base, end - base);
  if (close < 0) return { length: end < text.to && end - at < LONGEST_REFERENCE ? 0 : 1, width: 1 };
  const length = close - (at - base);
  const { chars: width } = measure(source.bytes, at - base, close);
  return { length: text.allows(source.slice(at, at + length)) ? length : -length, width };
}
