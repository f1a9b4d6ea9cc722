/**
 * Adds the units that bring most new names for their chars, more where the call asks for them. A
 * unit without a new name is not added. A unit beside a chosen one is cheaper than one that needs a
 * marker of its own. Ties go to the earlier unit. Units: chars.
 */
import type { LineFacts, Unit, UnitChoice } from '../../model/line-grammar.ts';
import { Heap } from '../../text/heap.ts';
import { NameScan } from '../../text/name-scan.ts';

/** Consecutive units added together, with others they need. */
export interface NamedUnits {
  readonly own: readonly [number, ...number[]];
  readonly with: readonly number[];
  readonly factor: number;
}

/** The price of a gap, and the worth of a char without names. */
const GAP_CHARS = 60;
const CHAR_WORTH = 0.002;
/** The bonus for being asked for: per name, and by itself. */
const ASKED = { names: 1, alone: 0.5 };

export function fillByNames(
  choice: UnitChoice,
  candidates: readonly NamedUnits[],
  names: UnitNames,
  relevance: LineFacts['relevance'],
): void {
  names.begin(choice);
  const asked = relevance(candidates.map(({ own }) => names.bytes(own)));
  const queue = new Heap();
  const orders = new Map(candidates.flatMap(({ own }, order) => own.map((index) => [index, order])));
  const scoreOf = (order: number) => {
    const { own, factor } = candidates[order] as NamedUnits;
    const wanted = asked[order] ?? 0;
    let chars = 0;
    let worth = 0;
    for (const index of own) {
      if (choice.has(index)) continue;
      chars += choice.units[index]?.chars ?? 0;
      worth += names.worth(index);
    }
    const gain = (1 + ASKED.names * wanted) * worth + ASKED.alone * wanted + CHAR_WORTH * chars;
    const beside = Number(choice.has(own[0] - 1)) + Number(choice.has((own.at(-1) ?? own[0]) + 1));
    return (factor * gain) / Math.max(1, chars + (1 - beside) * GAP_CHARS);
  };
  const enqueue = (order: number | undefined) => {
    if (order !== undefined) queue.push(scoreOf(order), -order);
  };
  for (let order = 0; order < candidates.length; order++) enqueue(order);
  while (queue.size > 0) {
    const { key } = queue;
    const order = -queue.pop();
    const { own, with: others } = candidates[order] as NamedUnits;
    if (own.every((index) => choice.has(index) || names.worth(index) === 0)) continue;
    const score = scoreOf(order);
    if (score < key) queue.push(score, -order);
    else if (score === key && choice.add(others.length === 0 ? own : [...others, ...own])) {
      for (const each of others) names.show(each);
      for (const each of own) names.show(each);
      enqueue(orders.get(own[0] - 1));
      enqueue(orders.get((own.at(-1) ?? own[0]) + 1));
    }
  }
}

interface Names {
  readonly numbers: readonly number[];
  readonly weights: readonly number[];
}

/** The names of each unit, found once, and which of them are shown. */
export class UnitNames {
  readonly #scan = new NameScan();
  readonly #numbers = new Map<number, number>();
  readonly #found: (Names | undefined)[] = [];
  #choice: UnitChoice | undefined;
  #shown: boolean[] = [];

  begin(choice: UnitChoice): void {
    this.#choice = choice;
    this.#shown = [];
    for (let index = 0; index < choice.units.length; index++) if (choice.has(index)) this.show(index);
  }

  bytes(indices: readonly number[]): Uint8Array {
    const held = indices.flatMap((index) => this.#bytesOf(this.#choice?.units[index]));
    return held.length === 1 ? (held[0] as Uint8Array) : Buffer.concat(held);
  }

  show(index: number): void {
    for (const number of this.#of(index).numbers) this.#shown[number] = true;
  }

  worth(index: number): number {
    const { numbers, weights } = this.#of(index);
    let sum = 0;
    for (let i = 0; i < numbers.length; i++)
      if (this.#shown[numbers[i] as number] !== true) sum += weights[i] as number;
    return sum;
  }

  /** Empty if the unit can no longer be read. */
  #bytesOf(unit: Unit | undefined): Uint8Array[] {
    return unit?.isWhole === true && this.#choice !== undefined ? [this.#choice.bytesOf(unit)] : [];
  }

  #of(index: number): Names {
    const known = this.#found[index];
    if (known !== undefined) return known;
    const bytes = this.bytes([index]);
    this.#scan.scan(bytes, 0, bytes.length);
    const found = new Map<number, number>();
    for (let i = 0; i < this.#scan.count; i++) {
      const number = this.#numberOf(this.#scan.hashes[i] as number);
      found.set(number, Math.max(found.get(number) ?? 0, this.#scan.weights[i] as number));
    }
    const names = { numbers: [...found.keys()], weights: [...found.values()] };
    this.#found[index] = names;
    return names;
  }

  #numberOf(hash: number): number {
    const number = this.#numbers.get(hash) ?? this.#numbers.size;
    this.#numbers.set(hash, number);
    return number;
  }
}
