/**
 * A string of a message that becomes a part of its own, or goes on in the part of others: decoded
 * while it arrives, with its beginning remembered. Memory: the beginning.
 */
import { PrefixSample } from './repeats.ts';
import type { ScanSteps } from './scan-steps.ts';
import { StringBody } from './string-body.ts';

export class OpenText {
  readonly part: number;
  readonly sample: PrefixSample;
  readonly #steps: ScanSteps;
  readonly #body = new StringBody();

  constructor(steps: ScanSteps, part: number, sample = new PrefixSample()) {
    this.#steps = steps;
    this.part = part;
    this.sample = sample;
  }

  push(bytes: Uint8Array): void {
    this.#say(this.#body.push(bytes));
  }

  /** Whether it was a valid string. */
  close(): boolean {
    this.#say(this.#body.finish());
    return !this.#body.failed;
  }

  #say(bytes: Uint8Array): void {
    if (bytes.length > 0) this.sample.push(bytes);
    this.#steps.write(this.part, bytes);
    this.#steps.spell(this.part, this.#body.runs());
  }
}
