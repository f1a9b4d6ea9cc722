/**
 * Begins the texts of an output: for each text part, what is known of it and of its call. The
 * vocabulary and the list of formats are made with the first text that is looked at: most are shown
 * as they are.
 */

import { readsFile } from '../capture/file-read.ts';
import { requestedRange, type ShownSoFar } from '../capture/range.ts';
import { FORMATS } from '../formats/index.ts';
import type { About } from '../model/about.ts';
import { spellCall } from '../model/fetch.ts';
import type { Format } from '../model/format.ts';
import type { PartSpec } from '../model/part.ts';
import type { Policy } from '../model/policy.ts';
import type { PartText, Strategy } from '../model/strategy.ts';
import { type Effective, withStrategy } from '../policy/resolve.ts';
import {
  type OwnPatterns,
  standardVocabulary,
  type Vocabulary,
  vocabularyWith,
} from '../vocabulary/vocabulary.ts';
import { byName } from './named.ts';
import { TextPart } from './text-part.ts';

/** What is known of the call when its result begins to arrive. */
export interface CallFacts {
  readonly tool: string;
  readonly input: unknown;
  readonly about?: About | undefined;
}

/** The strategies that come with the product, by name. */
const BUILT_IN = ['head', 'tail', 'head_tail', 'size_limit', 'lines', 'reading', 'smart_summary', 'none'];

export class Texts {
  readonly #added: ReadonlyMap<string, Strategy>;
  readonly #addedFormats: readonly Format[];
  #listed: readonly Format[] | undefined;
  #own: OwnPatterns | undefined;
  #vocabulary: Vocabulary | undefined;

  /**
   * `added` and `formats`: strategies and formats beyond the built-in ones. `own`: patterns of
   * lines that tell of a failure beyond the built-in ones.
   */
  constructor(added: readonly Strategy[], formats: readonly Format[], own: OwnPatterns | undefined) {
    this.#added = byName(added);
    this.#addedFormats = formats;
    this.#own = own;
  }

  /** The names that a policy may give as its strategy. */
  get names(): string[] {
    return [...new Set(['auto', ...BUILT_IN, ...this.#added.keys(), 'element'])];
  }

  /** What tells of a failure or a warning, with the patterns beyond the built-in ones. */
  get vocabulary(): Vocabulary {
    this.#vocabulary ??= this.#own === undefined ? standardVocabulary() : vocabularyWith(this.#own);
    return this.#vocabulary;
  }

  /** Replaces the patterns beyond the built-in ones, from the next output on. */
  set own(own: OwnPatterns) {
    this.#own = own;
    this.#vocabulary = undefined;
  }

  /** A part that is about to stream by; null if it is not text to be shown. */
  start({ policy, origins }: Effective, spec: PartSpec, call: CallFacts): PartText | null {
    if (spec.role !== 'content' || spec.kind === 'binary') return null;
    const { tool, input, about } = call;
    const isFile = readsFile(tool, input);
    const isRequestedRange = origins.strategy.source === 'requested range';
    return new TextPart({
      policy,
      isRequestedRange,
      isDefaultStrategy: origins.strategy.level === 'user',
      spec,
      tool,
      input,
      about,
      isFile,
      // Of a file all that is shown is exact, unless it is to be clean always.
      cleans:
        policy.clean === 'when_cut'
          ? policy.strategy !== 'none' && !isRequestedRange && !isFile
          : policy.clean === 'always',
      reachChars: reachOf(policy),
      vocabulary: () => this.vocabulary,
      formats: () => this.#formats,
      added: (name) => this.#added.get(name),
    });
  }

  get #formats(): readonly Format[] {
    this.#listed ??= this.#addedFormats.length === 0 ? FORMATS : [...this.#addedFormats, ...FORMATS];
    return this.#listed;
  }
}

/** The most chars that a projection under this policy may have. */
export function reachOf({ strategy, inlineLimit, failingFactor }: Policy): number {
  return strategy === 'none' ? Number.POSITIVE_INFINITY : Math.floor(inlineLimit * failingFactor);
}

export interface RangePolicy {
  /** The policy of the selectors: `head` for a requested range. */
  readonly chosen: Effective;
  /** The call that goes on after what is shown; null if no range was asked for. */
  readonly paged: ((shown: ShownSoFar) => string) | null;
}

/**
 * A call that asks for a range of something (a file from line 200 on) gets that range from its
 * start, whatever its policy is, and the notice names the call that goes on. Fresh and stored
 * outputs are treated alike.
 */
export function rangePolicy(tool: string, input: unknown, effective: Effective): RangePolicy {
  const range = effective.policy.strategy === 'none' ? null : requestedRange(input);
  if (range === null) return { chosen: effective, paged: null };
  return {
    chosen: withStrategy(effective, 'head', 'requested range'),
    paged: (shown) => spellCall(tool, range.next(shown)),
  };
}
