/**
 * One tool result on its way into the store: the steps of a scan (result-scan.ts) become parts of
 * an output. Structured content is closed last, when it is known whether it only repeats a text.
 */
import type {
  Call,
  CaptureEnd,
  OpenCapture,
  OpenPart,
  Processed,
  SettingsInput,
  Spillway,
} from '@spillway/core';
import { repeats } from './repeats.ts';
import type { ResultScan } from './result-scan.ts';
import { ENVELOPE, type ScanStep } from './scan-steps.ts';

export class ResultCapture {
  readonly #capture: OpenCapture;
  readonly #parts = new Map<number, OpenPart>();
  #structured: OpenPart | null = null;
  /** Whether nothing more is taken, because there was too much. */
  full = false;

  static async open(spillway: Spillway, call: Call, policy: SettingsInput): Promise<ResultCapture> {
    return new ResultCapture(await spillway.open(call, { policy }));
  }

  private constructor(capture: OpenCapture) {
    this.#capture = capture;
    this.#parts.set(
      ENVELOPE,
      capture.part({ role: 'envelope', kind: 'binary', name: 'message', alone: true }),
    );
  }

  async take(steps: readonly ScanStep[]): Promise<void> {
    for (const step of steps) {
      if (step.step === 'begin') this.#begin(step);
      else if (step.step === 'write') {
        const more = await this.#parts.get(step.part)?.write(step.bytes);
        if (more === false) this.full = true;
      } else {
        const part = this.#parts.get(step.part);
        if (part !== this.#structured) await part?.end();
      }
    }
  }

  /**
   * Closes the output; what is to be shown of it comes back. `isRead`: whether a model reads
   * structured content too.
   */
  async finish(scan: ResultScan, end: CaptureEnd, isRead: boolean): Promise<Processed> {
    const copy = scan.structured !== null && (!isRead || repeats(scan.texts, scan.structured.sample));
    await this.#structured?.end(copy ? ['copy'] : []);
    return this.#capture.finish(end);
  }

  /** The parts of the scan, by those of the output. */
  scanned(): ReadonlyMap<number, number> {
    return new Map([...this.#parts].map(([scanned, { index }]) => [index, scanned]));
  }

  #begin({ part, kind, name, mediaType }: Extract<ScanStep, { step: 'begin' }>): void {
    const type = kind === 'text' ? mediaType : 'application/json';
    const media = type === undefined ? {} : { mediaType: type };
    const opened = this.#capture.part({ kind, name, alone: true, ...media });
    if (name === 'structured') this.#structured = opened;
    this.#parts.set(part, opened);
  }
}
