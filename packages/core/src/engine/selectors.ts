/**
 * Decides what selects from a part: the strategy of the policy, the format of the content, or both.
 * Each selector is wrapped twice: one layer leaves formatting out before the strategy sees the
 * text, and one answers with the plain ends of the part if the strategy throws.
 */
import { purposeOf } from '../capture/call-purpose.ts';
import { filePrinted, readsFile } from '../capture/file-read.ts';
import { detect } from '../detect/detect.ts';
import { expectedKinds, type Hints, type LinesSeen } from '../detect/hints.ts';
import { FORMATS, formatOf } from '../formats/index.ts';
import type { About } from '../model/about.ts';
import { SAMPLE_BYTES } from '../model/content.ts';
import type { Expected, Format } from '../model/format.ts';
import type { PartSpec } from '../model/part.ts';
import type { Policy } from '../model/policy.ts';
import type { SelectionContext, Selector, Strategy } from '../model/strategy.ts';
import type { Effective } from '../policy/resolve.ts';
import { HOLD_BYTES } from '../strategies/auto/contest.ts';
import { CleaningSelector } from '../strategies/cleaning.ts';
import { DocumentRoom } from '../strategies/deferred.ts';
import { lines } from '../strategies/lines.ts';
import { none } from '../strategies/none.ts';
import { POSITIONAL, plainEnds } from '../strategies/positional.ts';
import { reading } from '../strategies/reading/reading.ts';
import { smartSummary } from '../strategies/smart/smart.ts';
import { ownWatches, sharedWatches } from '../strategies/smart/watches.ts';
import { type Lexicon, lexiconWith, type OwnPatterns, standardLexicon } from '../strategies/smart/words.ts';
import { whenFailed } from '../strategies/when-failed.ts';
import { WITHHOLDING, withheldName } from '../strategies/withholding.ts';
import { autoSelector } from './auto.ts';
import { DetectingSelector } from './detecting-selector.ts';
import { GuardedSelector } from './guarded-selector.ts';
import { byName, named } from './named.ts';
import { PreservingStrategies } from './preserving-strategies.ts';

/** What is known of the call when its result begins to arrive. */
export interface CallFacts {
  readonly tool: string;
  readonly input: unknown;
  readonly about?: About | undefined;
}

/** What decides on text under `element`, and where a format gives up. */
const TEXT_STRATEGY = 'head_tail';

export class Selectors {
  readonly #strategies: ReadonlyMap<string, Strategy>;
  readonly #smart: Strategy;
  readonly #words: () => Lexicon;
  readonly #addedFormats: readonly Format[];
  readonly #room = new DocumentRoom();
  #listed: readonly Format[] | undefined;
  #own: OwnPatterns | undefined;
  /** Made with the first text that is looked at: most are shown as they are. */
  #lexicon: Lexicon | undefined;

  /**
   * `added` and `formats`: strategies and formats beyond the built-in ones. `own`: patterns of
   * lines that tell of a failure beyond the built-in ones.
   */
  constructor(added: readonly Strategy[], formats: readonly Format[], own: OwnPatterns | undefined) {
    const lexicon = () => this.lexicon;
    this.#own = own;
    this.#addedFormats = formats;
    this.#words = lexicon;
    this.#smart = smartSummary(ownWatches(lexicon));
    this.#strategies = byName([...POSITIONAL, lines, reading, this.#smart, none, ...added]);
  }

  /** The names that a policy may give as its strategy. */
  get names(): string[] {
    return ['auto', ...this.#strategies.keys(), 'element'];
  }

  /** What tells of a failure or a warning, with the patterns beyond the built-in ones. */
  get lexicon(): Lexicon {
    this.#lexicon ??= this.#own === undefined ? standardLexicon() : lexiconWith(this.#own);
    return this.#lexicon;
  }

  /** Replaces the patterns beyond the built-in ones, from the next output on. */
  set own(own: OwnPatterns) {
    this.#own = own;
    this.#lexicon = undefined;
  }

  /** Listed with the first text that is cut: a small one does not load what formats need. */
  get #formats(): readonly Format[] {
    this.#listed ??= this.#addedFormats.length === 0 ? FORMATS : [...this.#addedFormats, ...FORMATS];
    return this.#listed;
  }

  /** A selector for a part that is about to stream by; null if it is not text to be shown. */
  start(effective: Effective, spec: PartSpec, call: CallFacts, context?: SelectionContext): Selector | null {
    if (spec.role !== 'content' || spec.kind === 'binary') return null;
    const { policy } = effective;
    const reachChars = reachOf(policy);
    const { tool, input, about } = call;
    const all = { ...context, input, about, isFile: readsFile(tool, input) };
    const start = (seen?: LinesSeen) => this.#strategy(effective, spec, call, seen, all);
    return new GuardedSelector(
      policy.strategy,
      () => (cleans(effective, call) ? new CleaningSelector(reachChars, start) : start()),
      plainEnds.start(policy, reachChars),
    );
  }

  /**
   * The strategy of a policy. `seen`: how many lines of the text had formatting that was left out.
   */
  #strategy(
    { policy, origins }: Effective,
    spec: PartSpec,
    { tool, input }: CallFacts,
    seen?: LinesSeen,
    context?: SelectionContext,
  ): Selector {
    const reachChars = reachOf(policy);
    const { strategy, preserveErrors, preserveWarnings } = policy;
    if (strategy === 'auto' && policy.contentDetection) return this.#auto(policy, spec, tool, seen, context);
    const isElement = strategy === 'element';
    const textName = isElement || strategy === 'auto' ? TEXT_STRATEGY : strategy;
    const shared = new PreservingStrategies(sharedWatches(this.#words));
    const preserves =
      (preserveErrors || preserveWarnings) &&
      policy.salientShare > 0 &&
      shared.get(textName, 'any') !== undefined;
    const isSmart = strategy === 'smart_summary';
    if (!isElement && !preserves && !isSmart)
      return named(this.#strategies, textName).start(policy, reachChars, context);
    const isCommand = spec.name === 'stdout' || spec.name === 'stderr' || tool === 'execute_command';
    const plain = isSmart ? this.#summary(shared) : named(this.#strategies, textName);
    const hints = hintsOf(spec, tool, input);
    return new DetectingSelector({
      room: this.#room,
      policy,
      reachChars,
      context,
      sampleBytes: SAMPLE_BYTES,
      binary:
        policy.contentDetection && origins.strategy.source !== 'requested range' ? 'withheld' : 'as text',
      detect: (sample, complete) =>
        detect(sample, { ...hints, complete, ...(seen === undefined ? {} : { seen }) }, this.#formats),
      formatOf: ({ kind }) => formatOf(kind, this.#formats),
      elementFor: (format, detected) => {
        const { staysValid = false } = format;
        const element = isElement || isSmart ? format.keep?.(detected) : undefined;
        const keeps = (preserves || isSmart) && !staysValid;
        return element === undefined || !keeps ? element : shared.keepErrors(element);
      },
      // Where a summary was asked for and something surely failed, it comes before the format.
      textFirst: isSmart,
      textName: plain.name,
      textFor: (format) => {
        const preserving = preserves ? (shared.get(textName, 'any') ?? plain) : plain;
        const own = format === undefined || format.errorLines === 'own';
        if (own || (isSmart && format.staysValid === true)) return preserving;
        // Elsewhere only lines that are surely errors count, unless the command is known to have
        // failed.
        const kept = preserves ? shared.get(textName, 'sure') : undefined;
        const sure = isSmart ? shared.smart('supported') : (kept ?? plain);
        return isCommand && format.errorLines !== 'quoted' ? whenFailed(preserving, sure) : sure;
      },
    });
  }

  /** The summary that goes by its name: a host may have brought its own. */
  #summary(shared: PreservingStrategies): Strategy {
    const summary = named(this.#strategies, this.#smart.name);
    return summary === this.#smart ? shared.smart('any') : summary;
  }

  #auto(
    policy: Policy,
    spec: PartSpec,
    tool: string,
    seen?: LinesSeen,
    context?: SelectionContext,
  ): Selector {
    const reachChars = reachOf(policy);
    const { preserveErrors, preserveWarnings, salientShare } = policy;
    const preserves = (preserveErrors || preserveWarnings) && salientShare > 0;
    const shared = new PreservingStrategies(sharedWatches(this.#words, HOLD_BYTES));
    const purpose = purposeOf(tool, context?.input);
    const isCommand = purpose.isCommand || spec.name === 'stdout' || spec.name === 'stderr';
    const hints = {
      ...hintsOf(spec, tool, context?.input),
      exec: isCommand,
      ...(seen === undefined ? {} : { seen }),
    };
    let expected: readonly Expected[] | undefined;
    return autoSelector({
      room: this.#room,
      purpose: { ...purpose, isCommand },
      start: (strategy) => strategy.start(policy, reachChars, context),
      reachChars,
      detect: (sample, complete) => {
        expected ??= expectedKinds({ ...hints, complete }, this.#formats);
        return detect(sample, { ...hints, complete, expected }, this.#formats);
      },
      keeping: (name, evidence) => {
        const plain = named(this.#strategies, name);
        return preserves ? (shared.get(name, evidence) ?? plain) : plain;
      },
      smart: (evidence) => (evidence === 'any' ? this.#summary(shared) : shared.smart(evidence)),
      isPrinted: ({ kind }) => {
        const format = formatOf(kind, this.#formats);
        return format === undefined || format.errorLines === 'own';
      },
      formatFor: (detected, sample) => {
        const format = formatOf(detected.kind, this.#formats);
        const withheld = withheldName(format, detected, sample);
        if (withheld !== null) return { withheld: WITHHOLDING, withheldName: withheld };
        const { staysValid = false, grammar } = format ?? {};
        // Source code is read: its declarations alone do not say what it does.
        const element = detected.kind === 'code' ? undefined : format?.keep?.(detected);
        const keeps = element !== undefined && preserves && !staysValid;
        return { element: keeps ? shared.keepErrors(element) : element, staysValid, grammar };
      },
    });
  }
}

/** What part and call say of the content: its media type, and the file that it was read from. */
function hintsOf({ mediaType, name: part }: PartSpec, tool: string, input: unknown): Omit<Hints, 'complete'> {
  const file = part === 'stderr' ? null : filePrinted(tool, input);
  return {
    tool,
    input,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(file === null ? {} : { name: file }),
  };
}

/** The most chars that a projection under this policy may have. */
export function reachOf({ strategy, inlineLimit, failingFactor }: Policy): number {
  return strategy === 'none' ? Number.POSITIVE_INFINITY : Math.floor(inlineLimit * failingFactor);
}

/**
 * Whether formatting is left out: never of a file, whose text is shown exactly, unless it is to be
 * clean always.
 */
function cleans({ policy, origins }: Effective, { tool, input }: CallFacts): boolean {
  if (policy.clean !== 'when_cut') return policy.clean === 'always';
  const isExact = policy.strategy === 'none' || origins.strategy.source === 'requested range';
  return !isExact && !readsFile(tool, input);
}
