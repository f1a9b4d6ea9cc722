/**
 * Takes lines by priority until the room is full: a marker is paid for each gap, a gap shorter than
 * its marker is closed, a line that would close a gap counts more, and one that is already shown
 * word for word counts less. What exact markers leave over is given out again. Units: chars and
 * lines as rendered.
 */
import type { Share } from '../../model/strategy.ts';
import { descending } from '../../text/descending.ts';
import { OffsetHeap } from '../../text/offset-heap.ts';
import type { LineStamp } from './kept.ts';

/** A line as it would be shown. */
export interface Choice {
  readonly index: number;
  /** Place in the part, for the size of gaps: in chars and line ends. */
  readonly start: { readonly chars: number; readonly breaks: number };
  readonly end: { readonly chars: number; readonly breaks: number };
  readonly priority: number;
  /** Chars as shown, line end included. */
  readonly shown: number;
  /** Lines as shown, where it is not one. */
  readonly lines?: number;
  /** Its text, to tell what is said twice; empty if too short to matter. */
  readonly message: string;
  /** It only points at something in the line above, as a caret does, rules it off, or is blank. */
  readonly hasNoWords?: boolean;
  /** The time stamp that is left out where the line above is shown and of the same second. */
  readonly stamp?: LineStamp;
}

const CLOSES_GAP = 1.3;
/** A line end, of one or two chars. */
const EMPTY = 2;
const REPEATED = 0.3;
/** A gap of so many markers' length is better closed. */
const WORTH_CLOSING = 1;
const ROUNDS = 8;
/** So few chars are not worth another round. */
const LEFT_OVER = 60;

/**
 * Some of the choices, which are in order. `total`: how many lines there are in all; `end`: where
 * the part ends.
 */
export function pick<T extends Choice>(
  choices: readonly T[],
  share: Share,
  total: number,
  end: Choice['end'],
): T[] {
  let picked: T[] = [];
  let sure = 0;
  let extra = 0;
  const columns = columnsOf(choices);
  for (let round = 0; round < ROUNDS; round++) {
    const taken = new Picking(columns, share, total, extra).run();
    const tried = choices.filter((_, at) => taken[at] === 1);
    const left = share.chars - priceOf(tried, share, end);
    if (left < 0) {
      extra = Math.floor((sure + extra) / 2);
      if (extra === sure) break;
      continue;
    }
    picked = tried;
    sure = extra;
    extra += left;
    if (left < LEFT_OVER) break;
  }
  return picked;
}

/** What a choice costs as rendered, every marker with its own numbers. */
export function priceOf(picked: readonly Choice[], share: Share, end: Choice['end']): number {
  let price = 0;
  let at: Choice['end'] = { chars: 0, breaks: 0 };
  let above: LineStamp | undefined;
  for (const choice of picked) {
    price += choice.shown + gapPrice(at.chars === 0 ? 'start' : 'middle', at, choice.start, share);
    const { stamp } = choice;
    if (above?.isOfRunner !== true && choice.start.chars !== at.chars) above = undefined;
    if (stamp !== undefined && stamp.second === above?.second) price -= stamp.chars;
    above = stamp;
    at = choice.end;
  }
  return price + gapPrice('end', at, end, share);
}

/** What the marker of a gap costs. */
export function gapPrice(
  position: 'start' | 'middle' | 'end',
  from: Choice['end'],
  to: Choice['end'],
  { gap }: Pick<Share, 'gap'>,
): number {
  const chars = to.chars - from.chars;
  if (chars === 0) return 0;
  return gap.exactly?.(position, to.breaks - from.breaks, chars) ?? gap.chars;
}

/** What is asked of choices over and over, by their places. */
interface Columns {
  /** The places, the best choice first; of equal ones the last. */
  readonly best: Uint32Array;
  readonly priorities: Float64Array;
  readonly indexes: Uint32Array;
  readonly shown: Float64Array;
  readonly lines: Uint32Array;
  /** The numbers of their messages; the same for the same message, 0 for none. */
  readonly messages: Uint32Array;
  readonly hasNoWords: Uint8Array;
}

/** The same choices are picked from several times, with more and less room. */
const made = new WeakMap<readonly Choice[], Columns>();

function columnsOf(choices: readonly Choice[]): Columns {
  const known = made.get(choices) ?? newColumns(choices);
  made.set(choices, known);
  return known;
}

function newColumns(choices: readonly Choice[]): Columns {
  const { length } = choices;
  const columns = {
    priorities: new Float64Array(length),
    indexes: new Uint32Array(length),
    shown: new Float64Array(length),
    lines: new Uint32Array(length),
    messages: new Uint32Array(length),
    hasNoWords: new Uint8Array(length),
  };
  const numbers = new Map([['', 0]]);
  for (let at = 0; at < length; at++) {
    const { priority, index, shown, lines = 1, message, hasNoWords = false } = choices[at] as Choice;
    const number = numbers.get(message) ?? numbers.size;
    if (number === numbers.size) numbers.set(message, number);
    columns.priorities[at] = priority;
    columns.indexes[at] = index;
    columns.shown[at] = shown;
    columns.lines[at] = lines;
    columns.messages[at] = number;
    columns.hasNoWords[at] = hasNoWords ? 1 : 0;
  }
  return { ...columns, best: descending(columns.priorities) };
}

/** One round. Choices go by their place among all choices. */
class Picking {
  readonly #columns: Columns;
  readonly #share: Share;
  readonly #total: number;
  /** Those that count differently now than at first. */
  readonly #queue = new OffsetHeap();
  readonly #taken: Uint8Array;
  /** By the number of a message: whether it is shown. */
  readonly #shownMessages: Uint8Array;
  #chars: number;
  #lines: number;
  #isFirst = true;

  constructor(columns: Columns, share: Share, total: number, extra: number) {
    this.#columns = columns;
    this.#share = share;
    this.#total = total;
    this.#taken = new Uint8Array(columns.best.length);
    this.#shownMessages = new Uint8Array(columns.best.length + 1);
    this.#chars = share.chars + extra;
    this.#lines = share.lines;
  }

  /** By place: 1 for what is taken. */
  run(): Uint8Array {
    const { best, priorities } = this.#columns;
    const queue = this.#queue;
    for (let i = 0; i < best.length; i++) {
      const at = best[i] as number;
      const key = priorities[at] as number;
      while (queue.isBefore(key, at)) this.#askNext();
      this.#ask(at, key);
    }
    while (queue.size > 0) this.#askNext();
    return this.#taken;
  }

  #askNext(): void {
    const key = this.#queue.key;
    this.#ask(this.#queue.pop(), key);
  }

  #ask(at: number, key: number): void {
    if (this.#taken[at] === 1) return;
    const now = this.#keyOf(at);
    // Its neighbours changed since it was queued.
    if (now < key) this.#queue.push(now, at);
    else if (now === key) this.#consider(at);
  }

  #keyOf(at: number): number {
    const closes = this.#isTaken(at, -1) && this.#isTaken(at, 1);
    const again = this.#shownMessages[this.#columns.messages[at] as number] === 1;
    return (this.#columns.priorities[at] as number) * (closes ? CLOSES_GAP : 1) * (again ? REPEATED : 1);
  }

  /** Whether the line beside a choice is taken, or there is none. */
  #isTaken(at: number, direction: -1 | 1): boolean {
    const { indexes } = this.#columns;
    const index = (indexes[at] as number) + direction;
    if (index < 0 || index >= this.#total) return true;
    return this.#taken[at + direction] === 1 && indexes[at + direction] === index;
  }

  #consider(at: number): void {
    const { hasNoWords, lines } = this.#columns;
    const shown = this.#columns.shown[at] as number;
    const isAboveTaken = this.#isTaken(at, -1);
    const sides = (isAboveTaken ? 1 : 0) + (this.#isTaken(at, 1) ? 1 : 0);
    // An empty line says nothing alone, and one without words nothing without the line above it:
    // they are asked again once a neighbour is shown.
    if (sides === 0 && shown <= EMPTY) return;
    if (hasNoWords[at] === 1 && !isAboveTaken) return;
    const gaps = (this.#isFirst ? 2 : 1) - sides;
    const { gap } = this.#share;
    if (!this.#pay(shown + gaps * gap.chars, (lines[at] as number) + gaps * gap.lines)) return;
    this.#take(at);
    this.#closeGap(at, -1);
    this.#closeGap(at, 1);
  }

  #pay(chars: number, lines: number): boolean {
    if (chars > this.#chars || lines > this.#lines) return false;
    this.#chars -= chars;
    this.#lines -= lines;
    return true;
  }

  #take(at: number): void {
    this.#isFirst = false;
    this.#taken[at] = 1;
    const message = this.#columns.messages[at] as number;
    if (message !== 0) this.#shownMessages[message] = 1;
    this.#queueBeside(at, -1);
    this.#queueBeside(at, 1);
  }

  #queueBeside(at: number, direction: -1 | 1): void {
    const beside = this.#beside(at, direction);
    if (beside >= 0 && this.#taken[beside] === 0) this.#queue.push(this.#keyOf(beside), beside);
  }

  /** Lines between two taken ones that cost no more than a marker are taken too. */
  #closeGap(from: number, direction: -1 | 1): void {
    const { gap } = this.#share;
    const { shown } = this.#columns;
    let between = 0;
    let chars = 0;
    let at = this.#beside(from, direction);
    while (at >= 0 && chars <= WORTH_CLOSING * gap.chars) {
      if (this.#taken[at] === 1) {
        if (between > 0 && this.#pay(chars - gap.chars, between - gap.lines))
          for (let i = 1; i <= between; i++) this.#take(from + i * direction);
        return;
      }
      between++;
      chars += shown[at] as number;
      at = this.#beside(at, direction);
    }
  }

  /** The choice that is the line beside another one; -1 if there is none. */
  #beside(at: number, direction: -1 | 1): number {
    const { indexes } = this.#columns;
    return indexes[at + direction] === (indexes[at] as number) + direction ? at + direction : -1;
  }
}
