/**
 * A line that is offered to be shown. Very many are offered and few are chosen: what only some
 * questions need, such as its text, is found out when it is asked for.
 */
import type { Extent } from '../../model/extent.ts';
import { decode, encode } from '../../text/utf8.ts';
import type { Candidate } from './candidate.ts';
import type { Choice, Message } from './choice.ts';
import type { KeptRun } from './kept.ts';
import type { Unit } from './units.ts';

/** Chars that a marker needs more to tell of a repeated line. */
const REPEAT_WORDS = 24;
/** A shorter line may well be said twice. */
const FAILURE_CHARS = 8;
const WORD = /[\p{L}\p{N}]/u;

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

  get message(): Message | null {
    return this.#mayRepeat ? null : messageOf(this.candidate.unit);
  }

  get hasNoWords(): boolean {
    return !hasWord(this.candidate.unit);
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

/** The text of a line behind its time stamp, without white space around it; null if it is short. */
function messageOf(unit: Unit): Message | null {
  const { bytes } = unit;
  if (!unit.ascii) {
    const text = trimmedText(unit);
    if (text.length <= FAILURE_CHARS) return null;
    const encoded = encode(text);
    return { bytes: encoded, from: 0, to: encoded.length };
  }
  let from = unit.from + unit.stamp;
  let to = unit.to;
  while (from < to && isBlank(bytes[from] as number)) from++;
  while (from < to && isBlank(bytes[to - 1] as number)) to--;
  return to - from > FAILURE_CHARS ? { bytes, from, to } : null;
}

function hasWord(unit: Unit): boolean {
  if (!unit.ascii) return WORD.test(trimmedText(unit));
  for (let at = unit.from + unit.stamp; at < unit.to; at++) {
    const byte = unit.bytes[at] as number;
    const letter = byte | 0x20;
    if ((letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39)) return true;
  }
  return false;
}

function trimmedText({ bytes, from, to, stamp }: Unit): string {
  return decode(bytes.subarray(from + stamp, to)).trim();
}

/** What `trim` takes for white space, of ASCII. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
