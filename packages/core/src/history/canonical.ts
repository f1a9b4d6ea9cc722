/**
 * The only way into a history. Order is fixed: what a tool returned is recorded as an output first,
 * then a message refers to it. Nothing that came out of a renderer gets in: the types refuse it,
 * and what slips by them (a host that hands our own text back as the result of the same call) is
 * recognised by the handle in it, counted, and replaced by the output it was made from.
 */
import { createHash } from 'node:crypto';
import type { BlocksResult, TextResult, ToolResult } from '../capture/result.ts';
import type { ArtifactId } from '../model/artifact.ts';
import { invalidArgument } from '../model/errors.ts';
import type {
  LegacyMark,
  MessageDraft,
  MessagePart,
  MessageRecord,
  MessageResult,
} from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { SessionName } from '../model/session.ts';
import type { WaitOptions } from '../model/store.ts';
import type { Unstored } from '../stores/standby.ts';
import { isStandIn } from '../wording/history.ts';
import { checkMessage, checkResultOf } from './check-message.ts';
import { isShapeType, isWhole } from './content.ts';
import type { SessionContext } from './context.ts';
import { detectLegacy } from './legacy.ts';
import type { MediaInput, MessageInput, ResultOf } from './message.ts';
import { handlesIn, hasContent, isRenderingOf, isTransportPreview, plainTexts } from './provenance.ts';

/** What a result became. */
export interface RecordedResult {
  readonly part: MessageResult;
  readonly output: OutputRecord;
  /** Why the result broke off, if it did: what had arrived is recorded. */
  readonly failure?: unknown;
}

const ALL_STORED: Unstored = { messages: 0, outputs: 0, summaries: 0, why: null };

const LOSSLESS = 'canonical_tool_result_is_lossless';
/** Tool name under which media of messages is stored. */
const ATTACHMENT = 'attachment';

export class CanonicalWriter {
  readonly #context: SessionContext;
  readonly #name: SessionName;
  readonly #mint: () => string;

  constructor(context: SessionContext, mint: () => string) {
    this.#context = context;
    this.#name = context.name;
    this.#mint = mint;
  }

  /** Adds messages, all or none, in order. Once a file is stored, the signal no longer stops it. */
  async say(
    messages: readonly MessageInput[],
    { signal }: WaitOptions = {},
  ): Promise<readonly MessageRecord[]> {
    signal?.throwIfAborted();
    const { holding, store, clock } = this.#context;
    const drafts: MessageDraft[] = [];
    const checked = messages.map((message, i) =>
      checkMessage(message, messages.length === 1 ? '' : `messages[${i}]`),
    );
    for (const { id, at, parts, role, foreign } of checked) {
      const kept: MessagePart[] = [];
      for (const part of parts)
        kept.push(part.type === 'media' && 'data' in part ? await this.#attach(part) : part);
      const draft = { id: id ?? this.#mint(), at: at ?? clock(), role, parts: kept, foreign };
      drafts.push(holding.withoutSecrets(draft, this.#name.session, 'stored'));
    }
    const isAttached = drafts.some(({ parts }) => parts.some(({ type }) => type === 'media'));
    const wait = { signal: isAttached ? undefined : signal };
    const records = await store.addMessages({ ...this.#name, messages: drafts }, wait);
    if (this.unstored.messages > 0) this.#context.ledger.count('unstored_messages', drafts.length);
    return records;
  }

  /** What of the session is only held in memory. */
  get unstored(): Unstored {
    return this.#context.holding.standby?.unstored(this.#name) ?? ALL_STORED;
  }

  /** Records a tool's result; the part is still to be said. `known`: earlier outputs of the call. */
  async record(
    of: ResultOf,
    result: ToolResult,
    known: ReadonlySet<ArtifactId> = new Set(),
    wait: WaitOptions = {},
  ): Promise<RecordedResult> {
    wait.signal?.throwIfAborted();
    const { holding, store, ledger } = this.#context;
    checkResultOf(of);
    const own = await this.#ownRendering(of, result, known);
    if (own !== null) return { part: partOf(of, own, undefined), output: own };
    if (await this.#isOwnStandIn(of, result))
      return this.record({ ...of, stage: 'preliminary' }, result, known, wait);
    // Only imported histories may have been cut by somebody else.
    const legacy = of.origin === 'imported' ? legacyOf(result) : undefined;
    const call = { ...this.#name, tool: of.tool, callId: of.callId, input: of.input };
    const { record, existing, notStored, failure } = await holding.recordOrHold(call, result as TextResult, {
      sourceTruncated: of.sourceTruncated ?? legacy !== undefined,
      ...(of.outcome === undefined ? {} : { outcome: of.outcome }),
      ...wait,
    });
    // The same result said again is not written again.
    if (!existing) {
      ledger.count('canonical_writes');
      if (legacy !== undefined) ledger.count('suspected_truncations');
    }
    if (ledger.isThorough && !(await isWhole(store, record)))
      ledger.broken(LOSSLESS, `${record.id} is not stored as it was given; check the store.`);
    if (notStored !== undefined) ledger.count('unstored_results');
    const kept = partOf(of, record, legacy);
    const part: MessageResult = notStored === undefined ? kept : { ...kept, unstored: true };
    return { part, output: record, ...(failure === undefined ? {} : { failure }) };
  }

  /** The output that the text renders, or the same output where it is imported again. */
  async #ownRendering(
    of: ResultOf,
    result: ToolResult,
    known: ReadonlySet<ArtifactId>,
  ): Promise<OutputRecord | null> {
    const texts = plainTexts(result);
    if (texts === null) return null;
    for (const which of [...[...known].map((id) => ({ id })), { ...this.#name, callId: of.callId }]) {
      const earlier = await this.#context.store.find({ scope: this.#name.scope, ...which });
      if (earlier === undefined || 'purgedAt' in earlier) continue;
      if (hasContent(earlier, result)) {
        if (of.origin === 'imported') return earlier;
        continue;
      }
      if (await this.#isViewOf(earlier, texts)) return this.#takenBack(of, earlier, texts);
    }
    return of.origin === 'imported' ? this.#outputNamedIn(texts) : null;
  }

  /** The output of a wrapped tool whose shown text this is. A text that only quotes a handle is not. */
  async #outputNamedIn(texts: readonly string[]): Promise<OutputRecord | null> {
    const { store, ledger } = this.#context;
    for (const id of handlesIn(texts)) {
      const named = await store.find({ scope: this.#name.scope, id });
      if (named === undefined || 'purgedAt' in named || named.callId !== undefined) continue;
      const shown = (await store.frozen(id, 'model'))?.projection.text;
      if (shown === undefined || !texts.some((text) => isRenderingOf(text, shown))) continue;
      ledger.count('relinked_results');
      return named;
    }
    return null;
  }

  /** Only our renderer knows the handle of a call, so a result that names its own came from us. */
  async #isViewOf(earlier: OutputRecord, texts: readonly string[]): Promise<boolean> {
    const shown = (await this.#context.store.frozen(earlier.id, 'model'))?.projection.text;
    return texts.some((text) => text.includes(earlier.id) || text === shown);
  }

  /** Our own view was offered as a result: the output behind it is what counts. */
  async #takenBack(of: ResultOf, earlier: OutputRecord, texts: readonly string[]): Promise<OutputRecord> {
    const { ledger } = this.#context;
    if (of.origin === 'imported') {
      // A framework that keeps what was sent hands it over in good faith.
      ledger.count('relinked_results');
      return earlier;
    }
    const facts = { tool: of.tool, output: earlier.id };
    await ledger.note('rendered_write', this.#name, facts, 'rendered_writes');
    const advice = `what is offered as the result of this call is our own view of ${earlier.id}; keep the tool's own result instead.`;
    const name = texts.some(isTransportPreview)
      ? 'transport_truncation_must_not_mutate_canonical_history'
      : LOSSLESS;
    ledger.broken(name, advice);
    return earlier;
  }

  /** Our stand-in for a missing result is kept as preliminary, so that the real result still wins. */
  async #isOwnStandIn(of: ResultOf, result: ToolResult): Promise<boolean> {
    if (of.stage === 'preliminary' || !(plainTexts(result) ?? []).some((text) => isStandIn(of, text)))
      return false;
    const { ledger } = this.#context;
    await ledger.note('rendered_write', this.#name, { tool: of.tool }, 'rendered_writes');
    const advice =
      'what is offered as the result of this call is what we had put in its place; keep the real result.';
    ledger.broken(LOSSLESS, advice);
    return true;
  }

  async #attach({ mediaType, data, foreign }: MediaInput): Promise<MessagePart> {
    const type = mediaType.startsWith('audio/') ? 'audio' : 'image';
    const blocks: BlocksResult = { kind: 'blocks', blocks: [{ type, data, mimeType: mediaType }] };
    // What a framework has and we have no word for is JSON, which can be read page by page.
    const result = isShapeType(mediaType) ? ({ kind: 'text', text: data } as const) : blocks;
    // By its content, so that the same picture said again is the same output.
    const callId = `${ATTACHMENT}/${createHash('sha256').update(data).digest('hex')}`;
    const call = { ...this.#name, tool: ATTACHMENT, callId };
    const { record } = await this.#context.holding.recordOrHold(call, result as TextResult);
    const part = record.parts.findIndex(({ role }) => role === 'content');
    return { type: 'media', mediaType, source: { output: record.id, part }, foreign };
  }
}

/** From this confidence on a text counts as cut elsewhere. */
const SURE_ENOUGH = 0.5;

function partOf(of: ResultOf, output: OutputRecord, legacy: LegacyMark | undefined): MessageResult {
  const { callId, tool, stage, foreign } = of;
  const { status } = output.outcome;
  return { type: 'result', callId, tool, output: output.id, status, stage, legacy, foreign };
}

function legacyOf(result: ToolResult): LegacyMark | undefined {
  const marks = (plainTexts(result) ?? []).flatMap((text) => detectLegacy(text) ?? []);
  const [surest] = marks.sort((a, b) => b.confidence - a.confidence);
  return surest !== undefined && surest.confidence >= SURE_ENOUGH ? surest : undefined;
}

/** Refuses a name that could not be looked up again. */
export function checkName({ scope, session }: SessionName): void {
  if (typeof scope === 'string' && typeof session === 'string' && session !== '') return;
  throw invalidArgument(
    'Which session? Give `session` as a text that is not empty; a `scope` is a text as well.',
  );
}
