/**
 * The whole path: capture → canonical write → projection, and retrieval. With recording.ts (the way in) and projector.ts (the way out) the
 * only files that know more than one stage. Clock, randomness and the store are given; nothing here is global.
 */
import { randomBytes } from 'node:crypto';
import { inputPart, type NotProjected, outcomeOf, partsOf, type ToolResult } from './capture/result.ts';
import { summarise } from './capture/summary.ts';
import { type ArtifactId, mintArtifactId } from './model/artifact.ts';
import type { Dialect } from './model/dialect.ts';
import { SpillwayError } from './model/errors.ts';
import type { EventType, LedgerEvent } from './model/events.ts';
import type { FetchHint } from './model/fetch.ts';
import type { Outcome } from './model/outcome.ts';
import type { Call, OutputRecord } from './model/output.ts';
import type { PatternEngine } from './model/pattern.ts';
import type { Policy, PolicyPatch } from './model/policy.ts';
import type { Audience, Projection } from './model/projection.ts';
import type { Retired, Seal, Sealed, Store } from './model/store.ts';
import type { Strategy } from './model/strategy.ts';
import { standard } from './projection/dialects/standard.ts';
import type { Projected } from './projection/project.ts';
import { type OutputFacts, Projector } from './projector.ts';
import { type FinishedPart, Recording } from './recording.ts';
import type { FetchedPage } from './retrieval/fetched.ts';
import { parseRequest } from './retrieval/request.ts';
import { readRaw, retrieve } from './retrieval/retrieve.ts';
import { none } from './strategies/none.ts';
import { headTail } from './strategies/positional.ts';
import { decode } from './text/utf8.ts';

const MAX_CAPTURE = 2 * 1024 ** 3;
const RAW_CHARS = 65_536;

export interface SpillwayOptions {
  /** Where outputs are kept; null keeps nothing, and every notice says so. */
  readonly store: Store | null;
  /** Settings below those of a call, by tool, the weakest first. */
  readonly settings?: (tool: string) => readonly PolicyPatch[];
  /** How the reader of projections fetches more. Default: the model's tool `get_artifact`. */
  readonly hint?: FetchHint;
  /** Needed for retrieval by pattern. */
  readonly patterns?: PatternEngine;
  /** Strategies and dialects beyond the built-in ones. */
  readonly strategies?: readonly Strategy[];
  readonly dialects?: readonly Dialect[];
  /** Writes a plain copy of a disclosed text for callers that can read files; returns its path, or null if it could not. */
  readonly plainCopy?: (record: OutputRecord, bytes: AsyncIterable<Uint8Array>) => Promise<string | null>;
  /** Throw instead of answering when an output cannot be stored. */
  readonly strict?: boolean;
  /** Bytes after which an endless output is cut off. */
  readonly maxCapture?: number;
  readonly clock?: () => number;
  readonly random?: (count: number) => Uint8Array;
  /** Told of everything that goes into the ledger, also when it cannot be written there. */
  readonly onEvent?: (event: LedgerEvent) => void;
}

/** A stored output, named by whoever may see it. */
export interface OutputName {
  readonly scope: string;
  readonly id: ArtifactId;
}

export interface ProjectOptions {
  /** Who is going to read it. Default: `model`. */
  readonly audience?: Audience;
  /** Settings of this one call. */
  readonly policy?: PolicyPatch;
}

export interface ProcessOptions extends ProjectOptions {
  /** How the call ended, where the result itself does not tell. */
  readonly outcome?: Outcome;
  /** The text was already cut before it reached us. */
  readonly sourceTruncated?: boolean;
}

export interface Processed {
  readonly projection: Projection;
  /** The stored output; null if it was not stored. For an uncut result this may settle after the answer was given. */
  readonly sealed: Promise<OutputRecord | null>;
}

/** A capture that is fed as output arrives; several parts may be written to at the same time. */
export interface OpenCapture {
  readonly id: ArtifactId;
  part(spec: { readonly name: string; readonly labelled?: true }): OpenPart;
  finish(end: CaptureEnd): Promise<Processed>;
}

export interface OpenPart {
  /** Resolves when the store can take more; false once `maxCapture` is reached. */
  write(chunk: string | Uint8Array): Promise<boolean>;
  /** Makes what has arrived so far survive a crash. */
  flush(): Promise<void>;
}

export interface CaptureEnd {
  readonly outcome: Outcome;
  /** False when there would have been more. */
  readonly complete: boolean;
  readonly sourceTruncated?: boolean;
}

/** The tool-output layer: everything a tool said goes in, what a model can read comes out. */
export class Spillway {
  readonly #options: SpillwayOptions;
  readonly #projector: Projector;
  readonly #clock: () => number;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(options: SpillwayOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#projector = new Projector({
      strategies: [headTail, none, ...(options.strategies ?? [])],
      dialects: [standard, ...(options.dialects ?? [])],
      hint: this.#hint,
      settings: options.settings ?? (() => []),
      clock: this.#clock,
    });
  }

  /** Records a result, then projects it. */
  async process<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options: ProcessOptions = {},
  ): Promise<Processed> {
    const capture = await this.#begin(call, options);
    await capture.recording.take(partsOf(result));
    const outcome = options.outcome ?? outcomeOf(result);
    const complete = outcome.status === 'ok' || outcome.status === 'error';
    return this.#finish(capture, { outcome, complete, sourceTruncated: options.sourceTruncated ?? false });
  }

  /** Begins a capture that is fed piece by piece. */
  async open(call: Call, options: ProjectOptions = {}): Promise<OpenCapture> {
    const capture = await this.#begin(call, options);
    const { recording } = capture;
    return {
      id: capture.id,
      part(spec) {
        const part = recording.part({ role: 'content', kind: 'text', ...spec });
        return { write: (chunk) => recording.write(part, chunk, true), flush: () => part.flush() };
      },
      finish: (end) => this.#finish(capture, { sourceTruncated: false, ...end }),
    };
  }

  /** The projection of a stored output: the frozen one, or one made now and frozen. */
  async project(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    const record = await this.#record(name);
    const frozen = await this.#store.frozen(record.id, options.audience ?? 'model');
    return (frozen ?? (await this.#freeze(record, options, 'first'))).projection;
  }

  /** A new projection in place of the frozen one. */
  async reproject(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    return (await this.#freeze(await this.#record(name), options, 'replace')).projection;
  }

  /** What the projection would be under these settings. Freezes nothing. */
  async preview(name: OutputName, options: ProjectOptions = {}): Promise<Projection> {
    const record = await this.#record(name);
    return (
      await this.#projector.projectStored(
        this.#store,
        record,
        this.#projector.policy(record.tool, options.policy),
      )
    ).projection;
  }

  /** One page of a stored output. `args` are those of the tool `get_artifact`: untrusted. */
  async retrieve(args: unknown, scope: string): Promise<FetchedPage> {
    const request = parseRequest(args);
    const record = await this.#record({ scope, id: request.id });
    const { pageLimit } = this.#projector.policy(record.tool);
    const page = await retrieve(
      { store: this.#store, hint: this.#hint, patterns: this.#options.patterns ?? null, pageLimit },
      record,
      request,
    );
    await this.#note(
      this.#event('fetched', record, record.id, { chars: page.body.length, by: request.want.kind }),
    );
    return page;
  }

  /** The exact bytes of what a request asks for, streamed. */
  async readRaw(args: unknown, scope: string): Promise<AsyncIterable<Uint8Array>> {
    const request = parseRequest(args);
    return readRaw(this.#store, await this.#record({ scope, id: request.id }), request, RAW_CHARS);
  }

  /** Ends a session: its handles no longer resolve; with `purge` its records go too. */
  async endSession(scope: string, session: string, how: 'revoke' | 'purge' = 'revoke'): Promise<Retired> {
    return this.#store.retire({ how, scope, session, at: this.#clock(), endSession: true });
  }

  /** Waits until everything that was answered is stored as well. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Waits for what is under way, then closes the store. */
  async close(): Promise<void> {
    await this.settled();
    await this.#options.store?.close();
  }

  get #store(): Store {
    if (this.#options.store === null)
      throw new SpillwayError('store_unavailable', 'Nothing is stored here: open Spillway with a store.');
    return this.#options.store;
  }

  get #hint(): FetchHint {
    return this.#options.hint ?? { kind: 'tool', name: 'get_artifact' };
  }

  async #record({ scope, id }: OutputName): Promise<OutputRecord> {
    const found = await this.#store.find({ scope, id });
    if (found === undefined)
      throw new SpillwayError(
        'not_found',
        `There is no artifact ${id} here. Do not retry; run the tool again if its output is needed.`,
      );
    if ('purgedAt' in found || found.revokedAt !== undefined) {
      throw new SpillwayError(
        'gone',
        `Artifact ${id} is no longer kept. Do not retry; run the tool again if its output is needed.`,
      );
    }
    return found;
  }

  async #freeze(
    record: OutputRecord,
    { audience = 'model', policy: patch }: ProjectOptions,
    mode: 'first' | 'replace',
  ) {
    const policy = this.#projector.policy(record.tool, patch);
    const projected = await this.#projector.projectStored(this.#store, record, policy);
    return this.#store.freeze(this.#projector.record(record.id, audience, policy, projected), mode);
  }

  async #begin(call: Call, options: ProjectOptions): Promise<Capture> {
    const policy = this.#projector.policy(call.tool, options.policy);
    const startedAt = this.#clock();
    const id = mintArtifactId(startedAt, this.#options.random ?? randomBytes);
    const { tool, session, scope, callId } = call;
    const draft = { id, tool, session, scope, startedAt, ...(callId === undefined ? {} : { callId }) };
    const created = await this.#options.store?.create(draft).then(
      (writer) => ({ writer }),
      (failure: unknown) => ({ failure }),
    );
    const recording = new Recording({
      writer: created !== undefined && 'writer' in created ? created.writer : null,
      whyNot: 'storing is turned off',
      selector: (spec) => this.#projector.selector(policy, spec),
      maxCapture: this.#options.maxCapture ?? MAX_CAPTURE,
      rejectAbove: policy.onOverMax === 'reject' ? policy.maxArtifactSize : Number.POSITIVE_INFINITY,
    });
    if (created !== undefined && 'failure' in created) await recording.giveUp(created.failure);
    if (call.input !== undefined) await recording.take([inputPart(call.input)]);
    return { call, id, policy, audience: options.audience ?? 'model', recording };
  }

  async #finish(capture: Capture, end: Required<CaptureEnd>): Promise<Processed> {
    const { recording, call, id } = capture;
    const parts = await recording.finish();
    const summary = summarise(call.tool, call.input, openingText(parts));
    const facts = { ...end, complete: end.complete && !recording.full, summary };
    if (recording.notStored !== null) return this.#answerUnstored(capture, facts, parts);
    const projected = this.#projectFresh(capture, { ...facts, storage: { id }, savedPath: null }, parts);
    const seal = this.#seal(capture, facts, parts, projected);
    const sealing = this.#track(recording.seal(seal).then((sealed) => this.#told(seal, sealed)));
    if (await this.#mayAnswerBefore(capture, projected)) {
      return { projection: projected.projection, sealed: sealing.then((sealed) => sealed?.record ?? null) };
    }
    const sealed = await sealing;
    if (sealed === undefined) return this.#answerUnstored(capture, facts, parts);
    const { record, existing } = sealed;
    if (existing) return { projection: await this.project(record, capture), sealed: Promise.resolve(record) };
    const saved = this.#copies(projected) ? await this.#saveCopy(capture, record, facts, parts) : undefined;
    return { projection: saved ?? projected.projection, sealed: Promise.resolve(record) };
  }

  #seal(
    { id, audience, policy, call }: Capture,
    facts: Pick<Seal, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'>,
    parts: readonly FinishedPart[],
    projected: Projected,
  ): Seal {
    const totals = parts.map(({ part: { bytes, chars, lines, illFormed, hash, notes } }) => ({
      bytes,
      chars,
      lines,
      illFormed,
      hash,
      notes,
    }));
    const { metadata } = projected.projection;
    const input = parts.find(({ part }) => part.role === 'input');
    const events = [
      this.#event('captured', call, id, {
        bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
        chars: metadata.original_size,
        status: facts.outcome.status,
        input: input?.part.hash ?? '',
      }),
      this.#event('projected', call, id, {
        audience,
        chars: metadata.truncated_size,
        cut: metadata.was_truncated,
        strategy: metadata.strategy_used,
        policy: metadata.policy_hash,
      }),
    ];
    const whole = {
      outcome: facts.outcome,
      complete: facts.complete,
      sourceTruncated: facts.sourceTruncated,
      summary: facts.summary,
      endedAt: this.#clock(),
      parts: totals,
      events,
    };
    // With a plain copy to be named in the notice, the projection is frozen once the copy is there.
    return this.#copies(projected)
      ? whole
      : { ...whole, projection: this.#projector.record(id, audience, policy, projected) };
  }

  /** Passes on the events of an output that was really added. */
  #told(seal: Seal, sealed: Sealed | undefined): Sealed | undefined {
    if (sealed?.existing === false) for (const event of seal.events ?? []) this.#options.onEvent?.(event);
    return sealed;
  }

  #copies({ projection }: Projected): boolean {
    return this.#options.plainCopy !== undefined && projection.metadata.artifact_id !== null;
  }

  async #saveCopy(
    capture: Capture,
    record: OutputRecord,
    facts: SealedFacts,
    parts: readonly FinishedPart[],
  ): Promise<Projection> {
    const bytes = readRaw(this.#store, record, parseRequest({ artifact_id: record.id }), RAW_CHARS);
    const savedPath = (await this.#options.plainCopy?.(record, bytes)) ?? null;
    const projected = this.#projectFresh(capture, { ...facts, storage: { id: record.id }, savedPath }, parts);
    return (
      await this.#store.freeze(this.#projector.record(record.id, capture.audience, capture.policy, projected))
    ).projection;
  }

  #projectFresh({ policy }: Capture, facts: OutputFacts, parts: readonly FinishedPart[]): Projected {
    const sections = parts
      .filter(({ part }) => part.role === 'content')
      .map(({ part, selector }) => ({ part, selector }));
    return this.#projector.project(facts, sections, policy);
  }

  /** An uncut result needs no handle: it may be answered while it is being sealed, unless its call id was seen before. */
  async #mayAnswerBefore({ call }: Capture, { projection }: Projected): Promise<boolean> {
    if (projection.metadata.was_truncated || this.#options.strict === true) return false;
    if (call.callId === undefined) return true;
    const { scope, session, callId } = call;
    return (await this.#store.find({ scope, session, callId })) === undefined;
  }

  async #answerUnstored(
    capture: Capture,
    facts: SealedFacts,
    parts: readonly FinishedPart[],
  ): Promise<Processed> {
    const { why, cause } = capture.recording.notStored ?? { why: 'storing is turned off', cause: undefined };
    if (this.#options.store !== null) {
      if (this.#options.strict === true)
        throw new SpillwayError('not_stored', `The output could not be stored: ${why}.`, { cause });
      await this.#note(this.#event('not_stored', capture.call, undefined, { why }));
    }
    const projected = this.#projectFresh(
      capture,
      { ...facts, storage: { notStored: why }, savedPath: null },
      parts,
    );
    return { projection: projected.projection, sealed: Promise.resolve(null) };
  }

  #event(
    type: EventType,
    { tool, session, scope }: Pick<Call, 'tool' | 'session' | 'scope'>,
    output: ArtifactId | undefined,
    data: NonNullable<LedgerEvent['data']>,
  ): LedgerEvent {
    return {
      type,
      at: this.#clock(),
      tool,
      session,
      scope,
      data,
      ...(output === undefined ? {} : { output }),
    };
  }

  /** The ledger is told, but nothing depends on it: a store that cannot take an event must not take away the answer. */
  async #note(event: LedgerEvent): Promise<void> {
    this.#options.onEvent?.(event);
    await this.#store.note([event]).catch(() => undefined);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }
}

type SealedFacts = Pick<Seal, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'>;

interface Capture {
  readonly call: Call;
  readonly id: ArtifactId;
  readonly policy: Policy;
  readonly audience: Audience;
  readonly recording: Recording;
}

function openingText(parts: readonly FinishedPart[]): string {
  const first = parts.find(
    ({ part, opening }) => part.role === 'content' && part.kind !== 'binary' && opening.length > 0,
  );
  return first === undefined ? '' : decode(first.opening);
}
