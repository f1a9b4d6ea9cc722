/**
 * What is to be written of a message that is taken apart: its parts, and the *envelope*, the
 * message itself with a reference where a part holds the bytes. `\x01r3:120\x02` stands for the
 * next 120 bytes of part 3; with `t` for the same written as a JSON string, in the spelling that a
 * name behind a second colon tells (spelling.ts). Neither byte can occur in valid JSON.
 */
import { spellingName } from './spelling.ts';
import type { Run } from './string-runs.ts';

/** Parts count from 0 in the order in which they begin; -1 is the envelope. */
export type ScanStep =
  | {
      readonly step: 'begin';
      readonly part: number;
      readonly kind: 'text' | 'json' | 'binary';
      readonly name: string;
      /** What the server says that it is. */
      readonly mediaType?: string;
    }
  | { readonly step: 'write'; readonly part: number; readonly bytes: Uint8Array }
  | { readonly step: 'end'; readonly part: number };

export const ENVELOPE = -1;

export class ScanSteps {
  #steps: ScanStep[] = [];
  #parts = 0;

  begin(kind: 'text' | 'json' | 'binary', name: string, mediaType?: string): number {
    const part = this.#parts++;
    const media = mediaType === undefined ? {} : { mediaType };
    this.#steps.push({ step: 'begin', part, kind, name, ...media });
    return part;
  }

  write(part: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#steps.push({ step: 'write', part, bytes });
  }

  end(part: number): void {
    this.#steps.push({ step: 'end', part });
  }

  envelope(bytes: Uint8Array): void {
    this.write(ENVELOPE, bytes);
  }

  /** In place of bytes that a part holds as they are. */
  refer(part: number, bytes: number): void {
    this.envelope(Buffer.from(`\x01r${part}:${bytes}\x02`));
  }

  /** In place of a string whose text a part holds: how it was written. */
  spell(part: number, runs: readonly Run[]): void {
    for (const run of runs) {
      if (run.kind === 'written') this.envelope(run.bytes);
      else {
        const name = spellingName(run.spelling);
        this.envelope(Buffer.from(`\x01t${part}:${run.bytes}${name === '' ? '' : `:${name}`}\x02`));
      }
    }
  }

  /** All that came together since it was last asked. */
  taken(): readonly ScanStep[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }
}
