/**
 * Messages of the upstream that are whole. Results of tools are stored and bounded, lists and
 * handshakes tell of us too; all else goes on as it is.
 */
import type { Handshake } from './handshake.ts';
import { elementsOf, valueIn } from './json-edit.ts';
import { type Message, readMessage, toolError } from './message.ts';
import type { Pending, PendingRequests, ToolCall } from './pending.ts';
import type { RelayLine } from './relay-line.ts';
import type { RelayOptions } from './relay-options.ts';
import { withoutClaims } from './upstream-claims.ts';
import { LOG, sentence } from './wording.ts';

export interface UpstreamSideOptions extends Pick<RelayOptions, 'tools' | 'results' | 'client' | 'log'> {
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

/** Tasks whose call is remembered. */
const MOST_TASKS = 1_000;

export class UpstreamSide {
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
    await client.send(withoutClaims(message.bytes), about);
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
    const task = message.result.get('task');
    const id =
      task === undefined ? undefined : (valueIn(message.bytes, task.value) as { taskId?: unknown })?.taskId;
    if (typeof id !== 'string') return;
    const { tasks } = this.#options;
    const [oldest] = tasks.keys();
    if (tasks.size >= MOST_TASKS && oldest !== undefined) tasks.delete(oldest);
    tasks.set(id, call);
  }

  #rewritten({ method }: Pending, message: Message): Buffer {
    const { handshake, tools } = this.#options;
    if (!message.members.has('result')) return message.bytes;
    if (method === 'initialize' || method === 'server/discover') return handshake.passOn(message);
    return method === 'tools/list' ? tools.passOn(message) : message.bytes;
  }
}
