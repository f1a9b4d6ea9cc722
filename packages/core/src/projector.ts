/**
 * Makes projections of outputs, whether their parts have just streamed by or are read back from a store: both go through the same selectors,
 * so both give the same text.
 */
import type { ArtifactId } from './model/artifact.ts';
import type { Dialect } from './model/dialect.ts';
import { SpillwayError } from './model/errors.ts';
import type { FetchHint } from './model/fetch.ts';
import type { OutputRecord } from './model/output.ts';
import type { PartRecord, PartSpec } from './model/part.ts';
import type { Policy, PolicyPatch } from './model/policy.ts';
import type { Audience, ProjectionRecord } from './model/projection.ts';
import type { Store } from './model/store.ts';
import type { Selector, Strategy } from './model/strategy.ts';
import { policyHash, resolvePolicy } from './policy/resolve.ts';
import { type Projected, project, RENDERER_VERSION } from './projection/project.ts';
import type { Section } from './projection/section.ts';
import { PieceCutter } from './text/pieces.ts';

export interface ProjectorOptions {
  readonly strategies: readonly Strategy[];
  readonly dialects: readonly Dialect[];
  readonly hint: FetchHint;
  readonly settings: (tool: string) => readonly PolicyPatch[];
  readonly clock: () => number;
}

/** What is known of an output when it is projected. */
export interface OutputFacts
  extends Pick<OutputRecord, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'> {
  readonly storage: { readonly id: ArtifactId } | { readonly notStored: string };
  readonly savedPath: string | null;
}

export class Projector {
  readonly #options: ProjectorOptions;
  readonly #strategies: ReadonlyMap<string, Strategy>;
  readonly #dialects: ReadonlyMap<string, Dialect>;

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#strategies = new Map(options.strategies.map((strategy) => [strategy.name, strategy]));
    this.#dialects = new Map(options.dialects.map((dialect) => [dialect.name, dialect]));
  }

  /** The effective policy of a call. */
  policy(tool: string, patch: PolicyPatch = {}): Policy {
    const known = { strategies: [...this.#strategies.keys()], dialects: [...this.#dialects.keys()] };
    return resolvePolicy([...this.#options.settings(tool), patch], known);
  }

  /** A selector for a part that is about to stream by; null if it is not text to be shown. */
  selector(policy: Policy, spec: PartSpec): Selector | null {
    if (spec.role !== 'content' || spec.kind === 'binary') return null;
    return named(this.#strategies, policy.strategy).start(
      policy,
      policy.strategy === 'none' ? Number.POSITIVE_INFINITY : policy.inlineLimit,
    );
  }

  project(facts: OutputFacts, sections: readonly Section[], policy: Policy): Projected {
    const dialect = named(this.#dialects, policy.dialect);
    return project({
      ...facts,
      sections,
      policy,
      policyHash: policyHash(policy),
      strategyUsed: policy.strategy,
      dialect,
      hint: this.#options.hint,
      tokens: (text) => Math.ceil(text.length / 4),
    });
  }

  /** Reads a stored output back and projects it. */
  async projectStored(store: Store, record: OutputRecord, policy: Policy): Promise<Projected> {
    const sections: Section[] = [];
    for (const part of record.parts) {
      if (part.role === 'content')
        sections.push({ part, selector: await this.#replay(store, record, part, policy) });
    }
    return this.project({ ...record, storage: { id: record.id }, savedPath: null }, sections, policy);
  }

  record(
    output: ArtifactId,
    audience: Audience,
    policy: Policy,
    { projection, selections }: Projected,
  ): ProjectionRecord {
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
    };
  }

  async #replay(
    store: Store,
    record: OutputRecord,
    part: PartRecord,
    policy: Policy,
  ): Promise<Selector | null> {
    const selector = this.selector(policy, part);
    if (selector === null) return null;
    const cutter = new PieceCutter(part.kind);
    const reading = await store.read(record.id, part.index, { bytes: 0 });
    for await (const bytes of reading.pieces) for (const piece of cutter.push(bytes)) selector.push(piece);
    for (const piece of cutter.finish()) selector.push(piece);
    return selector;
  }
}

function named<T>(map: ReadonlyMap<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined)
    throw new SpillwayError(
      'invalid_policy',
      `${JSON.stringify(name)} is not known. Known: ${[...map.keys()].join(', ')}.`,
    );
  return found;
}
