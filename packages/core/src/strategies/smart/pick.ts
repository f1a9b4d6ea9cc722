/**
 * Takes lines by priority until the room is full: a marker is paid for each gap, a gap shorter than its marker is closed, a line that would close a
 * gap counts more, and one that is already shown word for word counts less. What exact markers leave over is given out again.
 * Units: chars and lines as rendered.
 */
import type { Share } from '../../model/strategy.ts';
import { Heap } from './heap.ts';

/** A line as it would be shown. */
export interface Choice {
  readonly index: number;
  /** Place in the part, for the size of gaps: in chars and line ends. */
  readonly start: { readonly chars: number; readonly breaks: number };
  readonly end: { readonly chars: number; readonly breaks: number };
  readonly priority: number;
  /** Chars as shown, line end included. */
  readonly shown: number;
  /** Its text, to tell what is said twice; empty if too short to matter. */
  readonly said: string;
}

const CLOSES_GAP = 1.3;
/** A line end, of one or two chars. */
const EMPTY = 2;
const SAID_BEFORE = 0.3;
/** A gap of so many markers' length is better closed. */
const WORTH_CLOSING = 1;
const ROUNDS = 8;
/** So few chars are not worth another round. */
const LEFT_OVER = 60;

/** Some of the choices, in order. `total`: how many lines there are in all; `end`: where the part ends. */
export function pick<T extends Choice>(
  choices: readonly T[],
  share: Share,
  total: number,
  end: Choice['end'],
): T[] {
  let picked: T[] = [];
  let sure = 0;
  let extra = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const tried = new Picking(choices, share, total, extra).run();
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
function priceOf(picked: readonly Choice[], share: Share, end: Choice['end']): number {
  let price = 0;
  let at: Choice['end'] = { chars: 0, breaks: 0 };
  for (const choice of picked) {
    price += choice.shown + gapPrice(at.chars === 0 ? 'start' : 'middle', at, choice.start, share);
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

class Picking<T extends Choice> {
  readonly #share: Share;
  readonly #total: number;
  readonly #at: ReadonlyMap<number, T>;
  readonly #queue = new Heap<T>();
  readonly #taken = new Map<number, T>();
  readonly #said = new Set<string>();
  #chars: number;
  #lines: number;

  constructor(choices: readonly T[], share: Share, total: number, extra: number) {
    this.#share = share;
    this.#total = total;
    this.#at = new Map(choices.map((choice) => [choice.index, choice]));
    this.#chars = share.chars + extra;
    this.#lines = share.lines;
    for (const choice of choices) this.#queue.push(choice.priority, choice.index, choice);
  }

  run(): T[] {
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const { item, key } = next;
      if (this.#taken.has(item.index)) continue;
      const now = this.#keyOf(item);
      // Its neighbours changed since it was queued.
      if (now > key) continue;
      if (now < key) this.#queue.push(now, item.index, item);
      else this.#consider(item);
    }
    return [...this.#taken.values()].sort((a, b) => a.index - b.index);
  }

  #keyOf(choice: T): number {
    const closes = this.#isTaken(choice.index - 1) && this.#isTaken(choice.index + 1);
    const again = choice.said !== '' && this.#said.has(choice.said);
    return choice.priority * (closes ? CLOSES_GAP : 1) * (again ? SAID_BEFORE : 1);
  }

  #isTaken(index: number): boolean {
    return index < 0 || index >= this.#total || this.#taken.has(index);
  }

  #consider(choice: T): void {
    const sides = Number(this.#isTaken(choice.index - 1)) + Number(this.#isTaken(choice.index + 1));
    // An empty line says nothing alone: it is asked again once a neighbour is shown.
    if (sides === 0 && choice.shown <= EMPTY) return;
    const gaps = (this.#taken.size === 0 ? 2 : 1) - sides;
    if (!this.#pay(choice.shown + gaps * this.#share.gap.chars, 1 + gaps * this.#share.gap.lines)) return;
    this.#take(choice);
    this.#closeGap(choice.index, -1);
    this.#closeGap(choice.index, 1);
  }

  #pay(chars: number, lines: number): boolean {
    if (chars > this.#chars || lines > this.#lines) return false;
    this.#chars -= chars;
    this.#lines -= lines;
    return true;
  }

  #take(choice: T): void {
    this.#taken.set(choice.index, choice);
    if (choice.said !== '') this.#said.add(choice.said);
    for (const index of [choice.index - 1, choice.index + 1]) {
      const beside = this.#at.get(index);
      if (beside !== undefined && !this.#taken.has(index))
        this.#queue.push(this.#keyOf(beside), index, beside);
    }
  }

  /** Lines between two taken ones that cost no more than a marker are taken too. */
  #closeGap(index: number, direction: -1 | 1): void {
    const { gap } = this.#share;
    const between: T[] = [];
    let chars = 0;
    for (let at = index + direction; chars <= WORTH_CLOSING * gap.chars; at += direction) {
      if (this.#taken.has(at)) {
        if (between.length > 0 && this.#pay(chars - gap.chars, between.length - gap.lines))
          for (const choice of between) this.#take(choice);
        return;
      }
      const choice = this.#at.get(at);
      if (choice === undefined) return;
      between.push(choice);
      chars += choice.shown;
    }
  }
}
