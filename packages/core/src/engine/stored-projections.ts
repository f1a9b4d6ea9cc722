/**
 * Projections of outputs that are stored. The first projection for an audience is frozen: it is
 * shown again as it was. Previews and projections that are made together freeze nothing.
 */
import { projectedEvent } from '../model/events.ts';
import type { OutputName, OutputRecord } from '../model/output.ts';
import { isShown } from '../model/part.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import type { WaitOptions } from '../model/store.ts';
import type { ProjectOptions } from '../options.ts';
import { type ContextWindow, ownLimit } from '../policy/adaptive.ts';
import { withInlineLimit } from '../policy/resolve.ts';
import { shareBatch } from '../policy/share-batch.ts';
import type { Projected } from '../projection/project.ts';
import type { Ledger } from './ledger.ts';
import type { Pages } from './pages.ts';
import type { Policies, StoredPolicy } from './policies.ts';
import type { Projector } from './projector.ts';
import type { StoredOutputs } from './stored-outputs.ts';

export interface StoredProjectionsOptions {
  readonly projector: Projector;
  readonly policies: Policies;
  readonly pages: Pages;
  readonly ledger: Ledger;
  readonly outputs: StoredOutputs;
}

/** How several stored outputs are projected for one request. */
export interface TogetherOptions extends ProjectOptions {
  readonly window?: ContextWindow;
  readonly floor?: 'usual' | 'lowest';
}

export class StoredProjections {
  readonly #options: StoredProjectionsOptions;

  constructor(options: StoredProjectionsOptions) {
    this.#options = options;
  }

  /** The frozen projection, or one made now and frozen. */
  async first(name: OutputName, options: ProjectOptions): Promise<ProjectionRecord> {
    const { outputs } = this.#options;
    const record = await outputs.find(name, options);
    const frozen = await outputs.storeFor(options).frozen(record.id, options.audience ?? 'model');
    return frozen ?? this.#make(record, options, 'first');
  }

  /** A new projection in place of the frozen one. */
  async again(name: OutputName, options: ProjectOptions): Promise<ProjectionRecord> {
    return this.#make(await this.#options.outputs.find(name, options), options, 'replace');
  }

  /** Keeps what an audience was sent of an output, unless it was sent something before. */
  async freeze(
    output: OutputRecord,
    projection: ProjectionRecord,
    mode: 'first' | 'replace',
    wait: WaitOptions = {},
  ): Promise<ProjectionRecord> {
    wait.signal?.throwIfAborted();
    const kept = await this.#options.outputs.storeFor(wait).freeze(projection, mode);
    await this.#options.ledger.note(projectedEvent(output, kept));
    return kept;
  }

  /** What the projection would be. */
  async preview(name: OutputName, options: ProjectOptions): Promise<Projected> {
    const { outputs, policies, projector } = this.#options;
    const record = await outputs.find(name, options);
    const { effective } = await policies.ofStored(record, options);
    return projector.projectStored(outputs.storeFor(options), record, effective, { about: options.about });
  }

  /** What outputs would look like that are read together. */
  async together(records: readonly OutputRecord[], options: TogetherOptions): Promise<ProjectionRecord[]> {
    options.signal?.throwIfAborted();
    const all: (StoredPolicy & { readonly record: OutputRecord })[] = [];
    for (const record of records)
      all.push({ record, ...(await this.#options.policies.ofStored(record, options)) });
    const needs = all.map((one) => ({
      size: contentChars(one.record),
      limit: limitOf(one),
      policy: one.effective.policy,
    }));
    const shares = shareBatch(needs, options.window, options.floor);
    const made: ProjectionRecord[] = [];
    // One after the other: each reads a whole output back.
    for (const [i, one] of all.entries()) made.push(await this.#within(one, shares[i] ?? 0, options));
    return made;
  }

  /** A projection made now and frozen. */
  async #make(
    record: OutputRecord,
    options: ProjectOptions,
    mode: 'first' | 'replace',
  ): Promise<ProjectionRecord> {
    const { effective } = await this.#options.policies.ofStored(record, options);
    const { projector, outputs } = this.#options;
    const { audience = 'model' } = options;
    const store = outputs.storeFor(options);
    const about = options.about ?? (await store.frozen(record.id, audience))?.about;
    const projected = await projector.projectStored(store, record, effective, { about });
    const made = projector.record(record.id, audience, effective, projected, about);
    return this.freeze(record, made, mode, options);
  }

  async #within(
    { record, effective, page }: StoredPolicy & { readonly record: OutputRecord },
    chars: number,
    { audience = 'model', about, ...wait }: ProjectOptions,
  ): Promise<ProjectionRecord> {
    const { projector, pages, outputs } = this.#options;
    const store = outputs.storeFor(wait);
    if (page !== null) {
      const projected = await pages.project(store, record, effective, page, chars);
      return projector.record(record.id, audience, effective, projected);
    }
    const fitted = withInlineLimit(effective, chars, 'window');
    const projected = await projector.projectStored(store, record, fitted, { about });
    return projector.record(record.id, audience, fitted, projected, about);
  }
}

/** The chars a stored output may have before the window is looked at. */
function limitOf({ record, effective, page }: StoredPolicy & { readonly record: OutputRecord }): number {
  const { inlineLimit, failingFactor } = effective.policy;
  if (page !== null) return inlineLimit;
  return ownLimit({
    limit: inlineLimit,
    failingFactor,
    failed: record.outcome.status !== 'ok',
    distinct: 1,
  });
}

/** Bundles count as content too. */
function contentChars({ parts }: OutputRecord): number {
  return parts.reduce((sum, part) => sum + (isShown(part) ? part.chars : 0), 0);
}
