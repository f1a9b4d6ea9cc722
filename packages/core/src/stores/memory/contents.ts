/**
 * Content by hash. Invariant: equal content is held once, as long as at least one part refers to
 * it. Sizes are bytes.
 */
import type { PartTotals } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';

interface Content {
  readonly pieces: readonly Piece[];
  readonly bytes: number;
  refs: number;
}

export class SharedContents {
  readonly #contents = new Map<string, Content>();
  #bytes = 0;

  /** Bytes of all content, equal content counted once. */
  get bytes(): number {
    return this.#bytes;
  }

  pieces(hash: string): readonly Piece[] {
    return this.#contents.get(hash)?.pieces ?? [];
  }

  keep({ hash, bytes }: PartTotals, pieces: readonly Piece[]): void {
    const equal = this.#contents.get(hash);
    if (equal !== undefined) {
      equal.refs++;
      return;
    }
    this.#contents.set(hash, { pieces, bytes, refs: 1 });
    this.#bytes += bytes;
  }

  /** One part fewer refers to it; returns the bytes that are free now. */
  release(hash: string): number {
    const content = this.#contents.get(hash);
    if (content === undefined || --content.refs > 0) return 0;
    this.#contents.delete(hash);
    this.#bytes -= content.bytes;
    return content.bytes;
  }

  /** What releasing all of these would free. */
  unshared(hashes: readonly string[]): number {
    let bytes = 0;
    for (const [hash, all] of Map.groupBy(hashes, (each) => each)) {
      const content = this.#contents.get(hash);
      if (content?.refs === all.length) bytes += content.bytes;
    }
    return bytes;
  }
}
