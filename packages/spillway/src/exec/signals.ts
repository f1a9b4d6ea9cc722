/**
 * Signals that are meant for the command. They are heard from before it starts: one that arrives
 * while it starts waits until somebody can pass it on. Else it would end this program alone, and
 * the command, which has a group of its own, would run on.
 */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class CommandSignals {
  readonly #waiting: NodeJS.Signals[] = [];
  #forward: (signal: NodeJS.Signals) => void = (signal) => this.#waiting.push(signal);
  readonly #heard = (signal: NodeJS.Signals) => this.#forward(signal);

  constructor() {
    for (const signal of FORWARDED) process.on(signal, this.#heard);
  }

  /** Passes on what has arrived, and from now on each as it arrives. */
  forwardTo(forward: (signal: NodeJS.Signals) => void): void {
    this.#forward = forward;
    for (const signal of this.#waiting.splice(0)) forward(signal);
  }

  stopListening(): void {
    for (const signal of FORWARDED) process.off(signal, this.#heard);
  }
}
