/**
 * A long string cut inside: its beginning and its end, with the chars left out between them. Cuts
 * never split an escape, a surrogate pair written as two escapes, or a character. Budget in chars
 * as written, quotes included.
 */
import type { Extent } from '../../../model/extent.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';
import { jsonGap } from '../../../wording/json-gap.ts';
import type { StringNode } from './nodes.ts';
import type { Runs } from './runs.ts';

const HEAD_SHARE = 0.7;
/** Below this the end is not worth showing. */
const SHORTEST_TAIL = 12;
/** In a tail that begins anywhere, a place is safe if so many bytes before it hold no backslash. */
const SAFE_BYTES = 12;

export function cutString(node: StringNode, budget: number, runs: Runs): void {
  const total = chars(node.tail.extentAt(node.to)) - chars(node.head.extentAt(node.from));
  const marker = jsonGap({ unit: 'char', count: total, slot: 'string' }).length;
  const room = Math.max(0, budget - 2 - marker);
  const tailRoom = Math.floor(room * (1 - HEAD_SHARE));
  const wantTail = tailRoom >= SHORTEST_TAIL;
  const headEnd = forward(
    node.head,
    node.from + 1,
    wantTail ? room - tailRoom : room,
    Math.min(node.to - 1, node.head.end),
  );
  const tailStart = wantTail ? backward(node, headEnd, tailRoom) : node.to - 1;
  runs.keep(node.head, node.from, headEnd);
  const from = node.head.extentAt(headEnd);
  const to = node.tail.extentAt(tailStart);
  runs.omit(from, to, { unit: 'char', count: to.chars - from.chars, slot: 'string' });
  runs.keep(node.tail, tailStart, node.to);
}

function chars(extent: Extent): number {
  return extent.chars;
}

/** The last safe place within so many chars. */
function forward(source: HeldBytes, from: number, maxChars: number, end: number): number {
  let at = from;
  let used = 0;
  while (at < end) {
    const length = unitLength(source, at);
    const width = source.at(at) < 0x80 ? length : length === 4 ? 2 : 1;
    if (used + width > maxChars || at + length > end) break;
    used += width;
    at += length;
  }
  return at;
}

/** The first safe place from which at most so many chars are left. */
function backward(node: StringNode, headEnd: number, maxChars: number): number {
  const { tail, head } = node;
  const end = node.to - 1;
  let at = tail === head ? headEnd : safeStart(tail, end);
  let left = chars(tail.extentAt(end)) - chars(tail.extentAt(at));
  while (at < end && left > maxChars) {
    const length = unitLength(tail, at);
    left -= tail.at(at) < 0x80 ? length : length === 4 ? 2 : 1;
    at += length;
  }
  return Math.min(at, end);
}

/**
 * In the end of a string whose middle is gone, the first place that is surely not inside an escape
 * or a character.
 */
function safeStart(tail: HeldBytes, end: number): number {
  let clear = 0;
  for (let at = tail.start.bytes; at < end; at++) {
    if (clear >= SAFE_BYTES && (tail.at(at) & 0xc0) !== 0x80) return at;
    clear = tail.at(at) === 0x5c ? 0 : clear + 1;
  }
  return end;
}

/** Bytes of the character or escape at a place; a pair of surrogate escapes is one. */
function unitLength(source: HeldBytes, at: number): number {
  const byte = source.at(at);
  if (byte === 0x5c) {
    if (source.at(at + 1) !== 0x75) return 2;
    const high = (source.at(at + 2) | 0x20) === 0x64 && isHighNibble(source.at(at + 3));
    return high && source.at(at + 6) === 0x5c && source.at(at + 7) === 0x75 ? 12 : 6;
  }
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** `8`, `9`, `a` or `b`: the second digit of a leading surrogate. */
function isHighNibble(byte: number): boolean {
  const letter = byte | 0x20;
  return byte === 0x38 || byte === 0x39 || letter === 0x61 || letter === 0x62;
}
