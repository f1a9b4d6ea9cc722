/**
 * Captures the result of a call: begin, feed, close, seal. A capture that is closed holds
 * everything that is needed to answer (answers.ts) or to keep the output without answering.
 */

import { abortableResult } from '../capture/abortable-result.ts';
import { checkCall } from '../capture/call.ts';
import { Capture, type Captured } from '../capture/capture.ts';
import type { NotStored } from '../capture/output-sink.ts';
import {
  checkedResult,
  failurePart,
  inputPart,
  outcomeOf,
  partsOf,
  type ToolResult,
} from '../capture/result.ts';
import { summarise } from '../capture/summary.ts';
import type { About } from '../model/about.ts';
import { type ArtifactId, mintArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { LedgerEvent } from '../model/events.ts';
import { outcomeOfFailure } from '../model/outcome.ts';
import { type Call, isCompactionOutput, type OutputDraft, type OutputRecord } from '../model/output.ts';
import type { Audience, ProjectionRecord } from '../model/projection.ts';
import type { OutputWriter, Seal, SealResult, Store } from '../model/store.ts';
import type {
  CaptureEnd,
  OpenCapture,
  OpenPart,
  OpenPartSpec,
  Processed,
  ProcessOptions,
} from '../options.ts';
import type { Effective } from '../policy/resolve.ts';
import type { Gathering } from '../projection/gathering.ts';
import type { Section } from '../projection/section.ts';
import { decode } from '../text/utf8.ts';
import type { Ledger } from './ledger.ts';
import type { Policies } from './policies.ts';
import type { OutputFacts, Projector } from './projector.ts';
import { type CallFacts, rangePolicy } from './texts.ts';

export interface CapturesOptions {
  readonly store: Store | null;
  readonly projector: Projector;
  readonly policies: Policies;
  readonly ledger: Ledger;
  readonly maxCapture: number;
  readonly clock: () => number;
  readonly random: (count: number) => Uint8Array;
  /** Something was stored in a scope; what there is to do then must not hold up the answer. */
  readonly onStored: (scope: string) => Promise<void> | undefined;
}

/** A call whose result is being captured. */
export interface CallCapture {
  readonly call: Call;
  readonly draft: OutputDraft;
  readonly effective: Effective;
  readonly audience: Audience;
  readonly capture: Capture;
  /** The content parts, as far as they may be shown. */
  readonly gathering: Gathering;
  readonly paged: OutputFacts['paged'];
  readonly about: About | undefined;
  readonly hostChars: number | undefined;
}

/** A call whose result has been captured, but neither sealed nor answered. */
export interface ClosedCapture extends Omit<CallCapture, 'gathering'> {
  readonly captured: Captured;
  readonly sections: readonly Section[];
  /** The output of the same call, if it was made before in this session. */
  readonly before: OutputRecord | null;
  readonly facts: Pick<Seal, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'>;
  /** Set when the source failed while it was read. */
  readonly failure?: unknown;
  /** The last good run of the same call that it was compared with. */
  readonly comparedWith?: ArtifactId | null;
}

export class Captures {
  readonly #options: CapturesOptions;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(options: CapturesOptions) {
    this.#options = options;
  }

  /** `audience` null: nobody is answered, the output is only kept. */
  async begin(call: Call, options: ProcessOptions, audience: Audience | null): Promise<CallCapture> {
    const wait = options.signal === undefined ? {} : { signal: options.signal };
    wait.signal?.throwIfAborted();
    const effective = await this.#options.policies.ofCall(call, options);
    const startedAt = this.#options.clock();
    const id = mintArtifactId(startedAt, this.#options.random);
    const { tool, session, scope, callId, server } = call;
    const draft = {
      ...{ id, tool, session, scope, startedAt },
      ...(callId === undefined ? {} : { callId }),
      ...(server === undefined ? {} : { server }),
    };
    const isExcluded = effective.policy.exclude !== 'nothing';
    const store = isExcluded ? null : this.#options.store;
    const created = await store?.create(draft, wait).then(
      (writer) => ({ writer }),
      (failure: unknown) => ({ failure }),
    );
    // Nothing was written yet; from here on the signal ends the source, and what had arrived is
    // kept.
    if (created !== undefined && 'failure' in created) wait.signal?.throwIfAborted();
    const { chosen, paged } = rangePolicy(tool, call.input, effective);
    const writer = created !== undefined && 'writer' in created ? created.writer : null;
    const { about, hostChars } = options;
    const facts = { tool, input: call.input, about };
    const gathering = this.#options.projector.gathering(chosen, facts);
    const samplesRepetition = options.window !== undefined;
    const capture = this.#capture(facts, chosen, gathering, writer, audience, samplesRepetition);
    if (created !== undefined && 'failure' in created) await capture.giveUp(created.failure);
    if (isExcluded) await capture.leaveOut();
    if (call.input !== undefined) await capture.take([inputPart(call.input, call.inputText)]);
    return {
      call,
      draft,
      effective,
      audience: audience ?? 'model',
      capture,
      gathering,
      paged,
      about,
      hostChars,
    };
  }

  /** Everything has arrived: what it came to. */
  async close(begun: CallCapture, end: CaptureEnd): Promise<ClosedCapture> {
    const { call, draft, effective, audience, capture, gathering, paged, about, hostChars } = begun;
    const captured = await capture.finish();
    const summary = summarise(call.tool, call.input, () => decode(captured.opening));
    const { outcome, complete, sourceTruncated = false } = end;
    return {
      ...{ call, draft, effective, audience, capture, paged, about, hostChars },
      captured,
      sections: gathering.sections,
      before: await this.#runBefore(call, captured.inputHash),
      facts: { outcome, complete: complete && !capture.full, sourceTruncated, summary },
    };
  }

  /** Captures a result from beginning to end. */
  async take(
    call: Call,
    given: ToolResult,
    options: ProcessOptions,
    audience: Audience | null,
  ): Promise<ClosedCapture> {
    checkCall(call);
    const result = checkedResult(given);
    const sources = partsOf(abortableResult(result, options.signal));
    const begun = await this.begin(call, options, audience);
    const failed = await begun.capture.take(sources);
    if (failed !== null) await begun.capture.take([failurePart(failed.failure)]);
    const ended = failed === null ? outcomeOf(result) : outcomeOfFailure(failed.failure);
    const outcome = failed === null ? (options.outcome ?? ended) : ended;
    const complete = outcome.status === 'ok' || outcome.status === 'error';
    const { sourceTruncated = false } = options;
    const closed = await this.close(begun, { outcome, complete, sourceTruncated });
    return failed === null ? closed : { ...closed, failure: failed.failure };
  }

  /**
   * Makes an output exist, with its first projection if there is one. Undefined if it could not be
   * stored.
   */
  seal(
    { capture, captured, facts }: ClosedCapture,
    events: readonly LedgerEvent[],
    projection?: ProjectionRecord,
  ): Promise<SealResult | undefined> {
    const seal = { ...facts, endedAt: this.#options.clock(), parts: captured.totals, events };
    const sealing = capture.seal(projection === undefined ? seal : { ...seal, projection });
    return this.#track(sealing.then((sealed) => this.#publish(events, sealed)));
  }

  /** Seals without projecting: what becomes of it is decided when it is sent. */
  async keep(closed: ClosedCapture): Promise<SealResult> {
    const kept = await this.keepIfPossible(closed);
    if ('record' in kept) return kept;
    const { why, cause } = kept;
    throw new SpillwayError('not_stored', `The output ${closed.draft.id} could not be stored: ${why}.`, {
      cause,
    });
  }

  /** The same, or why it was not stored: counted and told to the ledger. */
  async keepIfPossible(closed: ClosedCapture): Promise<SealResult | NotStored> {
    const sealed = await this.seal(closed, this.events(closed, charsOf(closed.sections)));
    if (sealed !== undefined) return sealed;
    const { why, cause } = closed.capture.notStored ?? TURNED_OFF;
    await this.noteNotStored(closed.call, why);
    return { why, cause };
  }

  /** Tells the ledger that an output was not stored. */
  async noteNotStored(call: Call, why: string): Promise<void> {
    const { store, ledger } = this.#options;
    if (store !== null) await ledger.note(ledger.event('not_stored', call, undefined, { why }));
  }

  /**
   * That an output was captured, and, where the same call was made before, that it was made again.
   */
  events(
    { call, draft: { id, startedAt }, captured, facts, before, hostChars }: ClosedCapture,
    chars: number,
  ): LedgerEvent[] {
    if (isCompactionOutput(call.tool)) return [];
    const { ledger } = this.#options;
    const event = ledger.event('captured', call, id, {
      bytes: captured.totals.reduce((sum, { bytes }) => sum + bytes, 0),
      chars,
      status: facts.outcome.status,
      input: captured.inputHash,
      ...(call.callId === undefined ? {} : { call_id: call.callId }),
      ms: facts.outcome.durationMs ?? Math.max(0, this.#options.clock() - startedAt),
      ...(hostChars === undefined ? {} : { host_chars: hostChars }),
    });
    if (before === null) return [event];
    return [event, ledger.event('reexecuted', call, id, { of: before.id, cut: before.disclosed })];
  }

  /** Waits until everything that was answered is stored as well. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #capture(
    facts: CallFacts,
    effective: Effective,
    gathering: Gathering,
    writer: OutputWriter | null,
    audience: Audience | null,
    samplesRepetition: boolean,
  ): Capture {
    const { projector, maxCapture } = this.#options;
    const { onOverMax, maxArtifactSize } = effective.policy;
    return new Capture({
      writer,
      text: (spec) => (audience === null ? null : projector.text(effective, spec, facts)),
      onPart: (part, position) => gathering.add(part, position),
      maxCapture,
      rejectAbove: onOverMax === 'reject' ? maxArtifactSize : Number.POSITIVE_INFINITY,
      samplesRepetition,
    });
  }

  /**
   * The last output of the same tool with the same input in this session. A store that cannot tell
   * has none.
   */
  async #runBefore({ scope, session, tool }: Call, input: string): Promise<OutputRecord | null> {
    if (input === '' || this.#options.store === null) return null;
    const query = { scope, session, show: 'all', call: { tool, input }, limit: 1 } as const;
    const found = await this.#options.store.list(query).catch(() => null);
    return found?.items[0] ?? null;
  }

  /** Passes on the events of an output that was really added. */
  #publish(events: readonly LedgerEvent[], sealed: SealResult | undefined): SealResult | undefined {
    if (sealed === undefined) return sealed;
    if (!sealed.existing) this.#options.ledger.tell(events);
    // Nothing depends on it, and it is tried again: the answer is not held up, nor taken away if it
    // fails.
    const after = this.#options.onStored(sealed.record.scope);
    if (after !== undefined) void this.#track(after.catch(() => undefined));
    return sealed;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }
}

export const TURNED_OFF: NotStored = { why: 'storing is turned off', cause: undefined };

/** Chars of all text that the tool returned. */
function charsOf(sections: readonly Section[]): number {
  return sections.reduce((sum, { part }) => sum + part.chars, 0);
}

const CANCELLED: CaptureEnd = { outcome: { status: 'cancelled' }, complete: false };

/**
 * The capture that a host feeds by hand. The signal that it was opened with ends it: `write`,
 * `flush` and `end` then reject with its reason. What had arrived is kept by `finish`, or, where
 * the host does not come to that, when the capture is disposed of: as cancelled, with what it said
 * so far.
 */
export function openCapture(
  { capture, draft }: Pick<CallCapture, 'capture' | 'draft'>,
  answer: (end: CaptureEnd) => Promise<Processed>,
  sealed: (processed: Processed) => Promise<unknown>,
  signal: AbortSignal | undefined,
): OpenCapture {
  let finished: Promise<Processed> | undefined;
  const finish = (end: CaptureEnd): Promise<Processed> => {
    finished = answer(end);
    return finished;
  };
  const part = ({ alone, ...spec }: OpenPartSpec): OpenPart => {
    const opened = capture.part({ role: 'content', kind: 'text', ...spec });
    const unlessAborted = async <T>(work: () => Promise<T>): Promise<T> => {
      signal?.throwIfAborted();
      return work();
    };
    return {
      index: opened.index,
      write: (chunk) => unlessAborted(() => capture.write(opened, chunk, alone !== true)),
      flush: () => unlessAborted(() => capture.flush(opened)),
      end: (notes = []) => unlessAborted(() => capture.end(opened, notes)),
    };
  };
  return {
    id: draft.id,
    part,
    finish,
    async [Symbol.asyncDispose]() {
      await sealed(await (finished ?? finish(CANCELLED)));
    },
  };
}
