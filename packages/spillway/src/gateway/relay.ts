/**
 * One client, one upstream, and the messages between them, as bytes. Looked at are: the handshake, the list of tools, tool calls and their
 * results, and resources under `artifact://`. All else passes. Every request is answered once: by the upstream, or by us when the upstream
 * crashed or gave no sign for too long.
 */
import { type CallSettings, parseSettings, type Spillway } from '@spillway/core';
import { Arrivals } from './arrivals.ts';
import type { Incoming } from './framing.ts';
import { Handshake } from './handshake.ts';
import { elementsOf, stringIn, textIn, valueIn } from './json-edit.ts';
import {
  errorMessage,
  type Message,
  metaOf,
  readMessage,
  TRUNCATION_KEY,
  toolError,
  within,
} from './message.ts';
import { hasArgument, takeOverride, unboundedRefused } from './override.ts';
import { answerResource, fetchByTool, sentence } from './own-answers.ts';
import { OwnRequests } from './own-requests.ts';
import { type Pending, PendingRequests, type ToolCall } from './pending.ts';
import type { ClientPort, Upstream, UpstreamEvents } from './ports.ts';
import { spool } from './spool.ts';
import type { ToolDirectory } from './tool-directory.ts';
import type { ToolResults } from './tool-results.ts';

export interface RelayOptions {
  readonly spillway: Spillway;
  readonly client: ClientPort;
  readonly tools: ToolDirectory;
  readonly results: ToolResults;
  readonly scope: string;
  readonly session: string;
  /** Settings that hold for the whole session. */
  readonly settings: CallSettings;
  readonly allowUnbounded: boolean;
  /** Milliseconds without a sign of life after which a request is given up; 0 never. */
  readonly timeoutMs: number;
  readonly clock: () => number;
  /** For people: what went wrong, never what a tool said. */
  readonly log: (line: string) => void;
}

const INVALID_PARAMS = -32602;
const SERVER_ERROR = -32000;
const MOMENT_MS = 50;

export class Relay implements UpstreamEvents {
  readonly #options: RelayOptions;
  readonly #pending: PendingRequests;
  readonly #own: OwnRequests;
  readonly #handshake = new Handshake();
  readonly #arrivals: Arrivals;
  readonly #taskTools = new Map<string, ToolCall>();
  readonly #working = new Set<Promise<unknown>>();
  #upstream: Upstream | null = null;
  #listing: Promise<void> | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { timeoutMs, clock } = options;
    this.#pending = new PendingRequests({ timeoutMs, clock, expired: (pending) => this.#expired(pending) });
    this.#own = new OwnRequests(this.#pending);
    this.#arrivals = new Arrivals({
      ...options,
      pending: this.#pending,
      whole: (bytes, about) => this.#arrived(bytes, about),
      restart: () => this.#upstream?.restart(),
    });
  }

  attach(upstream: Upstream): void {
    this.#upstream = upstream;
  }

  /** A message from the client. */
  async fromClient(incoming: Incoming): Promise<void> {
    if (incoming.kind === 'whole') return this.#clientMessage(incoming.bytes);
    // Too large to be looked at: it goes on as it is.
    const { spooled, failure } = await spool(incoming.head, incoming.rest, () => {});
    if (failure === null) await this.#upstream?.send(spooled, null);
    await spooled.close();
  }

  async received(incoming: Incoming, about: string | null): Promise<void> {
    if (incoming.kind === 'whole') await this.#arrived(incoming.bytes, about);
    else await this.#arrivals.large(incoming, about);
  }

  async lost(why: string, unsent: ReadonlySet<string>): Promise<void> {
    for (const pending of this.#pending.takeAllBut(unsent))
      if (!pending.abandoned) await this.#giveUp(pending, why);
  }

  async refused(id: string, why: string): Promise<void> {
    const pending = this.#pending.take(id);
    if (pending?.abandoned === false) await this.#giveUp(pending, why);
  }

  waits(id: string): boolean {
    return this.#pending.get(id) !== undefined;
  }

  async renewed(send: (bytes: Buffer) => Promise<void>): Promise<void> {
    const id = this.#own.nextId();
    const again = this.#handshake.again(id);
    if (again === null) return;
    const answered = this.#own.expect(id, 'initialize');
    await send(again.request);
    if ((await answered) !== null && again.initialized !== null) await send(again.initialized);
  }

  /** Lets requests that were made be answered, for so long. */
  async answered(mostMs: number): Promise<void> {
    await this.#pending.answered(mostMs);
    await Promise.allSettled([...this.#working]);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#pending.close();
    await Promise.allSettled([...this.#working]);
    await this.#options.results.settled();
  }

  async #clientMessage(bytes: Buffer): Promise<void> {
    const message = readMessage(bytes);
    if (message === null) return this.#clientBatch(bytes);
    if (message.method === null) return this.#pass(message);
    if (message.id === null) return this.#clientNotification(message);
    return this.#clientRequest(message, message.id, message.method);
  }

  /** A batch is passed on message by message; what is no message at all is the upstream's to refuse. */
  async #clientBatch(bytes: Buffer): Promise<void> {
    const elements = elementsOf(bytes);
    if (elements === null || elements.length === 0) return this.#upstream?.send(bytes, null);
    for (const { start, end } of elements) await this.#clientMessage(bytes.subarray(start, end));
  }

  async #clientNotification(message: Message): Promise<void> {
    if (message.method === 'notifications/initialized') this.#handshake.confirmed(message);
    const about =
      message.method === 'notifications/cancelled' ? within(message, 'params').get('requestId') : undefined;
    const pending = about === undefined ? undefined : this.#pending.get(textIn(message.bytes, about.value));
    if (pending !== undefined) pending.cancelled = true;
    await this.#pass(message);
  }

  async #clientRequest(message: Message, id: string, method: string): Promise<void> {
    const params = within(message, 'params');
    if (method === 'tools/call') return this.#toolCall(message, id);
    if (method === 'initialize' && !(await this.#opened(message, id))) return;
    const own = method.startsWith('resources/') ? this.#ownResource(message, id) : null;
    if (own !== null) return this.#work(own.then((answer) => this.#answer(answer, id)));
    const task = method === 'tasks/result' ? stringIn(message.bytes, params.get('taskId')) : undefined;
    this.#wait(message, id, method, task === undefined ? null : (this.#taskTools.get(task) ?? null));
    await this.#pass(message);
  }

  /** The client introduces itself, perhaps with settings for its session. */
  async #opened(message: Message, id: string): Promise<boolean> {
    const { spillway, session, settings } = this.#options;
    this.#handshake.asked(message);
    const given = metaOf(message, TRUNCATION_KEY);
    if (given === undefined) return true;
    try {
      const own = parseSettings(given.value as Readonly<Record<string, unknown>>);
      spillway.configureSession(session, { ...parseSettings(settings), ...own });
      this.#options.results.effective({ tool: '', policy: undefined });
      return true;
    } catch (error) {
      spillway.configureSession(session, settings);
      await this.#answer(errorMessage(id, INVALID_PARAMS, sentence(error)), id);
      return false;
    }
  }

  async #toolCall(message: Message, id: string): Promise<void> {
    const { tools, spillway, scope } = this.#options;
    const params = within(message, 'params');
    const tool = stringIn(message.bytes, params.get('name')) ?? '';
    const given = params.get('arguments');
    const era = this.#handshake.eraFor(message);
    if (tool === tools.ownName) {
      const args = given === undefined ? {} : valueIn(message.bytes, given.value);
      return this.#work(
        fetchByTool(spillway, scope, id, era, args).then((answer) => this.#answer(answer, id)),
      );
    }
    // Not waited for: the server may want to hear from the client before it answers.
    if (hasArgument(message) && tools.get(tool) === undefined && !tools.complete)
      return this.#work(this.#learnTools(message).then(() => this.#passCall(message, id, tool)));
    await this.#passCall(message, id, tool);
  }

  async #passCall(message: Message, id: string, tool: string): Promise<void> {
    const { tools, results } = this.#options;
    const given = within(message, 'params').get('arguments');
    const era = this.#handshake.eraFor(message);
    try {
      const { bytes, policy } = takeOverride(message, tools.get(tool)?.declaresTruncation === true);
      const input = given === undefined ? undefined : valueIn(message.bytes, given.value);
      const inputText = given === undefined ? undefined : textIn(message.bytes, given.value);
      const call = { tool, input, inputText, policy };
      this.#checkBounded(call);
      results.effective(call);
      this.#wait(message, id, 'tools/call', call);
      await this.#send(bytes, message, id);
    } catch (error) {
      await this.#answer(toolError(id, era, sentence(error)), id);
    }
  }

  #checkBounded(call: ToolCall): void {
    if (this.#options.allowUnbounded) return;
    // Wherever it was set: without permission nothing goes through a gateway unbounded.
    if (this.#options.results.effective(call).policy.strategy === 'none') throw unboundedRefused();
  }

  #ownResource(message: Message, id: string): Promise<Buffer> | null {
    const { spillway, scope } = this.#options;
    const era = this.#handshake.eraFor(message);
    return answerResource(
      { spillway, scope, era, all: this.#handshake.upstreamHasResources === false },
      message,
      id,
    );
  }

  #wait(message: Message, id: string, method: string, call: ToolCall | null): void {
    const token = within(message, 'params').get('_meta');
    const meta = token === undefined ? undefined : metaOf(message, 'progressToken')?.value;
    this.#pending.add({
      id,
      method,
      request: message,
      era: this.#handshake.eraFor(message),
      call,
      progressToken: meta === undefined ? null : JSON.stringify(meta),
    });
  }

  async #pass(message: Message): Promise<void> {
    await this.#send(message.bytes, message, message.method === null ? null : message.id);
  }

  /** Waits only for a moment: while a server is away the client's next message may be one that we answer ourselves. */
  async #send(bytes: Buffer, message: Message, id: string | null): Promise<void> {
    const sending = (this.#upstream?.send(bytes, message) ?? Promise.resolve()).catch((error: unknown) =>
      id === null ? undefined : this.refused(id, sentence(error)),
    );
    this.#work(sending);
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MOMENT_MS);
    });
    await Promise.race([sending, moment]);
    clearTimeout(timer);
  }

  /** A whole message from the upstream. */
  async #arrived(bytes: Buffer, about: string | null): Promise<void> {
    const message = readMessage(bytes);
    if (message === null) {
      const elements = elementsOf(bytes);
      if (elements === null)
        return this.#options.log(
          `The server printed ${bytes.length} bytes that are no message; they were left out.`,
        );
      for (const { start, end } of elements) await this.#arrived(bytes.subarray(start, end), about);
      return;
    }
    if (message.method !== null) return this.#upstreamSays(message, about);
    const pending = message.id === null ? undefined : this.#pending.take(message.id);
    if (pending === undefined) return this.#answer(bytes, message.id);
    if (pending.settle !== undefined) return pending.settle(message);
    if (pending.call !== null) return this.#result(pending, pending.call, message);
    if (pending.abandoned) return;
    await this.#answer(this.#rewritten(pending, message), pending.id);
  }

  async #upstreamSays(message: Message, about: string | null): Promise<void> {
    if (message.method === 'notifications/progress') {
      const token = within(message, 'params').get('progressToken');
      if (token !== undefined) this.#pending.progress(JSON.stringify(valueIn(message.bytes, token.value)));
    }
    if (message.method === 'notifications/tools/list_changed') this.#options.tools.forget();
    await this.#options.client.send(message.bytes, about);
  }

  #result(pending: Pending, call: ToolCall, message: Message): Promise<void> | undefined {
    this.#rememberTask(call, message);
    const answer = this.#options.results.whole(call, pending.era, message.bytes);
    const pass = (bytes: Buffer) => (pending.abandoned ? Promise.resolve() : this.#answer(bytes, pending.id));
    if (Buffer.isBuffer(answer)) return pass(answer);
    this.#work(
      answer.then(pass, (error: unknown) =>
        this.#answer(toolError(pending.id, pending.era, sentence(error)), pending.id),
      ),
    );
    return undefined;
  }

  /** A call may be answered by a task, whose result is asked for later. */
  #rememberTask(call: ToolCall, message: Message): void {
    const task = within(message, 'result').get('task');
    const id =
      task === undefined ? undefined : (valueIn(message.bytes, task.value) as { taskId?: unknown })?.taskId;
    if (typeof id === 'string') this.#taskTools.set(id, call);
  }

  #rewritten({ method }: Pending, message: Message): Buffer {
    if (!message.members.has('result')) return message.bytes;
    if (method === 'initialize' || method === 'server/discover') return this.#handshake.passOn(message);
    return method === 'tools/list' ? this.#options.tools.passOn(message) : message.bytes;
  }

  /** Asks the upstream for its tools, because a call depends on what one of them declares. */
  async #learnTools(like: Message): Promise<void> {
    this.#listing ??= this.#askForTools(like).finally(() => {
      this.#listing = null;
    });
    await this.#listing;
  }

  async #askForTools(like: Message): Promise<void> {
    const send = (message: Message, id: string) => this.#send(message.bytes, message, id);
    const { stateless } = this.#handshake.eraFor(like);
    for await (const page of this.#own.tools(like, stateless, send)) this.#options.tools.passOn(page);
  }

  #expired(pending: Pending): void {
    const seconds = Math.round(this.#options.timeoutMs / 1_000);
    if (pending.interrupt !== null) {
      pending.interrupt('timeout');
      return;
    }
    pending.abandoned = true;
    const reason = `No answer for ${seconds} s.`;
    const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${pending.id},"reason":${JSON.stringify(reason)}}}`;
    const message = readMessage(Buffer.from(cancel)) as Message;
    this.#work(
      Promise.all([
        this.#send(message.bytes, message, null),
        this.#giveUp(pending, `The server gave no sign for ${seconds} s and was told to stop.`),
      ]),
    );
  }

  async #giveUp(pending: Pending, why: string): Promise<void> {
    if (pending.settle !== undefined) return pending.settle(null);
    if (pending.cancelled) return;
    const { id, era, call } = pending;
    this.#options.log(`A ${pending.method} was given up: ${why}`);
    await this.#answer(call === null ? errorMessage(id, SERVER_ERROR, why) : toolError(id, era, why), id);
  }

  async #answer(bytes: Buffer, id: string | null): Promise<void> {
    await this.#options.client.send(bytes, id);
  }

  /** Goes on beside the messages; waited for at the end. */
  #work(work: Promise<unknown>): void {
    const tracked = work
      .catch((error: unknown) => this.#options.log(sentence(error)))
      .finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }
}
