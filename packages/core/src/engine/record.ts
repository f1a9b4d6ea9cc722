/**
 * Records the result of a call and answers it: begin, feed, close, project, seal. A cut result is
 * durable before it is answered; one that is shown whole may be answered while it is sealed
 * (`sealed` waits for that). If storing fails, the answer says so. The plain copy has its name
 * before the seal, so no notice names a missing file.
 */

import { Capture, type Captured, type NotStored, type Redaction } from '../capture/capture.ts';
import {
  abortableResult,
  checkCall,
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
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import { type LedgerEvent, projectedEvent } from '../model/events.ts';
import { endedBadly, outcomeOfFailure } from '../model/outcome.ts';
import {
  type Call,
  isCompactionOutput,
  type OutputDraft,
  type OutputRecord,
  type PlainCopy,
  type PlainCopyFolder,
} from '../model/output.ts';
import type { Policy } from '../model/policy.ts';
import type { Audience, Projection, ProjectionRecord } from '../model/projection.ts';
import type { Seal, SealResult } from '../model/store.ts';
import type {
  CaptureEnd,
  OpenCapture,
  OpenPart,
  OpenPartSpec,
  Processed,
  ProcessOptions,
} from '../options.ts';
import { type ContextWindow, shareBatch } from '../policy/adaptive.ts';
import { changedFields, type Effective, withInlineLimit } from '../policy/resolve.ts';
import type { Gathering } from '../projection/gathering.ts';
import { type OutputFacts, type Projected, wholeChars } from '../projection/project.ts';
import type { Section } from '../projection/section.ts';
import { formatBytes } from '../text/numbers.ts';
import { redactText } from '../text/secrets.ts';
import { decode } from '../text/utf8.ts';
import { findBaseline } from './baseline.ts';
import { limitOf, looksForErrors, type Projector, totalOf } from './project.ts';
import { type Setup, storeFor } from './setup.ts';

interface CallCapture {
  readonly call: Call;
  readonly draft: OutputDraft;
  readonly effective: Effective;
  readonly audience: Audience;
  readonly capture: Capture;
  readonly gathering: Gathering;
  readonly paged: OutputFacts['paged'];
  readonly about: About | undefined;
  readonly hostChars: number | undefined;
  readonly agent: string | undefined;
  readonly explain: boolean;
  readonly copy: CopyBeside | null;
  readonly redact: Redaction | null;
}

interface ClosedCapture extends CallCapture {
  readonly captured: Captured;
  readonly sections: readonly Section[];
  readonly before: OutputRecord | null;
  readonly facts: Pick<Seal, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'>;
  readonly failure?: unknown;
  readonly comparedWith?: ArtifactId | null;
}

const TURNED_OFF: NotStored = { why: 'storing is turned off', cause: undefined };
const CANCELLED: CaptureEnd = { outcome: { status: 'cancelled' }, complete: false };

export class Recorder {
  readonly #setup: Setup;
  readonly #projector: Projector;
  readonly #onStored: (scope: string) => Promise<void> | undefined;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #sealed = new WeakMap<Projection, Promise<OutputRecord | null>>();

  /** `onStored` must not delay the answer. */
  constructor(
    setup: Setup,
    projector: Projector,
    onStored: (scope: string) => Promise<void> | undefined = () => undefined,
  ) {
    this.#setup = setup;
    this.#projector = projector;
    this.#onStored = onStored;
  }

  /** `audience` null: the output is only kept. */
  async take(
    call: Call,
    given: ToolResult,
    options: ProcessOptions,
    audience: Audience | null,
  ): Promise<ClosedCapture> {
    checkCall(call);
    const result = checkedResult(given);
    const sources = partsOf(abortableResult(result, options.signal));
    const begun = await this.#begin(call, options, audience);
    const failed = await begun.capture.take(sources);
    if (failed !== null) await begun.capture.take([failurePart(failed.failure)]);
    const ended = failed === null ? outcomeOf(result) : outcomeOfFailure(failed.failure);
    const outcome = failed === null ? (options.outcome ?? ended) : ended;
    const complete = outcome.status === 'ok' || outcome.status === 'error';
    const { sourceTruncated = false } = options;
    const closed = await this.#close(begun, { outcome, complete, sourceTruncated });
    return failed === null ? closed : { ...closed, failure: failed.failure };
  }

  /**
   * A capture that a host feeds by hand. The signal that it was opened with ends it: `write`,
   * `flush` and `end` then reject with its reason. What had arrived is kept by `finish`, or, where
   * the host does not come to that, when the capture is disposed of: as cancelled, with what it
   * said so far.
   */
  async open(call: Call, options: ProcessOptions): Promise<OpenCapture> {
    checkCall(call);
    const { signal, window } = options;
    const begun = await this.#begin(call, options, options.audience ?? 'model');
    const { capture, draft } = begun;
    let finished: Promise<Processed> | undefined;
    const finish = (end: CaptureEnd): Promise<Processed> => {
      finished = this.#close(begun, end).then((closed) => this.answer(closed, window));
      return finished;
    };
    const unlessAborted = async <T>(work: () => Promise<T>): Promise<T> => {
      signal?.throwIfAborted();
      return work();
    };
    const part = ({ alone, ...spec }: OpenPartSpec): OpenPart => {
      const opened = capture.part({ role: 'content', kind: 'text', ...spec });
      return {
        index: opened.index,
        write: (chunk) => unlessAborted(() => capture.write(opened, chunk, alone !== true)),
        flush: () => unlessAborted(() => capture.flush(opened)),
        end: (notes = []) => unlessAborted(() => capture.end(opened, notes)),
      };
    };
    const dispose = async () => {
      await this.sealed(await (finished ?? finish(CANCELLED)));
    };
    return { id: draft.id, part, finish, [Symbol.asyncDispose]: dispose };
  }

  async #begin(call: Call, options: ProcessOptions, audience: Audience | null): Promise<CallCapture> {
    const wait = options.signal === undefined ? {} : { signal: options.signal };
    wait.signal?.throwIfAborted();
    const { clock, random, copies } = this.#setup;
    const effective = await this.#projector.policyOfCall(call, options);
    const startedAt = clock();
    const { tool, session, scope, callId, server, input } = call;
    const draft = {
      ...{ id: mintArtifactId(startedAt, random), tool, session, scope, startedAt },
      ...(callId === undefined ? {} : { callId }),
      ...(server === undefined ? {} : { server }),
    };
    const isExcluded = effective.policy.exclude !== 'nothing';
    const store = isExcluded ? null : this.#setup.store;
    const created = await store?.create(draft, wait).then(
      (writer) => ({ writer, failure: null }),
      (failure: unknown) => ({ writer: null, failure: { cause: failure } }),
    );
    const { writer = null, failure = null } = created ?? {};
    // Nothing is written yet; from here on an abort ends the source and keeps what had arrived.
    if (failure !== null) wait.signal?.throwIfAborted();
    const { about, hostChars, agent, explain = false } = options;
    const { paged, gathering, text } = this.#projector.view(effective, { tool, input, about });
    const { onOverMax, maxArtifactSize } = effective.policy;
    const { redact: mode } = effective.policy;
    const redact: Redaction | null = mode === 'off' ? null : { mode, own: this.#projector.secrets };
    // No copy for requested ranges, nor for secrets that the model must not read.
    const mayBeRead = paged === null && redact?.mode !== 'projection';
    const isCopied = copies !== null && writer !== null && audience !== null && mayBeRead;
    const copy = isCopied ? new CopyBeside(copies, draft, wholeChars(effective.policy)) : null;
    const capture = new Capture({
      writer,
      text: (spec) => (audience === null ? null : text(spec)),
      onPart: (part) => gathering.add(part),
      maxCapture: this.#setup.maxCapture,
      rejectAbove: onOverMax === 'reject' ? maxArtifactSize : Number.POSITIVE_INFINITY,
      copy: copy === null ? null : (part, bytes) => copy.write(part, bytes),
      redact,
    });
    if (failure !== null) await capture.giveUp(failure.cause);
    if (isExcluded) await capture.leaveOut();
    if (input !== undefined) await capture.take([inputPart(input, call.inputText)]);
    return {
      ...{ call, draft, effective, audience: audience ?? 'model', capture, gathering },
      ...{ paged, about, hostChars, agent, explain, copy, redact },
    };
  }

  async #close(begun: CallCapture, end: CaptureEnd): Promise<ClosedCapture> {
    const { call, capture, gathering, redact } = begun;
    const captured = await capture.finish();
    const title = summarise(call.tool, call.title ?? call.input, () => decode(captured.opening));
    const summary = redact === null ? title : redactText(title, redact.own);
    const { outcome, complete, sourceTruncated = false } = end;
    return {
      ...begun,
      captured,
      sections: gathering.sections,
      before: await this.#runBefore(call, captured.inputHash),
      facts: { outcome, complete: complete && !capture.full, sourceTruncated, summary },
    };
  }

  async #runBefore({ scope, session, tool }: Call, input: string): Promise<OutputRecord | null> {
    if (input === '' || this.#setup.store === null) return null;
    const query = { scope, session, show: 'all', call: { tool, input }, limit: 1 } as const;
    const found = await this.#setup.store.list(query).catch(() => null);
    return found?.items[0] ?? null;
  }

  async answer(closed: ClosedCapture, window: ContextWindow | undefined): Promise<Processed> {
    const { policy } = closed.effective;
    if (this.#isPage(closed)) return this.#within(closed, policy.inlineLimit, 'fetched page');
    const limit = ownLimitOf(closed, window);
    if (window === undefined) return this.#within(closed, limit, 'failing_factor');
    const [chars = limit] = shareBatch([{ size: limit, limit, policy }], window);
    return this.#within(closed, chars, 'window');
  }

  /** Answers results that are read together: they share the room of the window by need. */
  async answerAll(all: readonly ClosedCapture[], window: ContextWindow | undefined): Promise<Processed[]> {
    if (window === undefined) return Promise.all(all.map((closed) => this.answer(closed, undefined)));
    const needs = all.map((closed) => ({
      size: charsOf(closed.sections),
      limit: ownLimitOf(closed, window),
      policy: closed.effective.policy,
    }));
    const shares = shareBatch(needs, window);
    return Promise.all(
      all.map((closed, i) =>
        this.#isPage(closed) ? this.answer(closed, window) : this.#within(closed, shares[i] ?? 0, 'window'),
      ),
    );
  }

  async #within(closed: ClosedCapture, chars: number, source: string): Promise<Processed> {
    const answered = await this.#answer(closed, withInlineLimit(closed.effective, chars, source));
    return 'failure' in closed ? { ...answered, failure: closed.failure } : answered;
  }

  #isPage({ call, audience }: ClosedCapture): boolean {
    return audience === 'model' && this.#projector.fetches(call);
  }

  async #answer(given: ClosedCapture, effective: Effective): Promise<Processed> {
    const { capture, copy, draft } = given;
    if (capture.notStored !== null) return this.#answerUnstored(given, effective);
    const closed = await this.#compared(given, effective);
    const projectWith = (savedPath: string | null) =>
      this.#project(closed, effective, { storage: { id: draft.id }, savedPath });
    const naming = projectWith(copy?.path ?? null);
    const isNamed = naming.projection.metadata.saved_path !== null;
    const isCopied = isNamed && (await copy?.finish()) === true;
    if (!isCopied) await copy?.remove();
    const projected = isNamed && !isCopied ? projectWith(null) : naming;
    const { projection } = projected;
    // Captured first, so that readers of the ledger find both events or none.
    const captured = this.#events(closed, totalOf(closed.sections, 'chars'));
    const made = this.#projector.record(draft.id, closed.audience, effective, projected, closed.about);
    const events = [...captured, projectedEvent(closed.call, made, changedFields(closed.effective))];
    const sealing = this.#seal(closed, events, made);
    if (this.#isWhole(projection) && (await this.#isNew(closed.call)))
      return this.#answered(
        projection,
        sealing.then((sealed) => sealed?.record ?? null),
        reasonsIn(closed, projected),
      );
    const sealed = await sealing;
    if (sealed === undefined) return this.#answerUnstored(closed, effective);
    const { record, existing } = sealed;
    if (existing) await copy?.remove();
    const shown = existing ? await this.#earlier(record, closed, effective, projection) : projection;
    return this.#answered(shown, Promise.resolve(record), reasonsIn(closed, projected));
  }

  #answered(
    projection: Projection,
    sealed: Promise<OutputRecord | null>,
    reasons: Pick<Processed, 'reasons'>,
  ): Processed {
    this.#sealed.set(projection, sealed);
    return { projection, ...reasons };
  }

  #project(
    { sections, facts, paged, comparedWith = null }: ClosedCapture,
    effective: Effective,
    where: Pick<OutputFacts, 'storage' | 'savedPath'>,
  ): Projected {
    return this.#projector.project({ ...facts, ...where, paged, comparedWith }, sections, effective);
  }

  /** An uncut result needs no handle: it may be answered before the seal, if its call id is new. */
  #isWhole({ metadata }: Projection): boolean {
    return metadata.artifact_id === null && !metadata.was_truncated && !this.#setup.strict;
  }

  async #isNew({ scope, session, callId }: Call): Promise<boolean> {
    if (callId === undefined) return true;
    // A store that fails here may fail to seal, too: wait for that.
    const found = await storeFor(this.#setup)
      .find({ scope, session, callId })
      .catch(() => null);
    return found === undefined;
  }

  /** The same output came before: show what was shown then. */
  async #earlier(
    record: OutputRecord,
    { audience, about }: ClosedCapture,
    effective: Effective,
    now: Projection,
  ): Promise<Projection> {
    const store = storeFor(this.#setup);
    try {
      const frozen = await store.frozen(record.id, audience);
      if (frozen !== undefined) return frozen.projection;
      const [projected] = await this.#projector.projectStored(store, record, [effective], { about });
      const made = this.#projector.record(record.id, audience, effective, projected as Projected, about);
      return (await store.freeze(made)).projection;
    } catch (error) {
      // Purged, or the store failed since: the new result can still be shown.
      if (error instanceof SpillwayError) return now;
      throw error;
    }
  }

  /** For a cut, failing run: lines that are new since the baseline count more. */
  async #compared(closed: ClosedCapture, { policy }: Effective): Promise<ClosedCapture> {
    const { captured, paged, facts, call, sections } = closed;
    if (this.#setup.store === null || captured.inputHash === '' || paged !== null) return closed;
    if (!endedBadly(facts.outcome) || !looksForErrors(policy) || !mayBeCut(closed, policy)) return closed;
    const { scope, tool } = call;
    const baseline = await findBaseline(this.#setup.store, { scope, tool, input: captured.inputHash });
    if (baseline === null) return closed;
    for (const { text } of sections) text?.compare(baseline.isNew);
    return { ...closed, comparedWith: baseline.id };
  }

  async #answerUnstored(closed: ClosedCapture, effective: Effective): Promise<Processed> {
    const { capture, call, copy } = closed;
    await copy?.remove();
    const { why, cause } = capture.notStored ?? TURNED_OFF;
    const isExcluded = closed.effective.policy.exclude !== 'nothing';
    if (this.#setup.store !== null && this.#setup.strict && !isExcluded)
      throw new SpillwayError('not_stored', `The output could not be stored: ${why}.`, { cause });
    if (!isExcluded) await this.#noteNotStored(call, why);
    const projected = this.#project(closed, effective, { storage: { notStored: why }, savedPath: null });
    const reasons = reasonsIn(closed, projected);
    const known = capture.isRejected
      ? overMax(effective.policy, capture.bytes)
      : isExcluded
        ? `${why}.`
        : null;
    const answered = this.#answered(projected.projection, Promise.resolve(null), reasons);
    return known === null ? answered : { ...answered, notStored: known };
  }

  /** Projected later, when it is sent. */
  async keep(closed: ClosedCapture): Promise<SealResult> {
    const kept = await this.keepIfPossible(closed);
    if ('record' in kept) return kept;
    const { why, cause } = kept;
    const message = `The output ${closed.draft.id} could not be stored: ${why}.`;
    throw new SpillwayError('not_stored', message, { cause });
  }

  /** Otherwise notes in the ledger why it is not stored. */
  async keepIfPossible(closed: ClosedCapture): Promise<SealResult | NotStored> {
    const sealed = await this.#seal(closed, this.#events(closed, charsOf(closed.sections)));
    if (sealed !== undefined) return sealed;
    const { why, cause } = closed.capture.notStored ?? TURNED_OFF;
    await this.#noteNotStored(closed.call, why);
    return { why, cause };
  }

  async sealed({ projection }: Pick<Processed, 'projection'>): Promise<OutputRecord | null> {
    const sealed = this.#sealed.get(projection);
    if (sealed !== undefined) return sealed;
    throw invalidArgument('Give what `process` of this Spillway resolved with.');
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Seals an output with its first projection; undefined if it could not be stored. */
  #seal(
    { capture, captured, facts }: ClosedCapture,
    events: readonly LedgerEvent[],
    projection?: ProjectionRecord,
  ): Promise<SealResult | undefined> {
    const seal = { ...facts, endedAt: this.#setup.clock(), parts: captured.totals, events };
    const sealing = capture.seal(projection === undefined ? seal : { ...seal, projection });
    return this.#track(sealing.then((sealed) => this.#publish(events, sealed)));
  }

  #publish(events: readonly LedgerEvent[], sealed: SealResult | undefined): SealResult | undefined {
    if (sealed === undefined) return sealed;
    if (!sealed.existing) this.#setup.ledger.tell(events);
    // In the background; retried later, and never fails the answer.
    const after = this.#onStored(sealed.record.scope);
    if (after !== undefined) void this.#track(after.catch(() => undefined));
    return sealed;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }

  #events(
    { call, draft: { id, startedAt }, captured, facts, before, hostChars, agent }: ClosedCapture,
    chars: number,
  ): LedgerEvent[] {
    if (isCompactionOutput(call.tool)) return [];
    const { ledger, clock } = this.#setup;
    const event = ledger.event('captured', call, id, {
      bytes: captured.totals.reduce((sum, { bytes }) => sum + bytes, 0),
      chars,
      status: facts.outcome.status,
      input: captured.inputHash,
      ...(call.callId === undefined ? {} : { call_id: call.callId }),
      ms: facts.outcome.durationMs ?? Math.max(0, clock() - startedAt),
      ...(hostChars === undefined ? {} : { host_chars: hostChars }),
      ...(agent === undefined ? {} : { agent }),
    });
    if (before === null) return [event];
    return [event, ledger.event('reexecuted', call, id, { of: before.id, cut: before.disclosed })];
  }

  async #noteNotStored(call: Call, why: string): Promise<void> {
    const { store, ledger } = this.#setup;
    if (store !== null) await ledger.note(ledger.event('not_stored', call, undefined, { why }));
  }
}

/**
 * The plain copy, written while the output is captured. Begun once the output exceeds its limit in
 * bytes; shorter outputs are held until it is known whether they are cut.
 */
class CopyBeside {
  readonly #folder: PlainCopyFolder;
  readonly #draft: OutputDraft;
  readonly #heldBytes: number;
  readonly #held: { readonly part: number; readonly bytes: Uint8Array }[] = [];
  #bytes = 0;
  #copy: PlainCopy | null = null;

  constructor(folder: PlainCopyFolder, draft: OutputDraft, heldBytes: number) {
    this.#folder = folder;
    this.#draft = draft;
    this.#heldBytes = heldBytes;
  }

  async write(part: number, bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    if (this.#copy !== null) return this.#copy.write(part, bytes);
    this.#held.push({ part, bytes });
    if (this.#bytes > this.#heldBytes) await this.#begin();
  }

  get path(): string | null {
    return this.#folder.path(this.#draft, this.#bytes);
  }

  async finish(): Promise<boolean> {
    return (this.#copy ?? (await this.#begin())).finish();
  }

  async remove(): Promise<void> {
    await this.#copy?.remove();
  }

  async #begin(): Promise<PlainCopy> {
    const copy = this.#folder.begin(this.#draft);
    this.#copy = copy;
    for (const { part, bytes } of this.#held.splice(0)) await copy.write(part, bytes);
    return copy;
  }
}

/** Repetition counts only if room is short: how many lines of the longest text are distinct. */
function ownLimitOf(
  { effective, sections, facts }: ClosedCapture,
  window: ContextWindow | undefined,
): number {
  const texts = sections.flatMap(({ text, part: { chars } }) => (text === null ? [] : { text, chars }));
  const [longest] = texts.sort((a, b) => b.chars - a.chars);
  const distinct = window === undefined ? 1 : (longest?.text.distinct?.() ?? 1);
  return limitOf(effective.policy, facts.outcome.status !== 'ok', distinct);
}

/** Asked for only then: telling them takes a while. */
function reasonsIn({ explain }: ClosedCapture, projected: Projected): Pick<Processed, 'reasons'> {
  return explain ? { reasons: projected.reasons } : {};
}

function charsOf(sections: readonly Section[]): number {
  return sections.reduce((sum, { part }) => sum + part.chars, 0);
}

/** Over a limit; removing formatting may still make it fit. */
function mayBeCut({ sections }: ClosedCapture, policy: Policy): boolean {
  const { maxLines, maxTokens, perPartLimit } = policy;
  if (totalOf(sections, 'chars') > wholeChars(policy) || maxTokens !== null) return true;
  if (maxLines !== null && totalOf(sections, 'lines') > maxLines) return true;
  return perPartLimit !== null && sections.some(({ part }) => part.chars > perPartLimit);
}

function overMax({ maxArtifactSize }: Policy, bytes: number): string {
  return `${formatBytes(bytes)} is over max_artifact_size (${formatBytes(maxArtifactSize)}) and on_over_max is "reject".`;
}
