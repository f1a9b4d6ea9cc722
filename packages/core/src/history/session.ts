/**
 * One session: what is said in it, what came back from tools, and the next request to a model.
 * Everything durable is in the store.
 */
import type { NotProjected, Source, ToolResult } from '../capture/result.ts';
import { invalidArgument } from '../model/errors.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { SessionName, SummaryRecord } from '../model/session.ts';
import type { WaitOptions } from '../model/store.ts';
import type { Unstored } from '../stores/standby.ts';
import { untilAborted } from '../text/abortable.ts';
import type { CanonicalWriter } from './canonical.ts';
import { checkAmount, checkOptions, oneOf } from './check-message.ts';
import { type Compacted, type CompactOptions, compactSession, undoCompaction } from './compaction/compact.ts';
import { canonicalBlocks } from './content.ts';
import { forCall, type SessionContext } from './context.ts';
import { entriesOf } from './entries.ts';
import { exportLines, importLines, type LineCounts } from './lines.ts';
import type { DerivedMessage, Message, MessageInput, NotRendered, ResultOf } from './message.ts';
import { pair } from './pairing.ts';
import { type ProjectMessagesOptions, projectMessages } from './project-messages.ts';
import { allAbove, messagesAbove, recordedBefore, recordedIn } from './read-session.ts';
import { renderEntry } from './render-messages.ts';
import { type SessionReport, sessionReport } from './report.ts';
import {
  type MadeRequest,
  makeRequest,
  type Prepared,
  type PrepareOptions,
  prepareRequest,
  type RequestOptions,
} from './request.ts';
import { type Backfilled, backfill, hydrate, type LegacyPath, Shadow } from './rollout.ts';
import { type Imported, type ImportOptions, importMessages } from './shapes/import.ts';
import { shapeOf, writeAs } from './shapes/index.ts';
import type { Shape, ShapeName, Written } from './shapes/shape.ts';
import { limitMessages, type TransportLimits, type TransportMessage } from './transport/preview.ts';
import { limitEvents, limitServerSentEvents, type TransportOptions } from './transport/stream.ts';

/** A result that was recorded and said. */
export interface RecordedResult {
  /** The message that holds the result. */
  readonly message: MessageRecord;
  /** The output that it refers to. */
  readonly output: OutputRecord;
  /** False where the output or the message is only held in memory: see `Session.unstored`. */
  readonly stored: boolean;
  /** Why the result broke off, if it did. What had arrived is kept, with the reason behind it. */
  readonly failure?: unknown;
}

/** One agent's run. */
export class Session {
  readonly #writer: CanonicalWriter;
  readonly #context: SessionContext;

  /** @internal */
  constructor(writer: CanonicalWriter, context: SessionContext) {
    this.#writer = writer;
    this.#context = context;
  }

  /** Its scope and its name in it. */
  get name(): SessionName {
    return this.#context.name;
  }

  /** Adds a message behind the others. Saying it again under the same id changes nothing. */
  async say<M extends MessageInput>(
    message: M & NotRendered<M>,
    wait: WaitOptions = {},
  ): Promise<MessageRecord> {
    const [recorded] = await this.#writer.say([message], wait);
    return recorded as MessageRecord;
  }

  /** Adds messages together: all or none, with nothing between them. */
  async sayAll<M extends MessageInput>(
    messages: readonly (M & NotRendered<M>)[],
    wait: WaitOptions = {},
  ): Promise<readonly MessageRecord[]> {
    return this.#writer.say(messages, wait);
  }

  /**
   * Records what a tool returned, whole, then says that it did. The same result of the same call
   * again changes nothing. Once the signal is aborted, what had arrived is kept as cancelled, and
   * said.
   */
  async result<R extends ToolResult>(
    of: ResultOf,
    result: R & NotProjected<R>,
    wait: WaitOptions = {},
  ): Promise<RecordedResult> {
    const { part, output, ...failed } = await this.#writer.record(of, result, undefined, wait);
    const recorded = await recordedBefore(this.#context, part);
    if (recorded !== undefined)
      return { message: recorded, output, stored: this.#isStored(output), ...failed };
    const id = of.messageId === undefined ? {} : { id: of.messageId };
    const [message] = await this.#writer.say([{ ...id, role: 'tool', parts: [part] }]);
    return { message: message as MessageRecord, output, stored: this.#isStored(output), ...failed };
  }

  /**
   * What of the session could not be stored and is held in memory: its disk is full, or it cannot
   * be written. It is stored, in order and once, with the next call that finds room; what is still
   * held when the process ends is lost.
   */
  get unstored(): Unstored {
    return this.#writer.unstored;
  }

  /**
   * Makes the next request, in one call: pairs calls and results, projects results, and compacts
   * the session as often as needed. What comes back fits the window, with everything counted that
   * is sent. If nothing makes it fit, it throws `over_window`, which names the largest part and the
   * way out.
   */
  async request(options: RequestOptions): Promise<MadeRequest> {
    checkRequestOptions(options);
    await this.#restored(options);
    return makeRequest(this.#context, options);
  }

  /** What to send to a model now, or why not: one step of `request`, which also compacts. */
  async prepare(options: PrepareOptions = {}): Promise<Prepared> {
    checkPrepareOptions(options);
    await this.#restored(options);
    return prepareRequest(this.#context, options);
  }

  /**
   * Tells what the provider counted for the last request that was made, in tokens: everything it
   * read, also from its cache. Later requests are counted as that model counts. A number that
   * is too low to be right is ignored, one that is too high counts as far as it is plausible.
   */
  reportUsage(inputTokens: number): void {
    const { counts, ledger } = this.#context;
    const expected = Math.round(counts.calibration.expected);
    // The ledger takes it when it can; whoever reports has nothing to wait for.
    if (counts.calibration.learn(inputTokens) !== null)
      void ledger.note('reported', this.name, { data: { tokens: inputTokens, expected } });
  }

  /** Summarises older messages, beside them: canonical history stays as it is. */
  async compact(options: CompactOptions = {}): Promise<Compacted> {
    checkCompactOptions(options);
    return compactSession(this.#context, options);
  }

  /** Makes the summary before the latest count again, or none. */
  async undoCompaction(wait: WaitOptions = {}): Promise<SummaryRecord> {
    return undoCompaction(forCall(this.#context, wait));
  }

  /** Every message as it is kept, in order. */
  messages(wait: WaitOptions = {}): AsyncIterable<MessageRecord> {
    return messagesAbove(forCall(this.#context, wait), 0);
  }

  /** Every message with everything in it, results whole, one at a time. */
  transcript(wait: WaitOptions = {}): AsyncIterable<DerivedMessage> {
    return transcript(forCall(this.#context, wait));
  }

  /** Takes in messages of a framework. Of a conversation given again, what is new is added. */
  async import(shape: ShapeName | Shape, messages: unknown, options: ImportOptions = {}): Promise<Imported> {
    checkOptions(options, ['signal', 'given']);
    return importMessages(this.#writer, this.#context, shapeOf(shape), messages, options);
  }

  /**
   * Messages of a framework with their results bounded where they stand, the same every time; all
   * else is what was given. Results are recorded by the ids of their calls; the session's messages
   * stay as they are.
   */
  async project(
    shape: ShapeName | Shape,
    messages: unknown,
    options: ProjectMessagesOptions = {},
  ): Promise<readonly unknown[]> {
    checkOptions(options, ['signal', 'about', 'room']);
    await this.#restored(options);
    return projectMessages(this.#writer, this.#context, shapeOf(shape), messages, options);
  }

  /** The whole session in the words of a framework. For what is to be sent, see `writeAs`. */
  async export(shape: ShapeName | Shape, wait: WaitOptions = {}): Promise<Written> {
    const messages: Message[] = [];
    for await (const message of this.transcript(wait)) messages.push(message);
    return writeAs(shape, messages);
  }

  /** Everything of the session as JSON Lines, one line at a time, without line ends. */
  exportLines(wait: WaitOptions = {}): AsyncIterable<string> {
    return exportLines(forCall(this.#context, wait));
  }

  /** Takes in what `exportLines` wrote, with handles, ids and bytes. Counts what is new. */
  importLines(lines: AsyncIterable<string> | Iterable<string>, wait: WaitOptions = {}): Promise<LineCounts> {
    return importLines(this.#context.store, this.name, lines, wait);
  }

  /** The session for a screen that reloads: canonical first, then what only the screen has. */
  async hydrate(held: readonly Message[] = [], wait: WaitOptions = {}): Promise<Message[]> {
    const kept: Message[] = [];
    for await (const message of this.transcript(wait)) kept.push(message);
    return hydrate(kept, held);
  }

  /** Fetches what a legacy record had lost from a durable source, such as a log file. */
  backfill(callId: string, source: Source, wait: WaitOptions = {}): Promise<Backfilled> {
    return backfill(this.#context, this.#writer, callId, source, wait);
  }

  /** Runs a host's old path beside ours. The report and the ledger tell how they differ. */
  shadow(legacy: LegacyPath): Shadow {
    return new Shadow(this.#context, (of, result, wait) => this.result(of, result, wait), legacy);
  }

  /** Transforms events on their way to a screen: long results become flagged previews. */
  limitEvents(options: TransportOptions = {}): TransformStream<unknown, unknown> {
    return limitEvents(this.#context, this.name, options);
  }

  /** The same for server-sent events as bytes. */
  limitServerSentEvents(options: TransportOptions = {}): TransformStream<Uint8Array, Uint8Array> {
    return limitServerSentEvents(this.#context, this.name, options);
  }

  /** Messages for a screen, within limits of its own. */
  async limitMessages(
    messages: readonly Message[],
    limits: TransportLimits & WaitOptions = {},
  ): Promise<readonly TransportMessage[]> {
    return limitMessages(this.#context, this.name, messages, limits);
  }

  /** What can be counted in the session as it is kept. */
  async report(wait: WaitOptions = {}): Promise<SessionReport> {
    return sessionReport(forCall(this.#context, wait));
  }

  async #restored({ signal }: WaitOptions): Promise<void> {
    await untilAborted(this.#context.holding.standby?.restore(), signal);
  }

  #isStored({ id }: OutputRecord): boolean {
    const isHeld = this.#context.holding.standby?.whyNotStored(id) != null;
    return !isHeld && this.unstored.messages === 0;
  }
}

const PREPARE_OPTIONS = 'signal window reserve beside purpose about mediaTokens textResults'.split(' ');

function checkRequestOptions(options: RequestOptions): void {
  if (typeof options !== 'object' || options === null || options.window === undefined)
    throw invalidArgument('Which window? Give `window` in tokens.');
  if (options.cache !== undefined) oneOf(options.cache, 'cache', ['anthropic']);
  const { cache: _, model: __, onCompaction: ___, ...prepare } = options;
  checkPrepareOptions({ ...prepare, purpose: 'send' });
}

function checkPrepareOptions(options: PrepareOptions): void {
  checkOptions(options, PREPARE_OPTIONS);
  const { window, reserve, beside, mediaTokens, purpose = 'send' } = options;
  checkAmount(window, 'window', 1);
  checkAmount(reserve, 'reserve', 0);
  checkAmount(beside, 'beside', 0);
  checkAmount(mediaTokens, 'mediaTokens', 0);
  oneOf(purpose, 'purpose', ['send', 'look']);
}

function checkCompactOptions(options: CompactOptions): void {
  checkOptions(options, ['signal', 'window', 'keepTokens', 'summaryTokens', 'reach', 'model']);
  const { window, keepTokens, summaryTokens, reach = 'older' } = options;
  checkAmount(summaryTokens, 'summaryTokens', 1);
  oneOf(reach, 'reach', ['older', 'all']);
  checkAmount(window, 'window', 1);
  checkAmount(keepTokens, 'keepTokens', 0);
}

async function* transcript(context: SessionContext): AsyncGenerator<DerivedMessage> {
  const all = await allAbove(context, 0);
  const entries = entriesOf(context, pair(all).messages, recordedIn(context, 0, all));
  for await (const entry of entries)
    yield* (await renderEntry(context, entry, async ({ record }) =>
      record === null ? [] : canonicalBlocks(context, record),
    )) as DerivedMessage[];
}
