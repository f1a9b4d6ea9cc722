/**
 * Messages of the client. Requests for what is ours are answered here; settings that a call brings
 * are taken out of it; everything else is passed on, and remembered until it is answered.
 */
import { type Policy, parseSettings, type SettingsInput, type Spillway, SpillwayError } from '@spillway/core';
import { refuseLifted } from '@spillway/core/plugin';
import type { Incoming } from './framing.ts';
import type { Handshake } from './handshake.ts';
import { BOUNDED_METHODS } from './inner-results.ts';
import { edited, elementsOf, membersOf, stringIn, textIn, valueIn, withoutMember } from './json-edit.ts';
import {
  CLIENT_KEY,
  errorMessage,
  type Message,
  metaOf,
  readMessage,
  TRUNCATION_KEY,
  toolError,
} from './message.ts';
import { answerResource, fetchByTool } from './own-answers.ts';
import type { OwnRequests } from './own-requests.ts';
import type { PendingRequests, ToolCall } from './pending.ts';
import type { RelayLine, RelayOptions } from './relay-line.ts';
import { spool } from './spool.ts';
import { sentence } from './wording.ts';

export interface ClientSideOptions
  extends Pick<
    RelayOptions,
    'tools' | 'results' | 'scope' | 'formerScope' | 'session' | 'settings' | 'allowUnbounded' | 'introduced'
  > {
  readonly spillway: Spillway;
  readonly line: RelayLine;
  readonly pending: PendingRequests;
  readonly own: OwnRequests;
  readonly handshake: Handshake;
  /** The calls behind tasks, by the id of the task. */
  readonly tasks: ReadonlyMap<string, ToolCall>;
}

const INVALID_PARAMS = -32602;

export class ClientSide {
  readonly #options: ClientSideOptions;
  #listing: Promise<void> | null = null;

  constructor(options: ClientSideOptions) {
    this.#options = options;
  }

  async take(incoming: Incoming): Promise<void> {
    if (incoming.kind === 'whole') return this.#message(incoming.bytes);
    // Too large to be looked at: it goes on as it is.
    const { spooled, failure } = await spool(incoming.head, incoming.rest, () => {});
    if (failure === null) await this.#options.line.upstream?.send(spooled, null);
    await spooled.close();
  }

  async #message(bytes: Buffer): Promise<void> {
    const message = readMessage(bytes);
    if (message === null) return this.#batch(bytes);
    if (message.method === null) return this.#options.line.pass(message);
    if (message.id === null) return this.#notification(message);
    return this.#request(message, message.id, message.method);
  }

  /**
   * A batch is passed on message by message; what is no message at all is the upstream's to refuse.
   */
  async #batch(bytes: Buffer): Promise<void> {
    const elements = elementsOf(bytes);
    if (elements === null || elements.length === 0) return this.#options.line.upstream?.send(bytes, null);
    for (const { start, end } of elements) await this.#message(bytes.subarray(start, end));
  }

  async #notification(message: Message): Promise<void> {
    const { handshake, pending, line } = this.#options;
    if (message.method === 'notifications/initialized') handshake.confirmed(message);
    const about = message.method === 'notifications/cancelled' ? message.params.get('requestId') : undefined;
    if (about !== undefined) pending.cancel(textIn(message.bytes, about.value));
    await line.pass(message);
  }

  async #request(message: Message, id: string, method: string): Promise<void> {
    const { line, tasks } = this.#options;
    if (method === 'tools/call') return this.#toolCall(message, id);
    if (method === 'initialize' && !(await this.#opened(message, id))) return;
    const own = method.startsWith('resources/') ? this.#ownResource(message, id) : null;
    if (own !== null) return line.work(own.then((answer) => line.answer(answer, id)));
    const task = method.startsWith('tasks/')
      ? stringIn(message.bytes, message.params.get('taskId'))
      : undefined;
    const call = task === undefined ? undefined : tasks.get(task);
    const inner = BOUNDED_METHODS.has(method) ? (call ?? this.#asCall(message, method, task)) : undefined;
    this.#wait(message, id, method, method === 'tasks/result' ? (call ?? null) : null, inner);
    await line.pass(message);
  }

  /** A request whose answer a model reads, as a call: what was asked for may fill a page. */
  #asCall(message: Message, method: string, task: string | undefined): ToolCall {
    const { bytes, members } = message;
    const params = members.get('params');
    const asked = params === undefined ? {} : { input: valueIn(bytes, params.value) };
    const call = { tool: method, input: undefined, inputText: undefined, policy: undefined, ...asked };
    const { inlineLimit, pageLimit } = this.#options.results.effective(call).policy;
    return task === undefined
      ? { ...call, policy: { inlineLimit: Math.max(inlineLimit, pageLimit) } }
      : { ...call, callId: `task:${task}` };
  }

  /** The client introduces itself, perhaps with settings for its session. */
  async #opened(message: Message, id: string): Promise<boolean> {
    const { spillway, session, settings, handshake, results, line } = this.#options;
    handshake.asked(message);
    const client = message.params.get('clientInfo');
    if (client !== undefined) this.#introduced(valueIn(message.bytes, client.value));
    const given = metaOf(message, TRUNCATION_KEY);
    if (given === undefined) return true;
    try {
      const own = parseSettings(given.value as Readonly<Record<string, unknown>>);
      spillway.configureSession(session, { ...parseSettings(settings), ...own });
      refusePeer(own, results.effective({ tool: '', policy: undefined }).policy);
      return true;
    } catch (error) {
      spillway.configureSession(session, settings);
      await line.answer(errorMessage(id, INVALID_PARAMS, sentence(error)), id);
      return false;
    }
  }

  #introduced(client: unknown): void {
    const name = (client as { name?: unknown } | null)?.name;
    if (typeof name === 'string') this.#options.introduced(name);
  }

  async #toolCall(message: Message, id: string): Promise<void> {
    const { tools, handshake, line } = this.#options;
    // Clients without a handshake introduce themselves with each request.
    this.#introduced(metaOf(message, CLIENT_KEY)?.value);
    const tool = stringIn(message.bytes, message.params.get('name')) ?? '';
    if (tool === tools.ownName) {
      const given = message.params.get('arguments');
      const args = given === undefined ? {} : valueIn(message.bytes, given.value);
      const rules = handshake.rulesFor(message);
      return line.work(fetchByTool(this.#options, id, rules, args).then((answer) => line.answer(answer, id)));
    }
    // Not waited for: the server may want to hear from the client before it answers.
    const isUnknown = tools.get(tool) === undefined && !tools.complete;
    if (isUnknown && (hasArgument(message) || tools.keepsSchemas))
      return line.work(this.#learnTools(message).then(() => this.#passCall(message, id, tool)));
    await this.#passCall(message, id, tool);
  }

  async #passCall(message: Message, id: string, tool: string): Promise<void> {
    const { tools, results, line, handshake, allowUnbounded } = this.#options;
    const given = message.params.get('arguments');
    try {
      const { bytes, policy } = takeOverride(message, tools.get(tool)?.mayTakeTruncation !== false);
      const input = given === undefined ? undefined : valueIn(message.bytes, given.value);
      const inputText = given === undefined ? undefined : textIn(message.bytes, given.value);
      const call = { tool, input, inputText, policy };
      const effective = results.effective(call);
      if (policy !== undefined) refusePeer(policy, effective.policy);
      // Wherever it was set: without permission nothing goes through a gateway unbounded, but a tool
      // that its owner left out of everything.
      const { strategy, exclude } = effective.policy;
      if (strategy === 'none' && exclude !== 'everything' && !allowUnbounded) throw unboundedRefused();
      this.#wait(message, id, 'tools/call', call);
      await line.send(bytes, message, id);
    } catch (error) {
      await line.answer(toolError(id, handshake.rulesFor(message), sentence(error)), id);
    }
  }

  #ownResource(message: Message, id: string): Promise<Buffer> | null {
    const { spillway, scope, formerScope, handshake } = this.#options;
    const rules = handshake.rulesFor(message);
    const all = handshake.upstreamHasResources === false;
    return answerResource({ spillway, scope, formerScope, rules, all }, message, id);
  }

  #wait(message: Message, id: string, method: string, call: ToolCall | null, inner?: ToolCall): void {
    const token = metaOf(message, 'progressToken')?.value;
    this.#options.pending.add({
      id,
      method,
      rules: this.#options.handshake.rulesFor(message),
      call,
      ...(inner === undefined ? {} : { inner }),
      progressToken: token === undefined ? null : JSON.stringify(token),
    });
  }

  /** Asks the upstream for its tools, because a call depends on what one of them declares. */
  async #learnTools(like: Message): Promise<void> {
    this.#listing ??= this.#askForTools(like).finally(() => {
      this.#listing = null;
    });
    await this.#listing;
  }

  async #askForTools(like: Message): Promise<void> {
    const { handshake, own, tools, line } = this.#options;
    const send = (message: Message, id: string) => line.send(message.bytes, message, id);
    const { stateless } = handshake.rulesFor(like);
    for await (const page of own.tools(like, stateless, send)) tools.passOn(page);
  }
}

/**
 * Settings that a client gives for one call: `_meta["spillway/truncation"]`, or an argument
 * `truncation` of a tool that surely has none itself. They are taken out of the message before it
 * is passed on.
 */
interface Override {
  /** The message as the upstream gets it. */
  readonly bytes: Buffer;
  readonly policy: SettingsInput | undefined;
}

/** Whether a call brings an argument `truncation`. */
function hasArgument(message: Message): boolean {
  return argumentOf(message) !== undefined;
}

function takeOverride(message: Message, mayBeTheTools: boolean): Override {
  const meta = metaOf(message, TRUNCATION_KEY);
  const argument = mayBeTheTools ? undefined : argumentOf(message);
  if (meta === undefined && argument === undefined) return { bytes: message.bytes, policy: undefined };
  return {
    bytes: withoutSettings(message, mayBeTheTools),
    policy: {
      ...settingsIn(meta?.value, `_meta["${TRUNCATION_KEY}"]`),
      ...settingsIn(
        argument === undefined ? undefined : valueIn(message.bytes, argument.value),
        'truncation',
      ),
    },
  };
}

/** A key may be there twice: what is in front of the last one must not reach the server either. */
function withoutSettings(message: Message, mayBeTheTools: boolean): Buffer {
  const found = message.meta.get(TRUNCATION_KEY) ?? (mayBeTheTools ? undefined : argumentOf(message));
  if (found === undefined) return message.bytes;
  const rest = readMessage(edited(message.bytes, [withoutMember(message.bytes, found)]));
  return rest === null ? message.bytes : withoutSettings(rest, mayBeTheTools);
}

function argumentOf(message: Message) {
  const given = message.params.get('arguments');
  return given === undefined ? undefined : membersOf(message.bytes, given.value)?.get('truncation');
}

function settingsIn(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new SpillwayError(
      'invalid_policy',
      `${where} must be an object of settings, such as {"max_chars": 20000} or {"strategy": "tail"}.`,
    );
  return value as Readonly<Record<string, unknown>>;
}

/** A client shapes what it reads; it does not lift the bound, nor decide what is kept. */
function refusePeer(policy: SettingsInput, effective: Policy): void {
  const patch = parseSettings(policy);
  refuseLifted(patch, effective, () => 'the client');
  if ((patch.failingFactor ?? 1) > 1)
    throw new SpillwayError(
      'invalid_policy',
      'failing_factor must not be set by a client: set inline_limit.',
    );
}

/** `none` shows everything: a gateway needs to be told that it may. */
function unboundedRefused(): SpillwayError {
  return new SpillwayError(
    'invalid_policy',
    'strategy none would pass on everything, which this gateway does not allow. Choose another strategy, or start it with --allow-unbounded.',
  );
}
