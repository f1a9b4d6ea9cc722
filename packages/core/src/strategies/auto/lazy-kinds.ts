/**
 * The kinds of the samples of a text, in order. A kind is found out when it is first asked for, and
 * remembered. What has no samples is text.
 */
import type { ContentKind } from '../../model/content.ts';
import type { SampleKinds } from './decide.ts';

export class LazyKinds implements SampleKinds {
  readonly #kinds: (ContentKind | (() => ContentKind))[] = [];

  /** Adds the next one; returns how many there are. */
  add(kind: ContentKind | (() => ContentKind)): number {
    return this.#kinds.push(kind);
  }

  get length(): number {
    return Math.max(1, this.#kinds.length);
  }

  at(index: number): ContentKind {
    const known = this.#kinds[index] ?? 'text';
    if (typeof known === 'string') return known;
    const kind = known();
    this.#kinds[index] = kind;
    return kind;
  }
}
