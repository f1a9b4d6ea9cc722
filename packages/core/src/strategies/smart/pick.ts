/**
 * Takes lines by priority until the room is full: a marker is paid for each gap, a gap shorter than
 * its marker is closed, a line that would close a gap counts more, and one that is already shown
 * word for word counts less. What exact markers leave over is given out again. Units: chars and
 * lines as rendered.
 */
import type { Share } from '../../model/strategy.ts';
import { OffsetHeap } from '../../text/offset-heap.ts';
import type { Choice } from './choice.ts';
import type { LineStamp } from './kept.ts';
import { BOUND, type Columns, columnsOf, HIDDEN } from './pick-columns.ts';

/** The time stamp that is left out where the line above is shown and of the same second. */
export type StampOf<T> = (choice: T) => LineStamp | null;

const UNSTAMPED = () => null;

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
  stampOf: StampOf<T> = UNSTAMPED,
): T[] {
  let picked: T[] = [];
  let sure = 0;
  let extra = 0;
  const picking = new Picking(columnsOf(choices), share, total);
  for (let round = 0; round < ROUNDS; round++) {
    const taken = picking.run(extra);
    const tried: T[] = [];
    for (let at = 0; at < choices.length; at++) if (taken[at] === 1) tried.push(choices[at] as T);
    const left = share.chars - priceOf(tried, share, end, stampOf);
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
export function priceOf<T extends Choice>(
  picked: readonly T[],
  share: Share,
  end: Choice['end'],
  stampOf: StampOf<T> = UNSTAMPED,
): number {
  let price = 0;
  let at: Choice['end'] = { chars: 0, breaks: 0 };
  let above: LineStamp | null = null;
  for (const choice of picked) {
    price += choice.shown + gapPrice(at.chars === 0 ? 'start' : 'middle', at, choice.start, share);
    const stamp = stampOf(choice);
    if (above?.isOfRunner !== true && choice.start.chars !== at.chars) above = null;
    if (stamp !== null && stamp.second === above?.second) price -= stamp.chars;
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

/** One pick, round by round. Choices go by their place among all choices. */
class Picking {
  readonly #columns: Columns;
  readonly #share: Share;
  /** Those that count differently now than at first. */
  readonly #queue = new OffsetHeap();
  /** By place; behind the choices, what `above` and `below` say where there is no choice. */
  readonly #taken: Uint8Array;
  readonly #below: Uint32Array;
  /** By the number of a message: whether it is shown. */
  readonly #shownMessages: Uint8Array;
  #chars = 0;
  #lines = 0;
  #isFirst = true;

  constructor(columns: Columns, share: Share, total: number) {
    const { length, below, last } = columns;
    this.#columns = columns;
    this.#share = share;
    this.#taken = new Uint8Array(length + 2);
    this.#shownMessages = new Uint8Array(length + 1);
    this.#below = below;
    // What ends the part has nothing below that could be hidden.
    if (length > 0) below[length - 1] = last + 1 >= total ? length + BOUND : length + HIDDEN;
  }

  /** By place: 1 for what is taken, with so much more room. */
  run(extra: number): Uint8Array {
    const { best, priorities, length } = this.#columns;
    const queue = this.#queue;
    this.#taken.fill(0);
    this.#taken[length + BOUND] = 1;
    this.#shownMessages.fill(0);
    this.#chars = this.#share.chars + extra;
    this.#lines = this.#share.lines;
    this.#isFirst = true;
    for (let i = 0; i < length; i++) {
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
    const { priorities, messages, above } = this.#columns;
    const taken = this.#taken;
    const closes = taken[above[at] as number] === 1 && taken[this.#below[at] as number] === 1;
    const again = this.#shownMessages[messages[at] as number] === 1;
    return (priorities[at] as number) * (closes ? CLOSES_GAP : 1) * (again ? REPEATED : 1);
  }

  #consider(at: number): void {
    const { hasNoWords, lines, above } = this.#columns;
    const shown = this.#columns.shown[at] as number;
    const isAboveTaken = this.#taken[above[at] as number] as number;
    const sides = isAboveTaken + (this.#taken[this.#below[at] as number] as number);
    // An empty line says nothing alone, and one without words nothing without the line above it:
    // they are asked again once a neighbour is shown.
    if (sides === 0 && shown <= EMPTY) return;
    if (hasNoWords[at] === 1 && isAboveTaken === 0) return;
    const gaps = (this.#isFirst ? 2 : 1) - sides;
    const { gap } = this.#share;
    if (!this.#pay(shown + gaps * gap.chars, (lines[at] as number) + gaps * gap.lines)) return;
    this.#take(at);
    this.#closeGap(at, above, -1);
    this.#closeGap(at, this.#below, 1);
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
    this.#queueIfOpen(this.#columns.above[at] as number);
    this.#queueIfOpen(this.#below[at] as number);
  }

  #queueIfOpen(at: number): void {
    if (at < this.#columns.length && this.#taken[at] === 0) this.#queue.push(this.#keyOf(at), at);
  }

  /** Lines between two taken ones that cost no more than a marker are taken too. */
  #closeGap(from: number, beside: Uint32Array, direction: -1 | 1): void {
    const { gap } = this.#share;
    const { shown, length } = this.#columns;
    let between = 0;
    let chars = 0;
    let at = beside[from] as number;
    while (at < length && chars <= WORTH_CLOSING * gap.chars) {
      if (this.#taken[at] === 1) {
        if (between > 0 && this.#pay(chars - gap.chars, between - gap.lines))
          for (let i = 1; i <= between; i++) this.#take(from + i * direction);
        return;
      }
      between++;
      chars += shown[at] as number;
      at = beside[at] as number;
    }
  }
}
