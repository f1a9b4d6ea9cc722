/**
 * How a string was written, told as *runs*: so many bytes of what was said, in one spelling. A
 * writer that changes its ways begins a new run. What no spelling describes, and what changes too
 * often, is told as it was written, from there to the end.
 */
import { BYTE, bytesAsSpelled, lettersAsSpelled, PLAIN, type Spelling } from './spelling.ts';

export type Run =
  | { readonly kind: 'said'; readonly bytes: number; readonly spelling: Spelling }
  | { readonly kind: 'written'; readonly bytes: Uint8Array };

/**
 * Runs that a string may have; a consistent writer needs one for each character that it escapes
 * without need.
 */
const MOST_RUNS = 200;

export class SpellingRuns {
  spelling = PLAIN;
  /** What bytes and letters mean in the spelling of the run that is open. */
  table = bytesAsSpelled(PLAIN);
  letters = lettersAsSpelled(PLAIN);
  #runs: Run[] = [];
  #count = 0;
  #decoded = 0;
  #asWritten = false;

  /** So many bytes more were said as the spelling would write them. */
  addDecoded(bytes: number): void {
    this.#decoded += bytes;
  }

  /** Bytes that arrive: kept if nothing else tells how they were written. */
  written(bytes: Uint8Array): void {
    if (this.#asWritten) this.#runs.push({ kind: 'written', bytes: Buffer.from(bytes) });
  }

  /** What follows, `rest`, is written in another way. */
  change(change: Partial<Spelling>, rest: Uint8Array): void {
    if (this.#asWritten) return;
    this.close();
    this.spelling = { ...this.spelling, ...change };
    this.table = bytesAsSpelled(this.spelling);
    this.letters = lettersAsSpelled(this.spelling);
    if (++this.#count > MOST_RUNS) this.giveUp(rest);
  }

  /** What follows is kept as it was written. */
  giveUp(rest: Uint8Array): void {
    if (this.#asWritten) return;
    this.close();
    this.#asWritten = true;
    this.spelling = PLAIN;
    this.table = onlyEscapes();
    this.letters = lettersAsSpelled(PLAIN);
    this.written(rest);
  }

  close(): void {
    if (this.#decoded > 0 && !this.#asWritten)
      this.#runs.push({ kind: 'said', bytes: this.#decoded, spelling: this.spelling });
    this.#decoded = 0;
  }

  /** All that is known since it was last asked. */
  taken(): readonly Run[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}

/** Every byte is taken as it is; only escapes are read. */
function onlyEscapes(): Uint8Array {
  const table = new Uint8Array(256);
  table[0x5c] = BYTE.escape;
  return table;
}
