/**
 * `auto` put together: what there is to choose from for a call, by what its text begins as. The
 * tool's default is for text that nobody recognises: both ends, and of a command that failed the
 * end.
 */
import type { CallPurpose } from '../capture/call-purpose.ts';
import type { Detected } from '../model/content.ts';
import type { Selector, Strategy } from '../model/strategy.ts';
import { type AutoCandidates, AutoSelector } from '../strategies/auto/auto-selector.ts';
import type { DocumentRoom } from '../strategies/deferred.ts';

export interface AutoParts {
  readonly room: DocumentRoom;
  readonly purpose: CallPurpose;
  readonly start: (strategy: Strategy) => Selector;
  readonly reachChars: number;
  readonly detect: (sample: Uint8Array, complete: boolean) => Detected;
  /**
   * A strategy with lines that tell of errors kept, as the policy has it. `any`: in what programs
   * print.
   */
  readonly keeping: (name: string, evidence: 'any' | 'sure') => Strategy;
  readonly smart: (evidence: 'any' | 'supported') => Strategy;
  /** What the format of a text brings along. */
  readonly formatFor: (detected: Detected, sample: Uint8Array) => Partial<AutoCandidates>;
  /** Whether lines with words for errors are the tool's own. */
  readonly isPrinted: (detected: Detected) => boolean;
}

export function autoSelector(parts: AutoParts): Selector {
  const { purpose, start, reachChars, room, detect, keeping, smart, formatFor, isPrinted } = parts;
  return new AutoSelector({
    start,
    reachChars,
    room,
    detect,
    call: purpose,
    candidates: (detected, sample) => {
      const evidence = isPrinted(detected) ? 'any' : 'sure';
      return {
        smart: smart(isPrinted(detected) ? 'any' : 'supported'),
        reading: keeping('reading', 'sure'),
        plain: keeping('head_tail', evidence),
        plainFailed: keeping(purpose.isCommand ? 'tail' : 'head_tail', 'any'),
        ...formatFor(detected, sample),
      };
    },
  });
}
