/**
 * Makes projections of outputs, whether their parts have just streamed by or are read back from a
 * store: both go through the same selectors, so both give the same text.
 */
import type { ShownSoFar } from '../capture/range.ts';
import { type About, boundedAbout } from '../model/about.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { Dialect } from '../model/dialect.ts';
import type { FetchHint } from '../model/fetch.ts';
import type { Format } from '../model/format.ts';
import { endedBadly } from '../model/outcome.ts';
import type { OutputRecord } from '../model/output.ts';
import { isShown, type PartSpec } from '../model/part.ts';
import type { Policy, PolicyPatch, SettingsInput } from '../model/policy.ts';
import { type Audience, type ProjectionRecord, RENDERER_VERSION } from '../model/projection.ts';
import type { Store } from '../model/store.ts';
import type { Selector, Strategy } from '../model/strategy.ts';
import { Settings } from '../policy/levels.ts';
import type { Effective } from '../policy/resolve.ts';
import { Gathering } from '../projection/gathering.ts';
import { type Projected, project } from '../projection/project.ts';
import type { Section } from '../projection/section.ts';
import { type StoredPart, StoredParts } from '../retrieval/stored-parts.ts';
import type { Lexicon, OwnPatterns } from '../strategies/smart/words.ts';
import { isBlank } from '../text/blank.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { storedPieces } from '../text/stored-pieces.ts';
import { estimateTokens } from '../text/tokens.ts';
import { standard } from '../wording/dialects/standard.ts';
import type { ParsedProjection } from '../wording/parse-projection.ts';
import { type Baseline, findBaseline } from './baseline.ts';
import { GuardedSelector } from './guarded-selector.ts';
import { byName, named } from './named.ts';
import { inputOf } from './recorded-page.ts';
import { rangePolicy } from './requested-range.ts';
import { type CallFacts, reachOf, Selectors } from './selectors.ts';

export interface ProjectorOptions {
  /** Strategies beyond the built-in ones. */
  readonly strategies: readonly Strategy[];
  /** Formats beyond the built-in ones, asked before them. */
  readonly formats: readonly Format[];
  /** Patterns of lines that tell of a failure beyond the built-in ones. */
  readonly own: OwnPatterns | undefined;
  readonly dialects: readonly Dialect[];
  readonly hint: FetchHint;
  /** Whether an argument of a format, such as `json_path`, can be answered here. */
  readonly answers: (argument: string) => boolean;
  readonly clock: () => number;
  /** Why an output is held in memory alone; null if it is stored. */
  readonly whyNotStored: (id: ArtifactId) => string | null;
  /** Counts the tokens of a projection. */
  readonly tokens: (text: string) => number;
}

/** What is known of an output when it is projected. */
export interface OutputFacts
  extends Pick<OutputRecord, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'> {
  readonly storage: { readonly id: ArtifactId } | { readonly notStored: string };
  readonly savedPath: string | null;
  /** For a result that is itself a requested range: the call that goes on after what is shown. */
  readonly paged: ((shown: ShownSoFar) => string) | null;
  /** The output of the same call that it was compared with. */
  readonly comparedWith?: ArtifactId | null;
}

/** What else is known when a stored output is projected. */
export interface StoredProjectionFacts {
  readonly savedPath?: string | null;
  readonly about?: About | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the bytes that have been read. */
  readonly seen?: ((bytes: number) => void) | undefined;
}

/** Outputs whose totals are remembered. */
const MOST_REMEMBERED = 10_000;

export class Projector {
  /** The settings of this installation; may be changed while it runs. */
  readonly settings: Settings;
  readonly #options: ProjectorOptions;
  readonly #selectors: Selectors;
  readonly #dialects: ReadonlyMap<string, Dialect>;
  /** Totals in chars of the latest outputs that were projected. */
  readonly #totals = new Map<ArtifactId, number>();

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#selectors = new Selectors(options.strategies, options.formats, options.own);
    this.#dialects = byName(options.dialects);
    this.settings = new Settings({
      strategies: this.#selectors.names,
      dialects: [...this.#dialects.keys()],
    });
  }

  /** Replaces the patterns beyond the built-in ones, from the next output on. */
  set own(own: OwnPatterns) {
    this.#selectors.own = own;
  }

  /** What tells of a failure or a warning. */
  get lexicon(): Lexicon {
    return this.#selectors.lexicon;
  }

  /** The effective policy of a call, and where each of its fields came from. */
  effective(tool: string, session: PolicyPatch | undefined, call: SettingsInput | undefined): Effective {
    return this.settings.ofCall(tool, session, call);
  }

  /** A selector for a part that is about to stream by; null if it is not text to be shown. */
  selector(effective: Effective, spec: PartSpec, call: CallFacts): Selector | null {
    return this.#selectors.start(effective, spec, call);
  }

  /** The most chars that a projection under this policy may have. */
  reach(policy: Policy): number {
    return reachOf(policy);
  }

  project(facts: OutputFacts, sections: readonly Section[], { policy, hash }: Effective): Projected {
    const dialect = named(this.#dialects, policy.dialect);
    if ('id' in facts.storage) this.#remember(facts.storage.id, sections);
    const decider = sections.find((section) => section.selector !== null)?.selector;
    const job = {
      ...facts,
      sections,
      policy,
      policyHash: hash,
      // Asked when it has been decided: what fits as it is needs no decision.
      strategyUsed: () => (facts.paged === null ? (decider?.decidedBy ?? policy.strategy) : 'paged'),
      fallback: () => decider?.fallback ?? null,
      error: () => firstError(sections),
      dialect,
      hint: this.#options.hint,
      answers: this.#options.answers,
      tokens: this.#options.tokens,
    };
    try {
      return project(job);
    } catch (error) {
      // Whoever threw, a renderer, a dialect or a tokenizer: the plain ends in our own words
      // cannot.
      for (const { selector } of sections) if (selector instanceof GuardedSelector) selector.giveUp(error);
      return project({ ...job, dialect: standard, tokens: estimateTokens });
    }
  }

  /**
   * Reads a stored output back and projects it. One that failed is compared with the last time the
   * same call ended well.
   */
  async projectStored(
    store: Store,
    record: OutputRecord,
    effective: Effective,
    { savedPath = null, about }: StoredProjectionFacts = {},
  ): Promise<Projected> {
    const [projected] = await this.projectStoredAs(store, record, [effective], { savedPath, about });
    return projected as Projected;
  }

  /** The same under several policies at once: the output is read once. */
  async projectStoredAs(
    store: Store,
    record: OutputRecord,
    policies: readonly Effective[],
    { savedPath = null, about, signal, seen }: StoredProjectionFacts = {},
  ): Promise<Projected[]> {
    const looks = policies.some(({ policy }) => looksForErrors(policy));
    const baseline = looks ? await baselineOf(store, record) : null;
    const parts = new StoredParts(store, record);
    const input = await inputOf(store, record);
    const views = policies.map((effective) => ({
      effective,
      known: looksForErrors(effective.policy) ? baseline : null,
      gathering: new Gathering(reachOf(effective.policy)),
      ...rangePolicy(record.tool, input, effective),
    }));
    for await (const stored of parts.content(() => true)) {
      if (!isShown(stored.part)) continue;
      const facts = { tool: record.tool, input, about };
      const selectors = views.map(({ chosen, known }) =>
        this.#selectors.start(chosen, stored.part, facts, known ?? {}),
      );
      const blank = await replay(parts, record, stored, selectors, { signal, seen });
      for (const [i, { gathering }] of views.entries())
        gathering.add(
          { part: stored.part, selector: selectors[i] ?? null, blank },
          stored.isLate ? 'late' : 'early',
        );
    }
    const notStored = this.#options.whyNotStored(record.id);
    const storage = notStored === null ? { id: record.id } : { notStored };
    return views.map(({ gathering, paged, known, effective }) => {
      const facts = { ...record, storage, savedPath, paged, comparedWith: known?.id ?? null };
      return this.project(facts, gathering.sections, effective);
    });
  }

  /** Whether a notice names an output that was projected here, and its true total. */
  hasShown({ artifactId, totalChars }: Pick<ParsedProjection, 'artifactId' | 'totalChars'>): boolean {
    return artifactId !== null && totalChars !== null && this.#totals.get(artifactId) === totalChars;
  }

  #remember(id: ArtifactId, sections: readonly Section[]): void {
    if (this.#totals.size >= MOST_REMEMBERED) {
      const [oldest] = this.#totals.keys();
      if (oldest !== undefined) this.#totals.delete(oldest);
    }
    const texts = sections.filter(({ selector }) => selector !== null);
    this.#totals.set(
      id,
      texts.reduce((sum, { part }) => sum + part.chars, 0),
    );
  }

  record(
    output: ArtifactId,
    audience: Audience,
    { policy }: Effective,
    { projection, selections }: Projected,
    about?: About,
  ): ProjectionRecord {
    const kept = boundedAbout(about);
    const disclosed = projection.metadata.artifact_id !== null;
    return {
      output,
      audience,
      at: this.#options.clock(),
      policy,
      rendererVersion: RENDERER_VERSION,
      selections,
      projection,
      disclosed,
      ...(kept === undefined ? {} : { about: kept }),
    };
  }
}

/** Reads a part once for all selectors; whether it is blank. */
async function replay(
  parts: StoredParts,
  record: OutputRecord,
  stored: StoredPart,
  selectors: readonly (Selector | null)[],
  { signal, seen }: Pick<StoredProjectionFacts, 'signal' | 'seen'>,
): Promise<boolean> {
  const busy = selectors.filter((selector) => selector !== null);
  if (busy.length === 0) return false;
  const { at, pieces } = await parts.storeFor(stored).read(record.id, stored.part.index, { bytes: 0 });
  let blank = true;
  for await (const piece of storedPieces(at, pieces)) {
    blank &&= isBlank(piece);
    for (const selector of busy) selector.push(piece);
    // A part of one piece is not worth a pause.
    if (piece.start.bytes > 0) await pauseAtTimes();
    seen?.(piece.bytes.length);
    signal?.throwIfAborted();
  }
  for (const selector of busy) selector.finish?.();
  return blank;
}

/** What the first strategy threw that failed. */
function firstError(sections: readonly Section[]): string | null {
  for (const { selector } of sections)
    if (selector instanceof GuardedSelector && selector.error !== null) return selector.error;
  return null;
}

/** Whether a policy keeps lines that speak of failure. */
export function looksForErrors({ strategy, preserveErrors, salientShare }: Policy): boolean {
  return strategy === 'smart_summary' || (preserveErrors && salientShare > 0 && strategy !== 'none');
}

/** The last time the same call ended well, for an output that did not. */
async function baselineOf(store: Store, record: OutputRecord): Promise<Baseline | null> {
  const input = record.parts.find(({ role }) => role === 'input')?.hash;
  if (input === undefined || !endedBadly(record.outcome)) return null;
  const { scope, tool, startedAt } = record;
  return findBaseline(store, { scope, tool, input, before: startedAt });
}
