/**
 * Adds the spans that bring most new names for their chars, more where the call asks for them. A
 * span without a new name is not added. A span beside a chosen one is cheaper than one that needs a
 * marker of its own. Ties go to the earlier span. Units: chars.
 */
import { Heap } from '../../text/heap.ts';
import { NameScan } from '../../text/name-scan.ts';
import type { Query } from '../../text/query.ts';
import type { Choice } from './choice.ts';
import type { Span } from './span.ts';

/** Spans in a row that are added together, with others that they mean nothing without. */
export interface NamedSpans {
  readonly own: readonly [number, ...number[]];
  readonly with: readonly number[];
  /** What their names count. */
  readonly factor: number;
}

/** What a gap counts, and what a char is worth without any name. */
const GAP_CHARS = 60;
const CHAR_WORTH = 0.002;
/** What being asked for counts: for each name, and by itself. */
const ASKED = { names: 1, alone: 0.5 };

export function fillByNames(
  choice: Choice,
  candidates: readonly NamedSpans[],
  bytesOf: (span: Span) => Uint8Array,
  query: Query,
): void {
  const names = new SpanNames(choice, bytesOf);
  const asked = query.relevance(candidates.map(({ own }) => names.bytes(own)));
  const queue = new Heap<number>();
  const orders = new Map(candidates.flatMap(({ own }, order) => own.map((index) => [index, order])));
  const scoreOf = (order: number) => {
    const { own, factor } = candidates[order] as NamedSpans;
    const wanted = asked[order] ?? 0;
    const missing = own.filter((index) => !choice.has(index));
    const chars = missing.reduce((sum, index) => sum + (choice.spans[index]?.chars ?? 0), 0);
    const worth = missing.reduce((sum, index) => sum + names.worth(index), 0);
    const gain = (1 + ASKED.names * wanted) * worth + ASKED.alone * wanted + CHAR_WORTH * chars;
    const isBeside = [own[0] - 1, (own.at(-1) ?? own[0]) + 1].filter((index) => choice.has(index));
    return (factor * gain) / Math.max(1, chars + (1 - isBeside.length) * GAP_CHARS);
  };
  const enqueue = (order: number | undefined) => {
    if (order !== undefined) queue.push(scoreOf(order), -order, order);
  };
  for (let order = 0; order < candidates.length; order++) enqueue(order);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { own, with: others } = candidates[next.item] as NamedSpans;
    if (own.every((index) => choice.has(index) || names.worth(index) === 0)) continue;
    const score = scoreOf(next.item);
    if (score < next.key) queue.push(score, -next.item, next.item);
    else if (score === next.key && choice.add([...others, ...own])) {
      for (const each of [...others, ...own]) names.show(each);
      enqueue(orders.get(own[0] - 1));
      enqueue(orders.get((own.at(-1) ?? own[0]) + 1));
    }
  }
}

/** The names of each span, and which of them are shown. */
class SpanNames {
  readonly #choice: Choice;
  readonly #bytesOf: (span: Span) => Uint8Array;
  readonly #scan = new NameScan();
  readonly #shown = new Set<number>();
  readonly #found = new Map<number, ReadonlyMap<number, number>>();

  constructor(choice: Choice, bytesOf: (span: Span) => Uint8Array) {
    this.#choice = choice;
    this.#bytesOf = bytesOf;
    choice.spans.forEach((_, index) => {
      if (choice.has(index)) this.show(index);
    });
  }

  bytes(indices: readonly number[]): Uint8Array {
    const spans = indices.flatMap((index) => this.#choice.spans[index] ?? []);
    return Buffer.concat(spans.filter(({ state }) => state !== 'dropped').map(this.#bytesOf));
  }

  show(index: number): void {
    for (const hash of this.#of(index).keys()) this.#shown.add(hash);
  }

  /** What its names weigh that are not shown yet. */
  worth(index: number): number {
    let sum = 0;
    for (const [hash, weight] of this.#of(index)) if (!this.#shown.has(hash)) sum += weight;
    return sum;
  }

  #of(index: number): ReadonlyMap<number, number> {
    const known = this.#found.get(index);
    if (known !== undefined) return known;
    const bytes = this.bytes([index]);
    this.#scan.scan(bytes, 0, bytes.length);
    const found = new Map<number, number>();
    for (let i = 0; i < this.#scan.count; i++) {
      const hash = this.#scan.hashes[i] as number;
      found.set(hash, Math.max(found.get(hash) ?? 0, this.#scan.weights[i] as number));
    }
    this.#found.set(index, found);
    return found;
  }
}
