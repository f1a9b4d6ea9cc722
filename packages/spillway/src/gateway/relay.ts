/**
 * Relays messages, as bytes, between one client and one upstream. It reads the handshake, tool
 * lists, tool calls and results, and resources under `artifact://`; everything else passes. Every
 * request is answered once: by the upstream, or by us if it crashed or timed out.
 */

import { parseSettings, type SettingsInput } from '@spillway/core';
import { randomBytes } from '@spillway/core/store';
import { withoutClaims } from './answers.ts';
import { refusePeer, refuseUnbounded, takeSettings, truncationArgument } from './call-settings.ts';
import type { Incoming, Large } from './incoming.ts';
import { BOUNDED_METHODS, innerResult } from './inner-results.ts';
import { addedMember, type ByteRange, edited, elementsOf } from './json-edit.ts';
import {
  type AnswerRules,
  CLIENT_KEY,
  cancellation,
  errorMessage,
  type Message,
  ownMessage,
  PROTOCOL_KEY,
  pagesOf,
  RPC,
  readMessage,
  rulesOf,
  TRUNCATION_KEY,
  toolError,
} from './message.ts';
import { answerResource, fetchByTool } from './own-answers.ts';
import { type Pending, PendingRequests, remember, type ToolCall } from './pending.ts';
import { type ClientPort, type Upstream, type UpstreamEvents, within } from './ports.ts';
import { type Broken, ToolResults, type ToolResultsOptions } from './tool-results.ts';
import { LOG, REFUSED, RESULT, sentence } from './wording.ts';

export interface RelayOptions extends ToolResultsOptions {
  readonly client: ClientPort;
  readonly settings: SettingsInput;
  readonly allowUnbounded: boolean;
  readonly introduced: (client: string) => void;
  /** Milliseconds without a sign of life after which a request is given up; 0 never. */
  readonly timeoutMs: number;
  /** For people; never quotes a tool. */
  readonly log: (line: string) => void;
}

/** While a server is away, the next message may be one that we answer ourselves. */
const MOMENT_MS = 50;
const MOST_TASKS = 1_000;
/** Lists and handshakes are read whole up to this size. */
const MOST_WHOLE = 64 * 1024 * 1024;
/** Tasks report about themselves only in revisions without a handshake. */
const TASK_RULES: AnswerRules = { stateless: true, links: true };

export class Relay implements UpstreamEvents {
  readonly #options: RelayOptions;
  readonly #results: ToolResults;
  readonly #pending: PendingRequests;
  readonly #handshake = new Handshake();
  readonly #tasks = new Map<string, ToolCall>();
  readonly #working = new Set<Promise<unknown>>();
  /** Unique: a client may be another gateway. */
  readonly #prefix = `spillway-${Buffer.from(randomBytes(6)).toString('hex')}`;
  #lastId = 0;
  #listing: Promise<void> | null = null;
  #upstream: Upstream | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#results = new ToolResults(options);
    const expired = (pending: Pending) => this.#expired(pending);
    this.#pending = new PendingRequests({ timeoutMs: options.timeoutMs, expired });
  }

  attach(upstream: Upstream): void {
    this.#upstream = upstream;
  }

  async fromClient(incoming: Incoming): Promise<void> {
    try {
      if (Buffer.isBuffer(incoming)) return await this.#fromClient(incoming);
      // Too large to read: passed on as it is.
      if (incoming.complete) await this.#upstream?.send(incoming, null);
      incoming.close();
    } catch (error) {
      this.#options.log(sentence(error));
    }
  }

  async received(incoming: Incoming, about: string | null): Promise<void> {
    try {
      if (Buffer.isBuffer(incoming)) await this.#arrived(incoming, about);
      else await this.#large(incoming, about);
    } catch (error) {
      this.#options.log(sentence(error));
    }
  }

  async lost(why: string, unsent: ReadonlySet<string>): Promise<void> {
    for (const pending of this.#pending.takeAllBut(unsent))
      if (!pending.abandoned) await this.#giveUp(pending, why);
  }

  async refuseAll(why: string): Promise<void> {
    for (const pending of this.#pending.takeAllBut(new Set()))
      if (!pending.abandoned) await this.#refuse(pending, why);
  }

  async refused(id: string, why: string): Promise<void> {
    const pending = this.#pending.take(id);
    if (pending?.abandoned === false) await this.#giveUp(pending, why);
  }

  waits(id: string): boolean {
    return this.#pending.get(id) !== undefined;
  }

  async renewed(send: (bytes: Buffer) => Promise<void>): Promise<void> {
    const { initialized } = this.#handshake;
    const id = this.#nextId();
    const again = this.#handshake.again(id);
    if (again === null) return;
    const answered = this.#expect(id, 'initialize');
    await send(again);
    if ((await answered) !== null && initialized !== null) await send(initialized);
  }

  async answered(mostMs: number): Promise<void> {
    await this.#pending.answered(mostMs);
    await Promise.allSettled([...this.#working]);
  }

  async close(): Promise<void> {
    this.#pending.close();
    await Promise.allSettled([...this.#working]);
    await this.#results.settled();
  }

  async #fromClient(bytes: Buffer): Promise<void> {
    const message = readMessage(bytes);
    if (message === null) return this.#batch(bytes);
    if (message.method === null) return this.#send(message.bytes, message, null);
    if (message.id === null) return this.#notification(message);
    return this.#request(message, message.id, message.method);
  }

  /** Passed on one by one; invalid ones are the upstream's to refuse. */
  async #batch(bytes: Buffer): Promise<void> {
    const elements = elementsOf(bytes);
    if (elements === null || elements.length === 0) return this.#upstream?.send(bytes, null);
    for (const { start, end } of elements) await this.#fromClient(bytes.subarray(start, end));
  }

  async #notification(message: Message): Promise<void> {
    if (message.method === 'notifications/initialized') this.#handshake.initialized = message.bytes;
    if (message.method === 'notifications/cancelled') {
      const about = message.written(message.params.get('requestId'));
      if (about !== undefined) this.#pending.cancel(about);
    }
    await this.#send(message.bytes, message, null);
  }

  async #request(message: Message, id: string, method: string): Promise<void> {
    if (method === 'tools/call') return this.#toolCall(message, id);
    if (method === 'initialize' && !(await this.#opened(message, id))) return;
    if (method.startsWith('resources/')) {
      const rules = this.#handshake.rulesFor(message);
      const all = this.#handshake.upstreamHasResources === false;
      const own = answerResource({ ...this.#options, rules, all }, message, id);
      if (own !== null) return this.#work(own.then((answer) => this.#options.client.send(answer, id)));
    }
    const task = method.startsWith('tasks/') ? message.string(message.params.get('taskId')) : undefined;
    const call = this.#tasks.get(task ?? '');
    const inner = BOUNDED_METHODS.has(method) ? (call ?? this.#asCall(message, method, task)) : undefined;
    this.#wait(message, id, method, method === 'tasks/result' ? (call ?? null) : null, inner);
    await this.#send(message.bytes, message, id);
  }

  /** The request may fill a page, so it is kept as a call. */
  #asCall(message: Message, tool: string, task: string | undefined): ToolCall {
    const input = message.value(message.members.get('params'));
    const call = { tool, input, inputText: undefined, policy: undefined };
    const { inlineLimit, pageLimit } = this.#results.effective(call).policy;
    return task === undefined
      ? { ...call, policy: { inlineLimit: Math.max(inlineLimit, pageLimit) } }
      : { ...call, callId: `task:${task}` };
  }

  /** False if its session settings are invalid. */
  async #opened(message: Message, id: string): Promise<boolean> {
    const { spillway, session, settings, client } = this.#options;
    this.#handshake.request = message;
    this.#introduced(message.value(message.params.get('clientInfo')));
    const given = message.value(message.meta.get(TRUNCATION_KEY));
    if (given === undefined) return true;
    try {
      const own = parseSettings(given as Readonly<Record<string, unknown>>);
      spillway.configureSession(session, { ...parseSettings(settings), ...own });
      refusePeer(own, this.#results.effective({ tool: '', policy: undefined }).policy);
      return true;
    } catch (error) {
      spillway.configureSession(session, settings);
      await client.send(errorMessage(id, RPC.invalidParams, sentence(error)), id);
      return false;
    }
  }

  #introduced(client: unknown): void {
    const name = (client as { name?: unknown } | null | undefined)?.name;
    if (typeof name === 'string') this.#options.introduced(name);
  }

  async #toolCall(message: Message, id: string): Promise<void> {
    const { tools, client } = this.#options;
    // Without a handshake, clients introduce themselves with each request.
    this.#introduced(message.value(message.meta.get(CLIENT_KEY)));
    const tool = message.string(message.params.get('name')) ?? '';
    if (tool === tools.ownName) {
      const args = message.value(message.params.get('arguments')) ?? {};
      const fetched = fetchByTool(this.#options, id, this.#handshake.rulesFor(message), args);
      return this.#work(fetched.then((answer) => client.send(answer, id)));
    }
    // Not awaited: the server may need to hear from the client first.
    const isUnknown = tools.get(tool) === undefined && !tools.complete;
    if (isUnknown && (truncationArgument(message) !== undefined || tools.structured === 'bounded'))
      return this.#work(this.#learnTools(message).then(() => this.#passCall(message, id, tool)));
    await this.#passCall(message, id, tool);
  }

  async #passCall(message: Message, id: string, tool: string): Promise<void> {
    const { tools, client, allowUnbounded } = this.#options;
    const given = message.params.get('arguments');
    try {
      const { bytes, policy } = takeSettings(message, tools.get(tool)?.mayTakeTruncation !== false);
      const call = { tool, input: message.value(given), inputText: message.written(given), policy };
      const effective = this.#results.effective(call).policy;
      if (policy !== undefined) refusePeer(policy, effective);
      if (!allowUnbounded) refuseUnbounded(effective);
      this.#wait(message, id, 'tools/call', call);
      await this.#send(bytes, message, id);
    } catch (error) {
      await client.send(toolError(id, this.#handshake.rulesFor(message), sentence(error)), id);
    }
  }

  #wait(message: Message, id: string, method: string, call: ToolCall | null, inner?: ToolCall): void {
    const token = message.value(message.meta.get('progressToken'));
    this.#pending.add({
      id,
      method,
      rules: this.#handshake.rulesFor(message),
      call,
      ...(inner === undefined ? {} : { inner }),
      progressToken: token === undefined ? null : JSON.stringify(token),
    });
  }

  #nextId(): string {
    return `"${this.#prefix}-${++this.#lastId}"`;
  }

  #expect(id: string, method: string): Promise<Message | null> {
    return new Promise((settle) => {
      const rules = { stateless: false, links: false };
      this.#pending.add({ id, method, rules, call: null, progressToken: null, settle });
    });
  }

  /** A call depends on what its tool declares. */
  async #learnTools(like: Message): Promise<void> {
    this.#listing ??= this.#askForTools(like).finally(() => {
      this.#listing = null;
    });
    await this.#listing;
  }

  async #askForTools(like: Message): Promise<void> {
    const { stateless } = this.#handshake.rulesFor(like);
    const meta = stateless ? like.written(like.params.get('_meta')) : undefined;
    const ask = async (params: string) => {
      const id = this.#nextId();
      const request = ownMessage(id, 'tools/list', params);
      const answered = this.#expect(id, 'tools/list');
      await this.#send(request.bytes, request, id);
      return answered;
    };
    for await (const page of pagesOf(meta, ask)) this.#options.tools.passOn(page);
  }

  async #arrived(bytes: Buffer, about: string | null): Promise<void> {
    const message = readMessage(bytes);
    if (message === null) return this.#several(bytes, about);
    if (message.method !== null) return this.#passOn(message, about);
    const pending = message.id === null ? undefined : this.#pending.take(message.id);
    if (pending === undefined) return this.#options.client.send(withoutClaims(message.bytes), message.id);
    const { id, method, rules, call, inner } = pending;
    if (pending.settle !== undefined) return pending.settle(message);
    if (call !== null) {
      this.#rememberTask(call, message);
      const answer = this.#results.whole(call, rules, message.bytes);
      return this.#answer(pending, answer, (why) => toolError(id, rules, why));
    }
    if (pending.abandoned) return;
    const plain = unclaimed(message);
    if (inner === undefined) return this.#options.client.send(this.#rewritten(method, plain), id);
    const answer = this.#bounded(method, inner, rules, plain);
    return this.#answer(pending, answer, (why) => errorMessage(id, RPC.internal, why));
  }

  /** A message that is too large to hold, or broke off. */
  async #large(large: Large, about: string | null): Promise<void> {
    const { client, log } = this.#options;
    const { scan, complete } = large;
    if (large.failure !== null) log(LOG.notKept(sentence(large.failure)));
    const first = large.subarray(0, 1_024).toString('latin1').trimStart()[0];
    const written = (range: ByteRange | null) =>
      range === null ? null : large.subarray(range.start, range.end).toString('utf8');
    const id = written(scan.id);
    const isAnswer = first === '{' && scan.method === null && !scan.hasParams;
    const pending = !isAnswer ? undefined : id === null ? this.#pending.only() : this.#pending.get(id);
    if (pending !== undefined && pending.call !== null) {
      this.#pending.take(pending.id);
      const { rules, call } = pending;
      const answer = this.#results.large(
        call,
        rules,
        pending.id,
        large,
        complete ? null : this.#brokeOff(pending),
      );
      return this.#answer(
        pending,
        answer.finally(() => large.close()),
        (why) => toolError(pending.id, rules, why),
      );
    }
    try {
      if (first !== '{' && first !== '[') return log(LOG.printedMore(large.length));
      if (complete && !scan.valid) log(LOG.notJson(large.length));
      if (!complete || !scan.valid) return isAnswer ? await this.#results.keep(large) : undefined;
      const isTask = !isAnswer && written(scan.method) === '"notifications/tasks"';
      const isRead = first === '[' || isTask || (pending !== undefined && isRewritten(pending));
      if (isRead && large.length <= MOST_WHOLE)
        return await this.#arrived(large.subarray(0, large.length), about);
      if (pending !== undefined) this.#pending.take(pending.id);
      if (pending?.abandoned !== true) await client.send(large, pending?.id ?? id ?? about);
    } finally {
      large.close();
    }
  }

  #brokeOff({ stalled }: Pending): Broken {
    const seconds = Math.round(this.#options.timeoutMs / 1_000);
    return stalled
      ? { outcome: { status: 'timeout' }, why: RESULT.stopped(seconds) }
      : { outcome: { status: 'crashed' }, why: RESULT.brokeOff };
  }

  /** A slow answer is sent beside the messages that follow. */
  #answer(
    pending: Pending,
    answer: Buffer | Promise<Buffer>,
    failed: (why: string) => Buffer,
  ): Promise<void> | undefined {
    const { client } = this.#options;
    const pass = async (bytes: Buffer) => {
      if (!pending.abandoned) await client.send(bytes, pending.id);
    };
    if (Buffer.isBuffer(answer)) return pass(answer);
    const failing = (error: unknown) => client.send(failed(sentence(error)), pending.id);
    this.#work(answer.then(pass, failing));
    return undefined;
  }

  async #several(bytes: Buffer, about: string | null): Promise<void> {
    const elements = elementsOf(bytes);
    if (elements === null) return this.#options.log(LOG.printed(bytes.length));
    for (const { start, end } of elements) await this.#arrived(bytes.subarray(start, end), about);
  }

  async #passOn(message: Message, about: string | null): Promise<void> {
    const { tools, client } = this.#options;
    if (message.method === 'notifications/progress') {
      const token = message.value(message.params.get('progressToken'));
      if (token !== undefined) this.#pending.progress(JSON.stringify(token));
    }
    if (message.method === 'notifications/tools/list_changed') tools.forget();
    if (message.method !== 'notifications/tasks') return client.send(withoutClaims(message.bytes), about);
    const task = message.string(message.params.get('taskId')) ?? '';
    const call = this.#tasks.get(task) ?? unknownTask(task);
    await client.send(await this.#bounded(message.method, call, TASK_RULES, unclaimed(message)), about);
  }

  #bounded(method: string, call: ToolCall, rules: AnswerRules, message: Message): Buffer | Promise<Buffer> {
    const inner = innerResult(method, message);
    // Small answers that no tool gave are neither stored nor read.
    const isSmall =
      call.callId === undefined && message.bytes.length <= this.#results.effective(call).policy.inlineLimit;
    if (inner === null || isSmall) return message.bytes;
    const put = (answer: Buffer) => (answer === inner.asResult ? message.bytes : inner.with(answer));
    const answer = this.#results.whole(call, rules, inner.asResult);
    return Buffer.isBuffer(answer) ? put(answer) : answer.then(put);
  }

  /** A task may answer a call; its result is asked for later. */
  #rememberTask(call: ToolCall, message: Message): void {
    // Cheap test first: most results are not tasks.
    if (!message.bytes.includes('"task"')) return;
    const task = message.result.get('task');
    const inside = task === undefined ? message.result : message.inside(task);
    const id = message.string(inside.get('taskId'));
    if (id !== undefined) remember(this.#tasks, id, { ...call, callId: `task:${id}` }, MOST_TASKS);
  }

  #rewritten(method: string, message: Message): Buffer {
    if (!message.members.has('result')) return message.bytes;
    if (method === 'initialize' || method === 'server/discover') return this.#handshake.passOn(message);
    return method === 'tools/list' ? this.#options.tools.passOn(message) : message.bytes;
  }

  async #send(bytes: Buffer, message: Message, id: string | null): Promise<void> {
    const sending = (this.#upstream?.send(bytes, message) ?? Promise.resolve()).catch((error: unknown) =>
      id === null ? undefined : this.refused(id, sentence(error)),
    );
    this.#work(sending);
    await within(sending, MOMENT_MS);
  }

  /** A call fails with a result that a model reads, other requests with an error. */
  async #giveUp(pending: Pending, why: string): Promise<void> {
    const { id, rules, call, method } = pending;
    if (call === null || pending.settle !== undefined || pending.cancelled) return this.#refuse(pending, why);
    this.#options.log(LOG.givenUp(method, why));
    await this.#options.client.send(toolError(id, rules, why), id);
  }

  async #refuse({ id, method, settle, cancelled }: Pending, why: string): Promise<void> {
    if (settle !== undefined) return settle(null);
    if (cancelled) return;
    this.#options.log(LOG.givenUp(method, why));
    await this.#options.client.send(errorMessage(id, RPC.serverError, why), id);
  }

  #expired(pending: Pending): void {
    const arriving = this.#upstream?.arriving ?? null;
    if (arriving !== null) {
      // Bytes that come are a sign of life. Behind a message that stopped nothing can be read.
      pending.stalled = arriving < performance.now() - this.#options.timeoutMs;
      if (pending.stalled) this.#upstream?.restart();
      else this.#pending.sign(pending);
      return;
    }
    const seconds = Math.round(this.#options.timeoutMs / 1_000);
    pending.abandoned = true;
    this.#pending.setAside(pending);
    const cancel = cancellation(pending.id, REFUSED.noAnswerFor(seconds));
    this.#work(this.#send(cancel.bytes, cancel, null));
    this.#work(this.#giveUp(pending, RESULT.gaveNoSign(seconds)));
  }

  #work(work: Promise<unknown>): void {
    const tracked = work
      .catch((error: unknown) => this.#options.log(sentence(error)))
      .finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }
}

function isRewritten({ method, settle, inner }: Pending): boolean {
  const isKnown = method === 'initialize' || method === 'server/discover' || method === 'tools/list';
  return inner !== undefined || settle !== undefined || isKnown;
}

function unclaimed(message: Message): Message {
  const bytes = withoutClaims(message.bytes);
  return bytes === message.bytes ? message : (readMessage(bytes) ?? message);
}

function unknownTask(id: string): ToolCall {
  return {
    tool: 'tasks/get',
    input: undefined,
    inputText: undefined,
    policy: undefined,
    callId: `task:${id}`,
  };
}

/**
 * The client's handshake with the upstream. The answer is passed on as written, except that a
 * server without resources gets them, because the gateway serves stored outputs as resources. The
 * client's introduction is kept for an upstream that is restarted.
 */
class Handshake {
  request: Message | null = null;
  initialized: Buffer | null = null;
  #revision = '';
  /** Null before it was asked. */
  upstreamHasResources: boolean | null = null;

  rulesFor(request: Message): AnswerRules {
    const named = request.string(request.meta.get(PROTOCOL_KEY));
    return named === undefined ? rulesOf(this.#revision, false) : rulesOf(named, true);
  }

  passOn(message: Message): Buffer {
    const { bytes, result } = message;
    this.#revision = message.string(result.get('protocolVersion')) ?? this.#revision;
    const capabilities = result.get('capabilities');
    const members = message.inside(capabilities);
    if (capabilities === undefined || bytes[capabilities.value.start] !== 0x7b) return bytes;
    this.upstreamHasResources = members.has('resources');
    if (this.upstreamHasResources || !members.has('tools')) return bytes;
    return edited(bytes, [addedMember(bytes, capabilities.value, 'resources', '{}')]);
  }

  /** Null if it has not begun, or needs none. */
  again(id: string): Buffer | null {
    const written = this.request?.members.get('id');
    return written === undefined ? null : (this.request?.with(written, id) ?? null);
  }
}
