/**
 * Of very many parts a projection shows the first and the last ones and counts the rest. So only the selectors of those are remembered; what
 * lies between keeps its totals and whether it is blank. Invariant: of telling parts and of blank ones, the first and the last `most`
 * can still be shown. A part that is shown costs at least a char, so `most` is the chars a projection may have.
 */
import type { ByteRange } from './model/extent.ts';
import type { PartRecord } from './model/part.ts';
import type { Selection } from './model/selection.ts';
import type { Selector } from './model/strategy.ts';
import { decode } from './text/utf8.ts';

/** Larger parts are taken for telling without a look. */
const BLANK_BYTES = 1_000;

interface Finished {
  readonly part: PartRecord;
  selector: Selector | null;
}

/** Takes parts as they are finished and sheds the selectors that no projection will ask. */
export class FarParts {
  readonly #telling: Ends;
  readonly #blank: Ends;

  constructor(most: number) {
    this.#telling = new Ends(most, TELLING);
    this.#blank = new Ends(most, BLANK);
  }

  add(finished: Finished): void {
    const { part, selector } = finished;
    if (selector === null) return;
    if (part.bytes === 0) finished.selector = EMPTY;
    else (isBlank(part, selector) ? this.#blank : this.#telling).add(finished);
  }
}

/** The first and the last `most` of a kind; behind the first ones the last wait in a ring, where the oldest gives way. */
class Ends {
  readonly #most: number;
  readonly #looks: Uint8Array;
  readonly #ring: Finished[] = [];
  #count = 0;

  constructor(most: number, looks: Uint8Array) {
    this.#most = most;
    this.#looks = looks;
  }

  add(finished: Finished): void {
    const place = this.#count++ - this.#most;
    if (place < 0) return;
    const at = place % this.#most;
    const oldest = this.#ring[at];
    if (oldest !== undefined) oldest.selector = new StandIn(oldest.part, this.#looks);
    this.#ring[at] = finished;
  }
}

const BLANK = new Uint8Array(BLANK_BYTES).fill(0x20);
const TELLING = new Uint8Array(BLANK_BYTES).fill(0x2e);
const EMPTY: Selector = { push() {}, select: () => [], bytes: () => new Uint8Array(0) };

/** Leaves out everything; asked for bytes, it only tells blank from telling. */
class StandIn implements Selector {
  readonly #part: PartRecord;
  readonly #looks: Uint8Array;

  constructor(part: PartRecord, looks: Uint8Array) {
    this.#part = part;
    this.#looks = looks;
  }

  push(): void {}

  select(): Selection {
    const { bytes, chars, lines } = this.#part;
    return [{ kind: 'omit', start: 0, end: bytes, chars, lines, firstLine: 1, lastLine: lines }];
  }

  bytes({ start, end }: ByteRange): Uint8Array {
    return this.#looks.subarray(0, end - start);
  }
}

function isBlank(part: PartRecord, selector: Selector): boolean {
  if (part.bytes > BLANK_BYTES) return false;
  return /^\s*$/.test(decode(selector.bytes({ start: 0, end: part.bytes })));
}
