/**
 * One call from its result to its answer: begin, record, close, project, seal. What was cut is durable before it is answered; what is
 * shown whole may be answered while it is being sealed. If storing fails, the answer says so.
 */

import { requestedRange } from './capture/range.ts';
import { inputPart } from './capture/result.ts';
import { summarise } from './capture/summary.ts';
import { type ArtifactId, mintArtifactId } from './model/artifact.ts';
import { SpillwayError } from './model/errors.ts';
import { type EventType, type LedgerEvent, projectedEvent } from './model/events.ts';
import { spellCall } from './model/fetch.ts';
import { endedBadly, type Outcome } from './model/outcome.ts';
import type { Call, OutputRecord } from './model/output.ts';
import type { Audience, Projection } from './model/projection.ts';
import type { Seal, SealResult, Store } from './model/store.ts';
import { changedFields, type Effective, withInlineLimit, withStrategy } from './policy/resolve.ts';
import type { Projected } from './projection/project.ts';
import { looksForErrors, type OutputFacts, type Projector } from './projector.ts';
import { type Recorded, Recording } from './recording.ts';
import { parseRequest } from './retrieval/request.ts';
import { readRaw } from './retrieval/retrieve.ts';
import { bytesForPeople } from './text/numbers.ts';
import { decode } from './text/utf8.ts';

const COPY_CHARS = 65_536;

export interface IntakeOptions {
  readonly store: Store | null;
  readonly projector: Projector;
  readonly plainCopies: PlainCopyFolder | null;
  readonly strict: boolean;
  readonly maxCapture: number;
  readonly clock: () => number;
  readonly random: (count: number) => Uint8Array;
  readonly onEvent: (event: LedgerEvent) => void;
  /** Something was stored in a scope; what there is to do then must not hold up the answer. */
  readonly onStored: (scope: string) => Promise<void>;
}

/** Where plain copies are kept. Both are best effort. */
export interface PlainCopyFolder {
  /** The path of the copy, or null if it could not be written. */
  write(record: OutputRecord, bytes: AsyncIterable<Uint8Array>): Promise<string | null>;
  /** Whether there was one. */
  remove(record: OutputRecord): Promise<boolean>;
}

/** What came of a result: what the model reads, and what is kept. */
export interface Processed {
  readonly projection: Projection;
  /** The stored output; null if it was not stored. For an uncut result this may settle after the answer was given. */
  readonly sealed: Promise<OutputRecord | null>;
  /** Why it was not stored, in a sentence for people, where settings said so. */
  readonly notStored?: string;
  /** Set when the source failed while it was read: what had arrived was recorded, marked incomplete. */
  readonly failure?: unknown;
}

/** How a capture that was fed by hand ended. */
export interface CaptureEnd {
  readonly outcome: Outcome;
  /** False when there would have been more. */
  readonly complete: boolean;
  readonly sourceTruncated?: boolean;
}

/** An output that is being recorded. */
export interface Capture {
  readonly call: Call;
  readonly id: ArtifactId;
  readonly effective: Effective;
  readonly audience: Audience;
  readonly recording: Recording;
  readonly paged: OutputFacts['paged'];
}

/** An output that has been recorded but not yet answered. */
export interface Closed {
  readonly failure?: unknown;
  readonly capture: Capture;
  readonly recorded: Recorded;
  /** The output of the same call, if it was made before in this session. */
  readonly before: OutputRecord | null;
  readonly facts: Pick<Seal, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'>;
}

/** Why an output was not stored. */
export interface NotStored {
  readonly why: string;
  readonly cause: unknown;
}

export class Intake {
  readonly #options: IntakeOptions;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** `audience` null: nobody is answered, the output is only kept. */
  async begin(call: Call, effective: Effective, audience: Audience | null): Promise<Capture> {
    const { projector, store } = this.#options;
    const startedAt = this.#options.clock();
    const id = mintArtifactId(startedAt, this.#options.random);
    const { tool, session, scope, callId } = call;
    const draft = { id, tool, session, scope, startedAt, ...(callId === undefined ? {} : { callId }) };
    const created = await store?.create(draft).then(
      (writer) => ({ writer }),
      (failure: unknown) => ({ failure }),
    );
    const range = effective.policy.strategy === 'none' ? null : requestedRange(call.input);
    const chosen = range === null ? effective : withStrategy(effective, 'head', 'requested range');
    const { policy } = chosen;
    const recording = new Recording({
      writer: created !== undefined && 'writer' in created ? created.writer : null,
      whyNot: 'storing is turned off',
      selector: (spec) =>
        audience === null ? null : projector.selector(chosen, spec, { tool, input: call.input }),
      reachChars: projector.reach(policy),
      maxCapture: this.#options.maxCapture,
      rejectAbove: policy.onOverMax === 'reject' ? policy.maxArtifactSize : Number.POSITIVE_INFINITY,
    });
    if (created !== undefined && 'failure' in created) await recording.giveUp(created.failure);
    if (call.input !== undefined) await recording.take([inputPart(call.input, call.inputText)]);
    return {
      call,
      id,
      effective,
      audience: audience ?? 'model',
      recording,
      paged: range === null ? null : (shown) => spellCall(tool, range.next(shown)),
    };
  }

  /** Everything has arrived: what it came to. */
  async close(capture: Capture, { outcome, complete, sourceTruncated = false }: CaptureEnd): Promise<Closed> {
    const { recording, call } = capture;
    const recorded = await recording.finish();
    const summary = summarise(call.tool, call.input, decode(recorded.opening));
    return {
      capture,
      recorded,
      before: await this.#runBefore(call, recorded.inputHash),
      facts: { outcome, complete: complete && !recording.full, sourceTruncated, summary },
    };
  }

  /** Projects, seals and answers; `limit` is the chars this result may have, and what decided it. */
  async answer(
    closed: Closed,
    limit: { readonly chars: number; readonly source: string },
  ): Promise<Processed> {
    const answered = await this.#answer(
      closed,
      withInlineLimit(closed.capture.effective, limit.chars, limit.source),
    );
    return 'failure' in closed ? { ...answered, failure: closed.failure } : answered;
  }

  /** Seals without projecting: what becomes of it is decided when it is sent. */
  async keep(closed: Closed): Promise<SealResult> {
    const kept = await this.keepIfPossible(closed);
    if ('record' in kept) return kept;
    const { why, cause } = kept;
    throw new SpillwayError('not_stored', `The output ${closed.capture.id} could not be stored: ${why}.`, {
      cause,
    });
  }

  /** The same, or why it was not stored: counted and told to the ledger. */
  async keepIfPossible(closed: Closed): Promise<SealResult | NotStored> {
    const { capture, facts } = closed;
    const { recording, call } = capture;
    const events = this.#captured(closed, charsOf(closed.recorded));
    const seal = { ...facts, endedAt: this.#options.clock(), parts: closed.recorded.totals, events };
    const sealed = this.#told(seal, await this.#track(recording.seal(seal)));
    if (sealed !== undefined) return sealed;
    const { why, cause } = recording.notStored ?? { why: 'storing is turned off', cause: undefined };
    if (this.#options.store !== null) await this.note(this.#event('not_stored', call, undefined, { why }));
    return { why, cause };
  }

  async #answer(closed: Closed, effective: Effective): Promise<Processed> {
    const { capture } = closed;
    if (capture.recording.notStored !== null) return this.#answerUnstored(closed, effective);
    const projected = this.#project(closed, effective, { storage: { id: capture.id }, savedPath: null });
    const compares = await this.#compares(closed, effective, projected);
    const seal = this.#seal(closed, effective, projected, compares ? 'later' : 'now');
    const sealing = this.#track(capture.recording.seal(seal).then((sealed) => this.#told(seal, sealed)));
    if (await this.#mayAnswerBefore(capture, projected)) {
      return { projection: projected.projection, sealed: sealing.then((sealed) => sealed?.record ?? null) };
    }
    const sealed = await sealing;
    if (sealed === undefined) return this.#answerUnstored(closed, effective);
    const { record, existing } = sealed;
    const projection = existing
      ? await this.#earlier(record, capture, effective).catch(shownInstead(projected))
      : compares
        ? await this.#compared(closed, effective, record).catch(shownInstead(projected))
        : await this.#withCopy(closed, effective, record, projected);
    return { projection, sealed: Promise.resolve(record) };
  }

  /** Waits until everything that was answered is stored as well. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Tells the ledger. Nothing depends on it: a store that cannot take an event must not take away an answer. */
  async note(event: LedgerEvent): Promise<void> {
    this.#options.onEvent(event);
    await this.#store.note([event]).catch(() => undefined);
  }

  get #store(): Store {
    if (this.#options.store === null)
      throw new SpillwayError('store_unavailable', 'Nothing is stored here: open Spillway with a store.');
    return this.#options.store;
  }

  #project(
    { capture, recorded, facts }: Closed,
    effective: Effective,
    where: Pick<OutputFacts, 'storage' | 'savedPath'>,
  ): Projected {
    const about = { ...facts, ...where, paged: capture.paged };
    return this.#options.projector.project(about, recorded.sections, effective);
  }

  /** `freeze`: with the seal, or once more is known. */
  #seal(closed: Closed, effective: Effective, projected: Projected, freeze: 'now' | 'later'): Seal {
    const { capture, recorded, facts } = closed;
    const { id, audience, call } = capture;
    const { totals } = recorded;
    const captured = this.#captured(closed, projected.projection.metadata.original_size);
    const projection = this.#options.projector.record(id, audience, effective, projected);
    const events = [...captured, projectedEvent(call, projection, changedFields(capture.effective))];
    const whole = { ...facts, endedAt: this.#options.clock(), parts: totals, events };
    // With a plain copy to be named in the notice, the projection is frozen once the copy is there.
    return freeze === 'later' || this.#wantsCopy(projected) ? whole : { ...whole, projection };
  }

  /** That an output was captured, and, where the same call was made before, that it was made again. */
  #captured({ capture: { call, id }, recorded, facts, before }: Closed, chars: number): LedgerEvent[] {
    const captured = this.#event('captured', call, id, {
      bytes: recorded.totals.reduce((sum, { bytes }) => sum + bytes, 0),
      chars,
      status: facts.outcome.status,
      input: recorded.inputHash,
    });
    if (before === null) return [captured];
    return [captured, this.#event('reexecuted', call, id, { of: before.id, cut: before.disclosed })];
  }

  /** The last output of the same tool with the same input in this session. Nothing depends on it: a store that cannot tell has none. */
  async #runBefore({ scope, session, tool }: Call, input: string): Promise<OutputRecord | null> {
    if (input === '' || this.#options.store === null) return null;
    const query = { scope, session, show: 'all', call: { tool, input }, limit: 1 } as const;
    const found = await this.#options.store.list(query).catch(() => null);
    return found?.items[0] ?? null;
  }

  /** Passes on the events of an output that was really added. */
  #told(seal: Seal, sealed: SealResult | undefined): SealResult | undefined {
    if (sealed === undefined) return sealed;
    if (!sealed.existing) for (const event of seal.events ?? []) this.#options.onEvent(event);
    // Nothing depends on it, and it is tried again: the answer is not held up, nor taken away if it fails.
    void this.#track(this.#options.onStored(sealed.record.scope).catch(() => undefined));
    return sealed;
  }

  /** An uncut result needs no handle: it may be answered while it is being sealed, unless its call id was seen before. */
  async #mayAnswerBefore({ call }: Capture, { projection }: Projected): Promise<boolean> {
    if (projection.metadata.artifact_id !== null || projection.metadata.was_truncated || this.#options.strict)
      return false;
    if (call.callId === undefined) return true;
    const { scope, session, callId } = call;
    // A store that cannot tell may fail to seal as well: that is waited for.
    const found = await this.#store.find({ scope, session, callId }).catch(() => null);
    return found === undefined;
  }

  /** The same output came before: what was shown of it then is shown again. */
  async #earlier(record: OutputRecord, { audience }: Capture, effective: Effective): Promise<Projection> {
    const { projector } = this.#options;
    const frozen = await this.#store.frozen(record.id, audience);
    if (frozen !== undefined) return frozen.projection;
    const projected = await projector.projectStored(this.#store, record, effective);
    return (await this.#store.freeze(projector.record(record.id, audience, effective, projected))).projection;
  }

  #wantsCopy({ projection }: Projected): boolean {
    return this.#options.plainCopies !== null && projection.metadata.artifact_id !== null;
  }

  /** Whether it failed, was cut, and the same call once ended well: its new lines then count more. */
  async #compares(
    { capture: { call, paged }, recorded: { inputHash }, facts }: Closed,
    { policy }: Effective,
    { projection }: Projected,
  ): Promise<boolean> {
    const { store } = this.#options;
    if (store === null || inputHash === '' || paged !== null || !projection.metadata.was_truncated)
      return false;
    if (!endedBadly(facts.outcome) || !looksForErrors(policy)) return false;
    const { scope, tool } = call;
    const query = { scope, show: 'all', call: { tool, input: inputHash, status: 'ok' }, limit: 1 } as const;
    const found = await store.list(query).catch(() => null);
    return found !== null && found.items.length > 0;
  }

  /** Read once more from the store, now that it is known what is new. */
  async #compared({ capture }: Closed, effective: Effective, record: OutputRecord): Promise<Projection> {
    const { projector, plainCopies } = this.#options;
    const savedPath = plainCopies === null ? null : await this.#writeCopy(record);
    const projected = await projector.projectStored(this.#store, record, effective, savedPath);
    return this.#frozen(record, capture, effective, projected);
  }

  async #writeCopy(record: OutputRecord): Promise<string | null> {
    const bytes = readRaw(this.#store, record, parseRequest({ artifact_id: record.id }), COPY_CHARS);
    return (await this.#options.plainCopies?.write(record, bytes)) ?? null;
  }

  async #withCopy(
    closed: Closed,
    effective: Effective,
    record: OutputRecord,
    projected: Projected,
  ): Promise<Projection> {
    if (!this.#wantsCopy(projected)) return projected.projection;
    const savedPath = await this.#writeCopy(record);
    const named = this.#project(closed, effective, { storage: { id: record.id }, savedPath });
    return this.#frozen(record, closed.capture, effective, named);
  }

  async #frozen(
    record: OutputRecord,
    { audience }: Capture,
    effective: Effective,
    projected: Projected,
  ): Promise<Projection> {
    const frozen = this.#options.projector.record(record.id, audience, effective, projected);
    const kept = this.#store.freeze(frozen).then(({ projection }) => projection);
    return kept.catch(shownInstead(projected));
  }

  async #answerUnstored(closed: Closed, effective: Effective): Promise<Processed> {
    const { recording, call } = closed.capture;
    const { why, cause } = recording.notStored ?? { why: 'storing is turned off', cause: undefined };
    if (this.#options.store !== null) {
      if (this.#options.strict)
        throw new SpillwayError('not_stored', `The output could not be stored: ${why}.`, { cause });
      await this.note(this.#event('not_stored', call, undefined, { why }));
    }
    const { projection } = this.#project(closed, effective, { storage: { notStored: why }, savedPath: null });
    const refused = recording.isRejected ? { notStored: overMax(effective, recording.bytes) } : {};
    return { projection, sealed: Promise.resolve(null), ...refused };
  }

  #event(
    type: EventType,
    { tool, session, scope }: Pick<Call, 'tool' | 'session' | 'scope'>,
    output: ArtifactId | undefined,
    data: EventData,
  ): LedgerEvent {
    return {
      type,
      at: this.#options.clock(),
      tool,
      session,
      scope,
      data,
      ...(output === undefined ? {} : { output }),
    };
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }
}

/** The output is sealed, but its store was purged, removed or failed since: what it said can still be shown. */
function shownInstead({ projection }: Projected): (error: unknown) => Projection {
  return (error) => {
    if (error instanceof SpillwayError) return projection;
    throw error;
  };
}

type EventData = NonNullable<LedgerEvent['data']>;

/** Chars of all text that the tool returned: what is stored, less the arguments. */
function charsOf({ totals, inputHash }: Recorded): number {
  const input = totals.find(({ hash }) => hash === inputHash)?.chars ?? 0;
  return totals.reduce((sum, { chars }) => sum + chars, 0) - input;
}

function overMax({ policy: { maxArtifactSize } }: Effective, bytes: number): string {
  return `${bytesForPeople(bytes)} is over max_artifact_size (${bytesForPeople(maxArtifactSize)}) and on_over_max is "reject".`;
}
