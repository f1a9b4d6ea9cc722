/**
 * Makes projections of outputs, whether their parts have just streamed by or are read back from a
 * store: both go through the same table, so both give the same text.
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
import type { PartText, Strategy } from '../model/strategy.ts';
import { Settings } from '../policy/levels.ts';
import type { Effective } from '../policy/resolve.ts';
import { Gathering } from '../projection/gathering.ts';
import { type Projected, project } from '../projection/project.ts';
import type { Section } from '../projection/section.ts';
import { type StoredPart, StoredParts } from '../retrieval/stored-parts.ts';
import { isBlank } from '../text/blank.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { storedPieces } from '../text/stored-pieces.ts';
import { estimateTokens } from '../text/tokens.ts';
import type { OwnPatterns, Vocabulary } from '../vocabulary/vocabulary.ts';
import { standard } from '../wording/dialects/standard.ts';
import type { ParsedProjection } from '../wording/parse-projection.ts';
import { type Baseline, findBaseline } from './baseline.ts';
import { byName, errorName, named } from './named.ts';
import { inputOf } from './recorded-page.ts';
import { type CallFacts, rangePolicy, reachOf, Texts } from './texts.ts';

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
  readonly #texts: Texts;
  readonly #dialects: ReadonlyMap<string, Dialect>;
  /** Totals in chars of the latest outputs that were projected. */
  readonly #totals = new Map<ArtifactId, number>();

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#texts = new Texts(options.strategies, options.formats, options.own);
    this.#dialects = byName(options.dialects);
    this.settings = new Settings({
      strategies: this.#texts.names,
      dialects: [...this.#dialects.keys()],
    });
  }

  /** Replaces the patterns beyond the built-in ones, from the next output on. */
  set own(own: OwnPatterns) {
    this.#texts.own = own;
  }

  /** What tells of a failure or a warning. */
  get vocabulary(): Vocabulary {
    return this.#texts.vocabulary;
  }

  /** The effective policy of a call, and where each of its fields came from. */
  effective(tool: string, session: PolicyPatch | undefined, call: SettingsInput | undefined): Effective {
    return this.settings.ofCall(tool, session, call);
  }

  /** A part that is about to stream by; null if it is not text to be shown. */
  text(effective: Effective, spec: PartSpec, call: CallFacts): PartText | null {
    return this.#texts.start(effective, spec, call);
  }

  /** Takes the parts of an output. Where errors are looked for, many blocks are judged together. */
  gathering(effective: Effective, call: CallFacts): Gathering {
    const { policy, origins } = effective;
    const isRange = origins.strategy.source === 'requested range';
    const joins = !isRange && policy.perPartLimit === null && looksForErrors(policy);
    const joint = (like: PartSpec) => this.#texts.start(effective, like, call) as PartText;
    return new Gathering(reachOf(policy), joins ? joint : null);
  }

  project(facts: OutputFacts, sections: readonly Section[], { policy, hash }: Effective): Projected {
    const dialect = named(this.#dialects, policy.dialect);
    if ('id' in facts.storage) this.#remember(facts.storage.id, sections);
    const { hint, answers, tokens } = this.#options;
    const job = { ...facts, sections, policy, policyHash: hash, dialect, hint, answers, tokens };
    try {
      return project(job);
    } catch (thrown) {
      // A dialect or a tokenizer of the host threw: our own words and our own count cannot.
      return project({ ...job, dialect: standard, tokens: estimateTokens, error: errorName(thrown) });
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
    const facts = { tool: record.tool, input, about };
    const views = policies.map((effective) => {
      const { chosen, paged } = rangePolicy(record.tool, input, effective);
      const known = looksForErrors(effective.policy) ? baseline : null;
      return { effective, chosen, paged, known, gathering: this.gathering(chosen, facts) };
    });
    for await (const stored of parts.content(() => true)) {
      if (!isShown(stored.part)) continue;
      const texts = views.map(({ chosen, known }) => {
        const text = this.#texts.start(chosen, stored.part, facts);
        if (known !== null) text?.compare((line) => known.isNew(line));
        return text;
      });
      const blank = await replay(parts, record, stored, texts, { signal, seen });
      for (const [i, { gathering }] of views.entries())
        gathering.add({ part: stored.part, text: texts[i] ?? null, blank }, stored.isLate ? 'late' : 'early');
    }
    const notStored = this.#options.whyNotStored(record.id);
    const storage = notStored === null ? { id: record.id } : { notStored };
    return views.map(({ gathering, paged, known, effective }) => {
      const { sections } = gathering;
      // Of blocks that are judged together the joined text is compared.
      if (known !== null) for (const { text } of sections) text?.compare((line) => known.isNew(line));
      const facts = { ...record, storage, savedPath, paged, comparedWith: known?.id ?? null };
      return this.project(facts, sections, effective);
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
    const texts = sections.filter(({ text }) => text !== null);
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

/** Reads a part once for all policies; whether it is blank. */
async function replay(
  parts: StoredParts,
  record: OutputRecord,
  stored: StoredPart,
  texts: readonly (PartText | null)[],
  { signal, seen }: Pick<StoredProjectionFacts, 'signal' | 'seen'>,
): Promise<boolean> {
  const busy = texts.filter((text) => text !== null);
  if (busy.length === 0) return false;
  const { at, pieces } = await parts.storeFor(stored).read(record.id, stored.part.index, { bytes: 0 });
  let blank = true;
  for await (const piece of storedPieces(at, pieces)) {
    blank &&= isBlank(piece);
    for (const text of busy) text.push(piece);
    // A part of one piece is not worth a pause.
    if (piece.start.bytes > 0) await pauseAtTimes();
    seen?.(piece.bytes.length);
    signal?.throwIfAborted();
  }
  return blank;
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
