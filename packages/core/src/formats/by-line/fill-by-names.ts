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

/** A span that may be added, with others that it means nothing without. */
export interface NamedSpan {
  readonly index: number;
  readonly with: readonly number[];
  /** What its names count. */
  readonly factor: number;
}

/** What a gap counts, and what a char is worth without any name. */
const GAP_CHARS = 60;
const CHAR_WORTH = 0.002;
/** What being asked for counts: for each name, and by itself. */
const ASKED = { names: 1, alone: 0.5 };

export function fillByNames(
  choice: Choice,
  candidates: readonly NamedSpan[],
  bytesOf: (span: Span) => Uint8Array,
  query: Query,
): void {
  const names = new SpanNames(choice, bytesOf);
  const asked = query.relevance(candidates.map(({ index }) => names.bytes(index)));
  const queue = new Heap<number>();
  const places = new Map(candidates.map(({ index }, place) => [index, place]));
  const scoreOf = (place: number) => {
    const { index, factor } = candidates[place] as NamedSpan;
    const chars = choice.spans[index]?.chars ?? 0;
    const wanted = asked[place] ?? 0;
    const gain = (1 + ASKED.names * wanted) * names.worth(index) + ASKED.alone * wanted + CHAR_WORTH * chars;
    const gaps = 1 - Number(choice.has(index - 1)) - Number(choice.has(index + 1));
    return (factor * gain) / Math.max(1, chars + gaps * GAP_CHARS);
  };
  const enqueue = (place: number | undefined) => {
    if (place !== undefined) queue.push(scoreOf(place), -place, place);
  };
  for (let place = 0; place < candidates.length; place++) enqueue(place);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { index, with: others } = candidates[next.item] as NamedSpan;
    if (choice.has(index) || names.worth(index) === 0) continue;
    const score = scoreOf(next.item);
    if (score < next.key) queue.push(score, -next.item, next.item);
    else if (score === next.key && choice.add([...others, index])) {
      for (const each of [...others, index]) names.show(each);
      enqueue(places.get(index - 1));
      enqueue(places.get(index + 1));
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

  bytes(index: number): Uint8Array {
    const span = this.#choice.spans[index];
    return span === undefined || span.state === 'dropped' ? new Uint8Array(0) : this.#bytesOf(span);
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
    const bytes = this.bytes(index);
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
