/**
 * One client, one upstream, and the messages between them, as bytes. Looked at are: the handshake,
 * the list of tools, tool calls and their results, and resources under `artifact://`. All else
 * passes. Every request is answered once: by the upstream, or by us when the upstream crashed or
 * gave no sign for too long. Nothing that either side sends ends the relay.
 */
import { Arrivals } from './arrivals.ts';
import { ClientSide } from './client-side.ts';
import type { Incoming } from './framing.ts';
import { Handshake } from './handshake.ts';
import { innerResult } from './inner-results.ts';
import { elementsOf, membersOf, stringIn, valueIn } from './json-edit.ts';
import { type AnswerRules, errorMessage, type Message, readMessage, toolError } from './message.ts';
import { OwnRequests } from './own-requests.ts';
import { type Pending, PendingRequests, type ToolCall } from './pending.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';
import { RelayLine, type RelayOptions } from './relay-line.ts';
import { withoutClaims } from './upstream-claims.ts';
import { LOG, sentence } from './wording.ts';

/**
 * Messages of the upstream that are whole. Results of tools are stored and bounded, lists and
 * handshakes tell of us too; all else goes on as it is.
 */
interface UpstreamSideOptions extends Pick<RelayOptions, 'tools' | 'results' | 'client' | 'log'> {
  readonly line: RelayLine;
  readonly pending: PendingRequests;
  readonly handshake: Handshake;
  /** The calls behind tasks, by the id of the task. */
  readonly tasks: Map<string, ToolCall>;
}

/** The same message, if the upstream does not speak in our name. */
function unclaimed(message: Message): Message {
  const bytes = withoutClaims(message.bytes);
  return bytes === message.bytes ? message : (readMessage(bytes) ?? message);
}

/** Tasks tell of themselves only in the revisions without a handshake. */
const TASK_RULES: AnswerRules = { stateless: true, links: true };
const INTERNAL = -32603;

/** A task whose call was made before the gateway was started. */
function unknownTask(id: string | undefined): ToolCall {
  const call = { tool: 'tasks/get', input: undefined, inputText: undefined, policy: undefined };
  return { ...call, callId: `task:${id ?? ''}` };
}

/** Tasks whose call is remembered. */
const MOST_TASKS = 1_000;

class UpstreamSide {
  readonly #options: UpstreamSideOptions;

  constructor(options: UpstreamSideOptions) {
    this.#options = options;
  }

  async arrived(bytes: Buffer, about: string | null): Promise<void> {
    const message = readMessage(bytes);
    if (message === null) return this.#several(bytes, about);
    if (message.method !== null) return this.#passOn(message, about);
    const { pending: waiting, line } = this.#options;
    const pending = message.id === null ? undefined : waiting.take(message.id);
    if (pending === undefined) return this.#unasked(message);
    if (pending.settle !== undefined) return pending.settle(message);
    if (pending.call !== null) return this.#result(pending, pending.call, message);
    if (pending.abandoned) return;
    if (pending.inner !== undefined) return this.#inner(pending, pending.inner, unclaimed(message));
    await line.answer(this.#rewritten(pending, unclaimed(message)), pending.id);
  }

  /** An answer that nothing waits for. One to a call that was cancelled long ago is stored. */
  #unasked(message: Message): Promise<void> {
    const { pending, line, results } = this.#options;
    if (message.id === null || !pending.takeForgotten(message.id))
      return line.answer(withoutClaims(message.bytes), message.id);
    return results.keep(
      (async function* () {
        yield message.bytes;
      })(),
    );
  }

  /** A batch, message by message. */
  async #several(bytes: Buffer, about: string | null): Promise<void> {
    const elements = elementsOf(bytes);
    if (elements === null) {
      this.#options.log(LOG.printed(bytes.length));
      return;
    }
    for (const { start, end } of elements) await this.arrived(bytes.subarray(start, end), about);
  }

  async #passOn(message: Message, about: string | null): Promise<void> {
    const { pending, tools, client } = this.#options;
    if (message.method === 'notifications/progress') {
      const token = message.params.get('progressToken');
      if (token !== undefined) pending.progress(JSON.stringify(valueIn(message.bytes, token.value)));
    }
    if (message.method === 'notifications/tools/list_changed') tools.forget();
    const bytes = withoutClaims(message.bytes);
    if (message.method !== 'notifications/tasks') return client.send(bytes, about);
    const task = stringIn(message.bytes, message.params.get('taskId'));
    const call = (task === undefined ? undefined : this.#options.tasks.get(task)) ?? unknownTask(task);
    const bounded = await this.#bounded('notifications/tasks', call, TASK_RULES, unclaimed(message));
    await client.send(bounded, about);
  }

  /** An answer that holds texts which a model reads. */
  #inner(pending: Pending, call: ToolCall, message: Message): Promise<void> | undefined {
    const { line } = this.#options;
    const { id, method, rules } = pending;
    const answered = this.#bounded(method, call, rules, message);
    const pass = (bytes: Buffer) => (pending.abandoned ? Promise.resolve() : line.answer(bytes, id));
    if (Buffer.isBuffer(answered)) return pass(answered);
    line.work(
      answered.then(pass, (error: unknown) => line.answer(errorMessage(id, INTERNAL, sentence(error)), id)),
    );
    return undefined;
  }

  #bounded(method: string, call: ToolCall, rules: AnswerRules, message: Message): Buffer | Promise<Buffer> {
    const inner = innerResult(method, message);
    const { results } = this.#options;
    // What cannot be over its limit is neither stored nor looked at, unless a tool said it.
    const isSmall =
      call.callId === undefined && message.bytes.length <= results.effective(call).policy.inlineLimit;
    if (inner === null || isSmall) return message.bytes;
    const put = (answer: Buffer) => (answer === inner.asResult ? message.bytes : inner.with(answer));
    const answer = results.whole(call, rules, inner.asResult);
    return Buffer.isBuffer(answer) ? put(answer) : answer.then(put);
  }

  #result(pending: Pending, call: ToolCall, message: Message): Promise<void> | undefined {
    const { results, line } = this.#options;
    this.#rememberTask(call, message);
    const answer = results.whole(call, pending.rules, message.bytes);
    const pass = (bytes: Buffer) => (pending.abandoned ? Promise.resolve() : line.answer(bytes, pending.id));
    if (Buffer.isBuffer(answer)) return pass(answer);
    line.work(
      answer.then(pass, (error: unknown) =>
        line.answer(toolError(pending.id, pending.rules, sentence(error)), pending.id),
      ),
    );
    return undefined;
  }

  /** A call may be answered by a task, whose result is asked for later. */
  #rememberTask(call: ToolCall, message: Message): void {
    // Most results are none: they need not be read for it.
    if (!message.bytes.includes('"task"')) return;
    const { bytes, result } = message;
    const task = result.get('task');
    const inside = task === undefined ? result : membersOf(bytes, task.value);
    const id = stringIn(bytes, inside?.get('taskId'));
    if (id === undefined) return;
    const { tasks } = this.#options;
    const [oldest] = tasks.keys();
    if (tasks.size >= MOST_TASKS && oldest !== undefined) tasks.delete(oldest);
    tasks.set(id, { ...call, callId: `task:${id}` });
  }

  #rewritten({ method }: Pending, message: Message): Buffer {
    const { handshake, tools } = this.#options;
    if (!message.members.has('result')) return message.bytes;
    if (method === 'initialize' || method === 'server/discover') return handshake.passOn(message);
    return method === 'tools/list' ? tools.passOn(message) : message.bytes;
  }
}

export class Relay implements UpstreamEvents {
  readonly #options: RelayOptions;
  readonly #pending: PendingRequests;
  readonly #own: OwnRequests;
  readonly #handshake = new Handshake();
  readonly #line: RelayLine;
  readonly #clientSide: ClientSide;
  readonly #upstreamSide: UpstreamSide;
  readonly #arrivals: Arrivals;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { timeoutMs, client, log } = options;
    this.#pending = new PendingRequests({
      timeoutMs,
      expired: (pending) => this.#line.expired(pending),
    });
    this.#own = new OwnRequests(this.#pending);
    this.#line = new RelayLine({ client, timeoutMs, log, pending: this.#pending });
    const tasks = new Map<string, ToolCall>();
    const parts = { ...options, tasks, line: this.#line, handshake: this.#handshake };
    this.#clientSide = new ClientSide({ ...parts, pending: this.#pending, own: this.#own });
    this.#upstreamSide = new UpstreamSide({ ...parts, pending: this.#pending });
    this.#arrivals = new Arrivals({
      ...options,
      pending: this.#pending,
      whole: (bytes, about) => this.#upstreamSide.arrived(bytes, about),
      restart: () => this.#line.upstream?.restart(),
    });
  }

  attach(upstream: Upstream): void {
    this.#line.upstream = upstream;
  }

  /** A message from the client. */
  fromClient(incoming: Incoming): Promise<void> {
    return this.#clientSide.take(incoming).catch((error: unknown) => this.#options.log(sentence(error)));
  }

  async received(incoming: Incoming, about: string | null): Promise<void> {
    const taken =
      incoming.kind === 'whole'
        ? this.#upstreamSide.arrived(incoming.bytes, about)
        : this.#arrivals.large(incoming, about);
    await taken.catch((error: unknown) => this.#options.log(sentence(error)));
  }

  async lost(why: string, unsent: ReadonlySet<string>): Promise<void> {
    for (const pending of this.#pending.takeAllBut(unsent))
      if (!pending.abandoned) await this.#line.giveUp(pending, why);
  }

  /** Answers every request that waits with an error: nothing will answer it any more. */
  async refuseAll(why: string): Promise<void> {
    for (const pending of this.#pending.takeAllBut(new Set()))
      if (!pending.abandoned) await this.#line.refuse(pending, why);
  }

  refused(id: string, why: string): Promise<void> {
    return this.#line.refused(id, why);
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
    await this.#line.settled();
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#pending.close();
    await this.#line.settled();
    await this.#options.results.settled();
  }
}
