/** The live line on a terminal while a command runs: bytes, lines, elapsed time. Written over itself on standard error, and gone when the command has ended. */
import { bytesForPeople, counted } from '@spillway/core';
import { tellRaw } from '../output.ts';
import { columnsOf, dim, isTerminal } from '../terminal.ts';

const EVERY_MS = 100;
/** A command that is done by then needs no progress. */
const FIRST_MS = 400;
const LF = 10;

export class Progress {
  #bytes = 0;
  #lines = 0;
  readonly #startedAt = Date.now();
  readonly #timers: NodeJS.Timeout[] = [];
  #shown = false;

  /** Begins to show it, if somebody can see it. */
  start(): void {
    if (!isTerminal(2)) return;
    const first = setTimeout(() => {
      this.#show();
      this.#timers.push(setInterval(() => this.#show(), EVERY_MS));
    }, FIRST_MS);
    this.#timers.push(first);
  }

  seen(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) this.#lines++;
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#shown) tellRaw('\r\x1b[K');
    this.#shown = false;
  }

  #show(): void {
    const line = progressLine(this.#bytes, this.#lines, Date.now() - this.#startedAt);
    // One column is left free: a line that fills the last one may wrap.
    tellRaw(`\r\x1b[K${dim(line.slice(0, Math.max(1, (columnsOf(2) ?? 80) - 1)))}`);
    this.#shown = true;
  }
}

function progressLine(bytes: number, lines: number, elapsedMs: number): string {
  return `… ${bytesForPeople(bytes)}, ${counted(lines, 'line')}, ${(elapsedMs / 1000).toFixed(1)} s`;
}
