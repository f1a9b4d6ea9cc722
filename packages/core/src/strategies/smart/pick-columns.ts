/**
 * What is asked of choices over and over while some are picked, in flat arrays by their places. The
 * same choices are picked from several times, with more and less room: their columns are made once.
 */
import { descending } from '../../text/descending.ts';
import type { Choice, Message } from './choice.ts';

export interface Columns {
  readonly length: number;
  /** The index of the last choice; -1 if there is none. */
  readonly last: number;
  /** The places, the best choice first; of equal ones the last. */
  readonly best: Uint32Array;
  readonly priorities: Float64Array;
  readonly shown: Float64Array;
  readonly lines: Uint32Array;
  /** The places of the lines beside them; `length + BOUND` or `length + HIDDEN` if no choice is. */
  readonly above: Uint32Array;
  readonly below: Uint32Array;
  /** The numbers of their messages; the same for the same message, 0 for none. */
  readonly messages: Uint32Array;
  readonly hasNoWords: Uint8Array;
}

/** There is no line: the part begins or ends here. */
export const BOUND = 0;
/** The line is no choice: it stays hidden. */
export const HIDDEN = 1;

const made = new WeakMap<readonly Choice[], Columns>();

export function columnsOf(choices: readonly Choice[]): Columns {
  const known = made.get(choices) ?? newColumns(choices);
  made.set(choices, known);
  return known;
}

function newColumns(choices: readonly Choice[]): Columns {
  const { length } = choices;
  const priorities = new Float64Array(length);
  const shown = new Float64Array(length);
  const lines = new Uint32Array(length);
  const above = new Uint32Array(length);
  const below = new Uint32Array(length).fill(length + HIDDEN);
  const messages = new Uint32Array(length);
  const hasNoWords = new Uint8Array(length);
  const numbers = new MessageNumbers(length);
  let last = -1;
  for (let at = 0; at < length; at++) {
    const choice = choices[at] as Choice;
    const { index, message } = choice;
    priorities[at] = choice.priority;
    shown[at] = choice.shown;
    lines[at] = choice.lines ?? 1;
    hasNoWords[at] = choice.hasNoWords === true ? 1 : 0;
    messages[at] = message === null ? 0 : numbers.of(message);
    const isBeside = at > 0 && last === index - 1;
    above[at] = isBeside ? at - 1 : length + (index === 0 ? BOUND : HIDDEN);
    if (isBeside) below[at - 1] = at;
    last = index;
  }
  const best = descending(priorities);
  return { length, last, best, priorities, shown, lines, above, below, messages, hasNoWords };
}

/** Numbers messages from 1 on, the same ones alike. */
class MessageNumbers {
  /** By their hashes: the numbers of messages, 0 for none. */
  readonly #slots: Uint32Array;
  readonly #known: Message[] = [];
  readonly #hashes: Int32Array;

  constructor(most: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * most + 2)));
    this.#hashes = new Int32Array(most);
  }

  of(message: Message): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = hashOf(message);
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot] as number;
      if (number === 0) {
        this.#hashes[this.#known.length] = hash;
        slots[slot] = this.#known.push(message);
        return this.#known.length;
      }
      if (this.#hashes[number - 1] === hash && isSame(this.#known[number - 1] as Message, message))
        return number;
    }
  }
}

/** Four bytes at a time. All of them count: lines of a log are alike but for a number somewhere. */
function hashOf({ bytes, from, to }: Message): number {
  let hash = to - from;
  let at = from;
  for (; at + 3 < to; at += 4) {
    const four =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    hash = Math.imul(hash ^ four ^ (hash >>> 15), 0x2c1b3c6d);
  }
  for (; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash;
}

function isSame(a: Message, b: Message): boolean {
  if (a.to - a.from !== b.to - b.from) return false;
  const moved = b.from - a.from;
  for (let at = a.to - 1; at >= a.from; at--) if (a.bytes[at] !== b.bytes[at + moved]) return false;
  return true;
}
