/**
 * A line that is offered to be shown. Very many are offered and few are chosen: what only some
 * questions need, such as its text, is found out when it is asked for.
 */
import type { Extent } from '../../model/extent.ts';
import type { Candidate } from './candidate.ts';
import type { Choice, Message } from './choice.ts';
import type { KeptRun } from './kept.ts';
import { hasWord, messageOf } from './line-message.ts';

/** Chars that a marker needs more to tell of a repeated line. */
const REPEAT_WORDS = 24;

/** What is not as the candidate has it. */
export interface Offer {
  /** Why it is offered, where that is not what it says. */
  readonly cause?: string | undefined;
  /** Its number, where units above it count as one. */
  readonly index?: number;
  /** It is worth as much where the same is shown already. */
  readonly mayRepeat?: boolean;
}

export class SalientLine implements Choice {
  readonly candidate: Candidate;
  readonly index: number;
  readonly start: Extent;
  readonly end: Extent;
  readonly priority: number;
  readonly shown: number;
  readonly cause: string | undefined;
  readonly #mayRepeat: boolean;
  #run: KeptRun | undefined;
  #message: Message | null | undefined;
  #hasNoWords: boolean | undefined;

  constructor(candidate: Candidate, priority: number, offer: Offer = NO_OFFER) {
    const { unit, again } = candidate;
    this.candidate = candidate;
    this.index = offer.index ?? unit.index;
    this.start = unit.start;
    this.end = unit.end;
    this.priority = priority;
    this.shown = unit.end.chars - unit.start.chars + (again === null ? 0 : REPEAT_WORDS);
    this.cause = offer.cause;
    this.#mayRepeat = offer.mayRepeat === true;
  }

  /** The same line, offered for another reason. */
  with(priority: number, offer: Offer = NO_OFFER): SalientLine {
    return new SalientLine(this.candidate, priority, {
      cause: offer.cause ?? this.cause,
      index: offer.index ?? this.index,
      mayRepeat: offer.mayRepeat ?? this.#mayRepeat,
    });
  }

  get run(): KeptRun {
    this.#run ??= runOf(this.candidate);
    return this.#run;
  }

  /** Lines are picked from several times: both are found out once. */
  get message(): Message | null {
    if (this.#message === undefined) this.#message = this.#mayRepeat ? null : messageOf(this.candidate.unit);
    return this.#message;
  }

  get hasNoWords(): boolean {
    this.#hasNoWords ??= !hasWord(this.candidate.unit);
    return this.#hasNoWords;
  }
}

const NO_OFFER: Offer = {};

function runOf({ unit, again, group, inGroup }: Candidate): KeptRun {
  const { start, end, first } = unit;
  const bytes = unit.bytes.subarray(unit.from, unit.to);
  // Only of a diagnostic that others are like.
  const isAlike = group !== null && group.count > 1;
  return {
    start,
    end,
    again,
    bytes,
    first,
    ...(isAlike ? { group: { of: group, isFirst: inGroup === 0 } } : {}),
  };
}
