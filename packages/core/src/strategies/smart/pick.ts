/**
 * Takes lines by priority until the room is full: a marker is paid for each gap, a gap shorter than
 * its marker is closed, a line that would close a gap counts more, and one that is already shown
 * word for word counts less. What exact markers leave over is given out again. Units: chars and
 * lines as rendered.
 */
import type { Share } from '../../model/strategy.ts';
import { descending } from '../../text/descending.ts';
import { Heap } from '../../text/heap.ts';
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
  /** It only points at something in the line above, as a caret does, or rules it off. */
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
  const best = byPriority(choices);
  for (let round = 0; round < ROUNDS; round++) {
    const tried = new Picking(choices, best, share, total, extra).run();
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
  let second: string | undefined;
  for (const choice of picked) {
    price += choice.shown + gapPrice(at.chars === 0 ? 'start' : 'middle', at, choice.start, share);
    const { stamp } = choice;
    if (stamp !== undefined && stamp.second === second && choice.start.chars === at.chars)
      price -= stamp.chars;
    second = stamp?.second;
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

/** Places of choices, the best first; of equal ones the last. */
function byPriority(choices: readonly Choice[]): Uint32Array {
  const priorities = Float64Array.from(choices, ({ priority }) => priority);
  return descending(priorities);
}

/** One round. Choices go by their place among all choices. */
class Picking<T extends Choice> {
  readonly #choices: readonly T[];
  readonly #best: Uint32Array;
  readonly #share: Share;
  readonly #total: number;
  /** Those that count differently now than at first. */
  readonly #queue = new Heap<number>();
  readonly #taken: Uint8Array;
  readonly #messages = new Set<string>();
  #chars: number;
  #lines: number;
  #isFirst = true;

  constructor(choices: readonly T[], best: Uint32Array, share: Share, total: number, extra: number) {
    this.#choices = choices;
    this.#best = best;
    this.#share = share;
    this.#total = total;
    this.#taken = new Uint8Array(choices.length);
    this.#chars = share.chars + extra;
    this.#lines = share.lines;
  }

  run(): T[] {
    for (const at of this.#best) {
      const key = this.#choice(at).priority;
      let changed = this.#queue.popBefore(key, at);
      for (; changed !== undefined; changed = this.#queue.popBefore(key, at))
        this.#ask(changed.item, changed.key);
      this.#ask(at, key);
    }
    for (let last = this.#queue.pop(); last !== undefined; last = this.#queue.pop())
      this.#ask(last.item, last.key);
    return this.#choices.filter((_, at) => this.#taken[at] === 1);
  }

  #ask(at: number, key: number): void {
    if (this.#taken[at] === 1) return;
    const now = this.#keyOf(at);
    // Its neighbours changed since it was queued.
    if (now < key) this.#queue.push(now, at, at);
    else if (now === key) this.#consider(at);
  }

  #keyOf(at: number): number {
    const { priority, message } = this.#choice(at);
    const closes = this.#isTaken(at, -1) && this.#isTaken(at, 1);
    const again = message !== '' && this.#messages.has(message);
    return priority * (closes ? CLOSES_GAP : 1) * (again ? REPEATED : 1);
  }

  /** Whether the line beside a choice is taken, or there is none. */
  #isTaken(at: number, direction: -1 | 1): boolean {
    const index = this.#choice(at).index + direction;
    if (index < 0 || index >= this.#total) return true;
    return this.#taken[at + direction] === 1 && this.#choices[at + direction]?.index === index;
  }

  #consider(at: number): void {
    const { shown, lines = 1, hasNoWords = false } = this.#choice(at);
    const sides = Number(this.#isTaken(at, -1)) + Number(this.#isTaken(at, 1));
    // An empty line says nothing alone, and one without words nothing without the line above it:
    // they are asked again once a neighbour is shown.
    if (sides === 0 && shown <= EMPTY) return;
    if (hasNoWords && !this.#isTaken(at, -1)) return;
    const gaps = (this.#isFirst ? 2 : 1) - sides;
    if (!this.#pay(shown + gaps * this.#share.gap.chars, lines + gaps * this.#share.gap.lines)) return;
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
    const { message } = this.#choice(at);
    if (message !== '') this.#messages.add(message);
    for (const beside of [this.#beside(at, -1), this.#beside(at, 1)])
      if (beside !== null && this.#taken[beside] === 0) this.#queue.push(this.#keyOf(beside), beside, beside);
  }

  /** Lines between two taken ones that cost no more than a marker are taken too. */
  #closeGap(from: number, direction: -1 | 1): void {
    const { gap } = this.#share;
    const between: number[] = [];
    let chars = 0;
    let at = this.#beside(from, direction);
    while (at !== null && chars <= WORTH_CLOSING * gap.chars) {
      if (this.#taken[at] === 1) {
        if (between.length > 0 && this.#pay(chars - gap.chars, between.length - gap.lines))
          for (const index of between) this.#take(index);
        return;
      }
      between.push(at);
      chars += this.#choice(at).shown;
      at = this.#beside(at, direction);
    }
  }

  /** The choice that is the line beside another one. */
  #beside(at: number, direction: -1 | 1): number | null {
    return this.#choices[at + direction]?.index === this.#choice(at).index + direction
      ? at + direction
      : null;
  }

  #choice(at: number): T {
    return this.#choices[at] as T;
  }
}
