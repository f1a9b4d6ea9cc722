/**
 * Answers a captured result: projects it once, seals it together with that projection and returns
 * what the model reads. What was cut is durable before it is answered; what is shown whole may be
 * answered while it is being sealed: `sealed` waits for that. A failing run is compared with its
 * baseline before it is projected. If storing fails, the answer says so. The notice names the plain
 * copy before the copy is written; if writing it fails, the projection is made again without the
 * name, so that no answer names a file that is not there. A process that is killed in between leaves
 * a mark, and the next one writes the copy (upkeep.ts).
 */
import { SpillwayError } from '../model/errors.ts';
import { type LedgerEvent, projectedEvent } from '../model/events.ts';
import { endedBadly } from '../model/outcome.ts';
import type { Call, OutputRecord } from '../model/output.ts';
import type { PlainCopyFolder } from '../model/plain-copies.ts';
import type { Policy } from '../model/policy.ts';
import type { Projection, ProjectionRecord } from '../model/projection.ts';
import type { SealResult, Store } from '../model/store.ts';
import type { Processed } from '../options.ts';
import { type ContextWindow, ownLimit } from '../policy/adaptive.ts';
import { changedFields, type Effective, withInlineLimit } from '../policy/resolve.ts';
import { shareBatch } from '../policy/share-batch.ts';
import type { Projected } from '../projection/project.ts';
import { wholeChars } from '../projection/project.ts';
import { readRaw } from '../retrieval/raw.ts';
import { formatBytes } from '../text/numbers.ts';
import { findBaseline } from './baseline.ts';
import { type Captures, type ClosedCapture, TURNED_OFF } from './captures.ts';
import type { Ledger } from './ledger.ts';
import type { Policies } from './policies.ts';
import { looksForErrors, type OutputFacts, type Projector } from './projector.ts';
import { noStore } from './stored-outputs.ts';

export interface AnswersOptions {
  readonly store: Store | null;
  readonly projector: Projector;
  readonly policies: Policies;
  readonly captures: Captures;
  readonly ledger: Ledger;
  readonly plainCopies: PlainCopyFolder | null;
  /** Throw instead of answering when an output cannot be stored. */
  readonly strict: boolean;
}

export class Answers {
  readonly #options: AnswersOptions;
  /** The output behind each answer, by its projection. */
  readonly #sealed = new WeakMap<Projection, Promise<OutputRecord | null>>();

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** The output behind an answer once it is durable; null if it was not stored. */
  async sealed({ projection }: Pick<Processed, 'projection'>): Promise<OutputRecord | null> {
    const sealed = this.#sealed.get(projection);
    if (sealed !== undefined) return sealed;
    throw new SpillwayError('invalid_argument', 'Give what `process` of this Spillway resolved with.');
  }

  /** Answers one result within what the window has room for. */
  async one(closed: ClosedCapture, window: ContextWindow | undefined): Promise<Processed> {
    const { policy } = closed.effective;
    if (this.#isPage(closed)) return this.#within(closed, policy.inlineLimit, 'fetched page');
    const limit = limitOf(closed, window !== undefined);
    if (window === undefined) return this.#within(closed, limit, 'failing_factor');
    const [chars = limit] = shareBatch([{ size: limit, limit, policy }], window);
    return this.#within(closed, chars, 'window');
  }

  /**
   * Answers results that are read together; what the window has room for is shared over them by
   * need.
   */
  async batch(closed: readonly ClosedCapture[], window: ContextWindow | undefined): Promise<Processed[]> {
    if (window === undefined) return Promise.all(closed.map((one) => this.one(one, undefined)));
    const needs = closed.map((one) => ({
      size: one.sections.reduce((sum, { part }) => sum + part.chars, 0),
      limit: limitOf(one, true),
      policy: one.effective.policy,
    }));
    const shares = shareBatch(needs, window);
    return Promise.all(
      closed.map((one, i) =>
        this.#isPage(one) ? this.one(one, window) : this.#within(one, shares[i] ?? 0, 'window'),
      ),
    );
  }

  /** Answers within so many chars; `source` says what decided on them. */
  async #within(closed: ClosedCapture, chars: number, source: string): Promise<Processed> {
    const answered = await this.#answer(closed, withInlineLimit(closed.effective, chars, source));
    return 'failure' in closed ? { ...answered, failure: closed.failure } : answered;
  }

  #isPage({ call, audience }: ClosedCapture): boolean {
    return audience === 'model' && this.#options.policies.fetches(call);
  }

  async #answer(given: ClosedCapture, effective: Effective): Promise<Processed> {
    if (given.capture.notStored !== null) return this.#answerUnstored(given, effective);
    const closed = await this.#compared(given, effective);
    const savedPath = this.#copyPath(closed);
    const projected = this.#project(closed, effective, { storage: { id: closed.draft.id }, savedPath });
    const copies = this.#options.plainCopies;
    const named = projected.projection.metadata.saved_path !== null;
    if (named) await copies?.announce?.(closed.draft);
    const sealing = this.#seal(closed, effective, projected);
    if (this.#isWhole(projected) && (await this.#isNew(closed.call)))
      return this.#answered(
        projected.projection,
        sealing.then((sealed) => sealed?.record ?? null),
      );
    const answer = this.#answerSealed(closed, effective, sealing, (record) =>
      this.#withCopy(closed, effective, projected, record, savedPath),
    );
    return named ? answer.finally(() => copies?.settle?.(closed.draft)) : answer;
  }

  /** Answers once the output is durable; `show` projects one that was added now. */
  async #answerSealed(
    closed: ClosedCapture,
    effective: Effective,
    sealing: Promise<SealResult | undefined>,
    show: (record: OutputRecord) => Promise<Projection>,
  ): Promise<Processed> {
    const sealed = await sealing;
    if (sealed === undefined) return this.#answerUnstored(closed, effective);
    const { record, existing } = sealed;
    const answering = existing ? this.#earlier(record, closed, effective) : show(record);
    // The output is sealed, but its store was purged, removed or failed since: what it said can
    // still be shown.
    const projection = answering.catch(ifStoreFailed(() => this.#unnamed(closed, effective).projection));
    return this.#answered(await projection, Promise.resolve(record));
  }

  #answered(projection: Projection, sealed: Promise<OutputRecord | null>): Processed {
    this.#sealed.set(projection, sealed);
    return { projection };
  }

  #project(
    { sections, facts, paged, comparedWith = null }: ClosedCapture,
    effective: Effective,
    where: Pick<OutputFacts, 'storage' | 'savedPath'>,
  ): Projected {
    return this.#options.projector.project({ ...facts, ...where, paged, comparedWith }, sections, effective);
  }

  #seal(closed: ClosedCapture, effective: Effective, projected: Projected): Promise<SealResult | undefined> {
    const { captures, projector } = this.#options;
    // Captured first, so that readers of the ledger since a point in time find both or none.
    const captured = this.#captured(closed);
    const projection = projector.record(closed.draft.id, closed.audience, effective, projected, closed.about);
    return captures.seal(closed, [...captured, this.#projected(closed, projection)], projection);
  }

  #captured(closed: ClosedCapture): readonly LedgerEvent[] {
    return this.#options.captures.events(closed, totalOf(closed, 'chars'));
  }

  #projected({ call, effective }: ClosedCapture, projection: ProjectionRecord): LedgerEvent {
    return projectedEvent(call, projection, changedFields(effective));
  }

  get #store(): Store {
    const { store } = this.#options;
    if (store === null) throw noStore();
    return store;
  }

  /**
   * An uncut result needs no handle: it may be answered while it is being sealed, if its call id is
   * new.
   */
  #isWhole({ projection: { metadata } }: Projected): boolean {
    return metadata.artifact_id === null && !metadata.was_truncated && !this.#options.strict;
  }

  async #isNew({ scope, session, callId }: Call): Promise<boolean> {
    if (callId === undefined) return true;
    // A store that cannot tell may fail to seal as well: that is waited for.
    const found = await this.#store.find({ scope, session, callId }).catch(() => null);
    return found === undefined;
  }

  /** The same output came before: what was shown of it then is shown again. */
  async #earlier(
    record: OutputRecord,
    { audience, about }: ClosedCapture,
    effective: Effective,
  ): Promise<Projection> {
    const { projector } = this.#options;
    const frozen = await this.#store.frozen(record.id, audience);
    if (frozen !== undefined) return frozen.projection;
    const projected = await projector.projectStored(this.#store, record, effective, { about });
    const made = projector.record(record.id, audience, effective, projected, about);
    return (await this.#store.freeze(made)).projection;
  }

  /** A failing run that has to be cut: lines that are new since the same call ended well count more. */
  async #compared(closed: ClosedCapture, { policy }: Effective): Promise<ClosedCapture> {
    const { captured, paged, facts, call, sections } = closed;
    if (this.#options.store === null || captured.inputHash === '' || paged !== null) return closed;
    if (!endedBadly(facts.outcome) || !looksForErrors(policy) || !mayBeCut(closed, policy)) return closed;
    const { scope, tool } = call;
    const baseline = await findBaseline(this.#store, { scope, tool, input: captured.inputHash });
    if (baseline === null) return closed;
    for (const { text } of sections) text?.compare((line) => baseline.isNew(line));
    return { ...closed, comparedWith: baseline.id };
  }

  /** Where the plain copy goes; a result that is itself a requested range gets none. */
  #copyPath({ draft, sections, paged }: ClosedCapture): string | null {
    if (paged !== null) return null;
    return this.#options.plainCopies?.path(draft, totalOf({ sections }, 'bytes')) ?? null;
  }

  /** Writes the plain copy of what was cut; if that fails, the notice must not name it. */
  async #withCopy(
    closed: ClosedCapture,
    effective: Effective,
    projected: Projected,
    record: OutputRecord,
    savedPath: string | null,
  ): Promise<Projection> {
    const { projection } = projected;
    if (savedPath === null || projection.metadata.artifact_id === null) return projection;
    if (await this.#writeCopy(record)) return projection;
    return this.#replace(closed, effective, this.#unnamed(closed, effective));
  }

  /** The projection that names no plain copy. */
  #unnamed(closed: ClosedCapture, effective: Effective): Projected {
    return this.#project(closed, effective, { storage: { id: closed.draft.id }, savedPath: null });
  }

  /** Whether the copy is there now. */
  async #writeCopy(record: OutputRecord): Promise<boolean> {
    const bytes = readRaw(this.#store, record, { part: null, want: { kind: 'all' } });
    return (await this.#options.plainCopies?.write(record, bytes).catch(() => false)) ?? false;
  }

  /** Replaces the projection that was sealed; the ledger was told of that one. */
  #replace({ draft, audience, about }: ClosedCapture, effective: Effective, projected: Projected) {
    const made = this.#options.projector.record(draft.id, audience, effective, projected, about);
    const freezing = this.#store.freeze(made, 'replace').then(({ projection }) => projection);
    return freezing.catch(ifStoreFailed(() => projected.projection));
  }

  async #answerUnstored(closed: ClosedCapture, effective: Effective): Promise<Processed> {
    const { capture, call } = closed;
    const { why, cause } = capture.notStored ?? TURNED_OFF;
    const isExcluded = closed.effective.policy.exclude !== 'nothing';
    if (this.#options.store !== null && this.#options.strict && !isExcluded)
      throw new SpillwayError('not_stored', `The output could not be stored: ${why}.`, { cause });
    if (!isExcluded) await this.#options.captures.noteNotStored(call, why);
    const { projection } = this.#project(closed, effective, { storage: { notStored: why }, savedPath: null });
    const refused = capture.isRejected ? { notStored: overMax(effective, capture.bytes) } : {};
    return { ...this.#answered(projection, Promise.resolve(null)), ...refused };
  }
}

/**
 * The chars a result may have before the window is looked at; repetition counts only where room is
 * short.
 */
function limitOf({ effective, captured, facts }: ClosedCapture, roomIsShort: boolean): number {
  const { inlineLimit, failingFactor } = effective.policy;
  const distinct = roomIsShort ? captured.distinct : 1;
  return ownLimit({ limit: inlineLimit, failed: facts.outcome.status !== 'ok', failingFactor, distinct });
}

/** Of the text parts that the tool returned. */
function totalOf({ sections }: Pick<ClosedCapture, 'sections'>, unit: 'chars' | 'lines' | 'bytes'): number {
  return sections.reduce((sum, { part, text }) => sum + (text === null ? 0 : part[unit]), 0);
}

/** Whether a text is over one of the limits; formatting that is left out may still make it fit. */
function mayBeCut(closed: ClosedCapture, policy: Policy): boolean {
  const { maxLines, maxTokens, perPartLimit } = policy;
  if (totalOf(closed, 'chars') > wholeChars(policy) || maxTokens !== null) return true;
  if (maxLines !== null && totalOf(closed, 'lines') > maxLines) return true;
  return perPartLimit !== null && closed.sections.some(({ part }) => part.chars > perPartLimit);
}

/** Answers otherwise where the store failed; any other error is thrown on. */
function ifStoreFailed(otherwise: () => Projection): (error: unknown) => Projection {
  return (error) => {
    if (error instanceof SpillwayError) return otherwise();
    throw error;
  };
}

function overMax({ policy: { maxArtifactSize } }: Effective, bytes: number): string {
  return `${formatBytes(bytes)} is over max_artifact_size (${formatBytes(maxArtifactSize)}) and on_over_max is "reject".`;
}
