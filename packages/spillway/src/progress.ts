/**
 * The live line on a terminal while something takes long: on standard error, written over itself,
 * and gone when the work is done or something else is printed. Work that never waits would hold up
 * a timer, so `step` shows the line as well when it is due. `SPILLWAY_PROGRESS` is `off` for none,
 * or `now` for a line from the first moment on. Times are milliseconds.
 */
import { monotonicMs } from './clock.ts';
import { clearTransient, tellTransient } from './output.ts';
import { columnsOf, dim, isTerminal } from './terminal.ts';

const EVERY_MS = 100;
/** Work that is done by then needs no progress. */
const FIRST_MS = 2_000;

export interface ProgressOptions {
  /** What has been done so far. */
  readonly line: () => string;
  /** Default: two seconds. */
  readonly firstMs?: number;
  /** Nobody looks at it: the answer is for a program. Default: false. */
  readonly quiet?: boolean;
}

export class Progress {
  readonly #line: () => string;
  readonly #startedAt = monotonicMs();
  readonly #timer: NodeJS.Timeout | undefined;
  #dueAt: number;

  constructor({ line, firstMs = FIRST_MS, quiet = false }: ProgressOptions) {
    this.#line = line;
    const wanted = process.env.SPILLWAY_PROGRESS;
    const shows = !quiet && wanted !== 'off' && process.env.TERM !== 'dumb' && isTerminal(2);
    const wait = wanted === 'now' ? 0 : firstMs;
    this.#dueAt = shows ? this.#startedAt + wait : Number.POSITIVE_INFINITY;
    if (shows) this.#timer = setInterval(() => this.step(), EVERY_MS).unref();
  }

  /** Shows the line if it is due. */
  step(): void {
    const now = monotonicMs();
    if (now < this.#dueAt) return;
    this.#dueAt = now + EVERY_MS;
    const line = `… ${this.#line()}, ${((now - this.#startedAt) / 1_000).toFixed(1)} s`;
    // One column is left free: a line that fills the last one may wrap.
    tellTransient(dim(line.slice(0, Math.max(1, (columnsOf(2) ?? 80) - 1))));
  }

  stop(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    clearInterval(this.#timer);
    clearTransient();
  }
}

/** Does some work with a live line. */
export async function withProgress<T>(
  options: ProgressOptions,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = new Progress(options);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
