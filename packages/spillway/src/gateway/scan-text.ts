/**
 * A string of a message that becomes a part of its own: decoded while it arrives, with its
 * beginning remembered. Memory: the beginning.
 */
import { PrefixSample } from './repeats.ts';
import type { ScanSteps } from './scan-steps.ts';
import { StringBody } from './string-body.ts';

export class OpenText {
  readonly part: number;
  readonly sample = new PrefixSample();
  readonly #steps: ScanSteps;
  readonly #body = new StringBody();

  constructor(steps: ScanSteps, name: string, mediaType?: string) {
    this.#steps = steps;
    this.part = steps.begin('text', name, mediaType);
  }

  push(bytes: Uint8Array): void {
    this.#say(this.#body.push(bytes));
  }

  /** Whether it was a valid string. */
  close(): boolean {
    this.#say(this.#body.finish());
    this.#steps.end(this.part);
    return !this.#body.failed;
  }

  #say(bytes: Uint8Array): void {
    if (bytes.length > 0) this.sample.push(bytes);
    this.#steps.write(this.part, bytes);
    this.#steps.spell(this.part, this.#body.runs());
  }
}
