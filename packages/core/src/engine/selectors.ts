/**
 * Decides what selects from a part: the strategy of the policy, the grammar of the content, or both. Each selector is wrapped twice: one layer leaves
 * formatting out before the strategy sees the text, and one answers with the plain ends of the part if the strategy throws.
 */
import { readsFile } from '../capture/file-read.ts';
import { detect, isSalientKind } from '../detect/detect.ts';
import type { LinesSeen } from '../detect/hints.ts';
import { DetectingSelector } from '../detecting.ts';
import { codeWith } from '../formats/code/keep.ts';
import { diff } from '../formats/diff/keep.ts';
import { hits } from '../formats/hits/keep.ts';
import { jsonElements, ndjsonElements } from '../formats/json/keep/selector.ts';
import { listing } from '../formats/listing/keep.ts';
import { rowsWith } from '../formats/table/keep.ts';
import { htmlElements, xmlElements } from '../formats/xml/keep/selector.ts';
import type { About } from '../model/about.ts';
import { type ContentKind, SAMPLE_BYTES } from '../model/content.ts';
import type { PartSpec } from '../model/part.ts';
import type { Policy } from '../model/policy.ts';
import type { Known, Selector, Strategy } from '../model/strategy.ts';
import type { Effective } from '../policy/resolve.ts';
import { CleaningSelector } from '../strategies/cleaning.ts';
import { lines, preservingLines } from '../strategies/lines.ts';
import { none } from '../strategies/none.ts';
import { POSITIONAL, plainEnds, preservingPositions } from '../strategies/positional.ts';
import { reading } from '../strategies/reading/reading.ts';
import { keepErrors } from '../strategies/smart/keep-errors.ts';
import type { Evidence } from '../strategies/smart/own-score.ts';
import { smartSummary } from '../strategies/smart/smart.ts';
import { type Lexicon, lexiconWith, type OwnPatterns, standardLexicon } from '../strategies/smart/words.ts';
import { whenFailed } from '../strategies/when-failed.ts';
import { GuardedSelector } from './guarded-selector.ts';
import { byName, named } from './named.ts';

/** What is known of the call when its result begins to arrive. */
export interface CallFacts {
  readonly tool: string;
  readonly input: unknown;
  readonly about?: About | undefined;
}

/** What decides on text under `element`, and where a grammar gives up. */
const TEXT_STRATEGY = 'head_tail';
/** Kinds whose grammar decides for every tool, unless somebody chose a strategy. */
const FOR_EVERY_TOOL: ReadonlySet<ContentKind> = new Set(['json', 'ndjson', 'xml', 'html']);
/** Kinds whose text is about something else: words for failure in it are not the command's own. */
const ONLY_SPEAKS_OF_IT: ReadonlySet<ContentKind> = new Set(['code', 'listing', 'hits', 'diff']);
const ELEMENTS: ReadonlyMap<ContentKind, (detail: string | undefined) => Strategy> = new Map([
  ['json', () => jsonElements],
  ['ndjson', () => ndjsonElements],
  ['xml', () => xmlElements],
  ['html', () => htmlElements],
  ['csv', (detail?: string) => rowsWith(detail)],
  ['tsv', (detail?: string) => rowsWith(detail)],
  ['table', (detail?: string) => rowsWith(detail)],
  ['listing', () => listing],
  ['hits', () => hits],
  ['diff', () => diff],
  ['code', (detail?: string) => codeWith(detail)],
]);

export class Selectors {
  readonly #strategies: ReadonlyMap<string, Strategy>;
  /** The text strategies that keep lines that tell of a failure: in what programs print, and in other text. */
  readonly #preserving: ReadonlyMap<string, Strategy>;
  readonly #preservingSure: ReadonlyMap<string, Strategy>;
  readonly #keepErrors: (strategy: Strategy) => Strategy;
  #own: OwnPatterns | undefined;
  /** Made with the first text that is looked at: most are shown as they are. */
  #lexicon: Lexicon | undefined;

  /** `added`: strategies beyond the built-in ones. `own`: patterns of lines that tell of a failure beyond the built-in ones. */
  constructor(added: readonly Strategy[], own: OwnPatterns | undefined) {
    const lexicon = () => {
      this.#lexicon ??= this.#own === undefined ? standardLexicon() : lexiconWith(this.#own);
      return this.#lexicon;
    };
    this.#own = own;
    this.#strategies = byName([...POSITIONAL, lines, reading, smartSummary(lexicon), none, ...added]);
    this.#keepErrors = (strategy) => keepErrors(strategy, lexicon);
    const preserving = (evidence: Evidence) => [
      ...preservingPositions(lexicon, evidence),
      preservingLines(lexicon, evidence),
      keepErrors(reading, lexicon),
    ];
    this.#preserving = byName(preserving('any'));
    this.#preservingSure = byName([...preserving('sure'), smartSummary(lexicon, 'supported')]);
  }

  /** The names that a policy may give as its strategy. */
  get names(): string[] {
    return [...this.#strategies.keys(), 'element'];
  }

  /** Replaces the patterns beyond the built-in ones, from the next output on. */
  set own(own: OwnPatterns) {
    this.#own = own;
    this.#lexicon = undefined;
  }

  /** A selector for a part that is about to stream by; null if it is not text to be shown. */
  start(effective: Effective, spec: PartSpec, call: CallFacts, known?: Known): Selector | null {
    if (spec.role !== 'content' || spec.kind === 'binary') return null;
    const { policy } = effective;
    const reachChars = reachOf(policy);
    const { tool, input, about } = call;
    const all = { ...known, input, about, isFile: readsFile(tool, input) };
    const start = (seen?: LinesSeen) => this.#strategy(effective, spec, tool, seen, all);
    return new GuardedSelector(
      policy.strategy,
      () => (cleans(effective, call) ? new CleaningSelector(reachChars, start) : start()),
      plainEnds.start(policy, reachChars),
    );
  }

  /** The strategy of a policy. `seen`: how many lines of the text had formatting that was left out. */
  #strategy(
    { policy, origins }: Effective,
    spec: PartSpec,
    tool: string,
    seen?: LinesSeen,
    known?: Known,
  ): Selector {
    const reachChars = reachOf(policy);
    const { strategy, preserveErrors, preserveWarnings } = policy;
    const byContent =
      strategy === 'element' ||
      (policy.contentDetection && origins.strategy.level === 'system' && strategy !== 'none');
    const preserves =
      (preserveErrors || preserveWarnings) &&
      policy.salientShare > 0 &&
      (strategy === 'element' || this.#preserving.has(strategy));
    const isSmart = strategy === 'smart_summary';
    if (!byContent && !preserves && !isSmart)
      return named(this.#strategies, strategy).start(policy, reachChars, known);
    const textName = strategy === 'element' ? TEXT_STRATEGY : strategy;
    const isCommand = spec.name === 'stdout' || spec.name === 'stderr' || tool === 'execute_command';
    const plain = named(this.#strategies, textName);
    const hints = { tool, ...(spec.mediaType === undefined ? {} : { mediaType: spec.mediaType }) };
    return new DetectingSelector({
      policy,
      reachChars,
      known,
      sampleBytes: SAMPLE_BYTES,
      binary:
        policy.contentDetection && origins.strategy.source !== 'requested range' ? 'withheld' : 'as text',
      detect: (sample, complete) =>
        detect(sample, { ...hints, complete, ...(seen === undefined ? {} : { seen }) }),
      grammarFor: ({ kind, detail }) => {
        const isByGrammar = strategy === 'element' || isSmart || (byContent && FOR_EVERY_TOOL.has(kind));
        const grammar = isByGrammar ? ELEMENTS.get(kind)?.(detail) : undefined;
        const keeps = (preserves || isSmart) && !FOR_EVERY_TOOL.has(kind);
        return grammar === undefined || !keeps ? grammar : this.#keepErrors(grammar);
      },
      // Where a summary was asked for and something surely failed, it comes before the grammar.
      textFirst: () => isSmart,
      textName: plain.name,
      textFor: ({ kind }) => {
        const preserving = preserves ? (this.#preserving.get(textName) ?? plain) : plain;
        if (isSalientKind(kind) || (isSmart && FOR_EVERY_TOOL.has(kind))) return preserving;
        // Elsewhere only lines that are surely errors count, unless the command is known to have failed.
        const sure = preserves || isSmart ? (this.#preservingSure.get(textName) ?? plain) : plain;
        return isCommand && !ONLY_SPEAKS_OF_IT.has(kind) ? whenFailed(preserving, sure) : sure;
      },
    });
  }
}

/** The most chars that a projection under this policy may have. */
export function reachOf({ strategy, inlineLimit, failingFactor }: Policy): number {
  return strategy === 'none' ? Number.POSITIVE_INFINITY : Math.floor(inlineLimit * failingFactor);
}

/** Whether formatting is left out: never of a file, whose text is shown exactly, unless it is to be clean always. */
function cleans({ policy, origins }: Effective, { tool, input }: CallFacts): boolean {
  if (policy.clean !== 'when_cut') return policy.clean === 'always';
  const isExact = policy.strategy === 'none' || origins.strategy.source === 'requested range';
  return !isExact && !readsFile(tool, input);
}
