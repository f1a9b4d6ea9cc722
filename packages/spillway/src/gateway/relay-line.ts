/**
 * The two ends of a relay, as its sides use them: messages go out, answers go back, work goes on
 * beside them. A request that cannot be carried out is answered here, with a sentence.
 */

import type { SettingsInput, Spillway } from '@spillway/core';
import { errorMessage, type Message, readMessage, toolError } from './message.ts';
import type { Pending, PendingRequests } from './pending.ts';
import type { ClientPort, Upstream } from './ports.ts';
import type { ToolDirectory } from './tool-directory.ts';
import type { ToolResults } from './tool-results.ts';
import { LOG, REFUSED, RESULT, sentence } from './wording.ts';

export interface RelayLineOptions {
  readonly client: ClientPort;
  readonly pending: PendingRequests;
  readonly timeoutMs: number;
  readonly log: (line: string) => void;
}

const SERVER_ERROR = -32000;
const MOMENT_MS = 50;

export class RelayLine {
  readonly #options: RelayLineOptions;
  readonly #working = new Set<Promise<unknown>>();
  upstream: Upstream | null = null;

  constructor(options: RelayLineOptions) {
    this.#options = options;
  }

  /** Passes a message of the client on as it is. */
  async pass(message: Message): Promise<void> {
    await this.send(message.bytes, message, message.method === null ? null : message.id);
  }

  /**
   * Waits only for a moment: while a server is away the client's next message may be one that we
   * answer ourselves.
   */
  async send(bytes: Buffer, message: Message, id: string | null): Promise<void> {
    const sending = (this.upstream?.send(bytes, message) ?? Promise.resolve()).catch((error: unknown) =>
      id === null ? undefined : this.refused(id, sentence(error)),
    );
    this.work(sending);
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MOMENT_MS);
    });
    await Promise.race([sending, moment]);
    clearTimeout(timer);
  }

  async answer(bytes: Buffer, id: string | null): Promise<void> {
    await this.#options.client.send(bytes, id);
  }

  async refused(id: string, why: string): Promise<void> {
    const pending = this.#options.pending.take(id);
    if (pending?.abandoned === false) await this.giveUp(pending, why);
  }

  /** A call fails with a result that a model reads, any other request with an error. */
  async giveUp(pending: Pending, why: string): Promise<void> {
    const { id, rules, call } = pending;
    if (call === null || pending.settle !== undefined || pending.cancelled) return this.refuse(pending, why);
    this.#options.log(LOG.givenUp(pending.method, why));
    await this.answer(toolError(id, rules, why), id);
  }

  /** Fails with an error of the protocol. */
  async refuse(pending: Pending, why: string): Promise<void> {
    if (pending.settle !== undefined) return pending.settle(null);
    if (pending.cancelled) return;
    this.#options.log(LOG.givenUp(pending.method, why));
    await this.answer(errorMessage(pending.id, SERVER_ERROR, why), pending.id);
  }

  /** No sign came for too long. */
  expired(pending: Pending): void {
    const seconds = Math.round(this.#options.timeoutMs / 1_000);
    if (pending.interrupt !== null) {
      pending.interrupt('timeout');
      return;
    }
    pending.abandoned = true;
    this.#options.pending.setAside(pending);
    const reason = REFUSED.noAnswerFor(seconds);
    const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${pending.id},"reason":${JSON.stringify(reason)}}}`;
    const message = readMessage(Buffer.from(cancel)) as Message;
    this.work(
      Promise.all([
        this.send(message.bytes, message, null),
        this.giveUp(pending, RESULT.gaveNoSign(seconds)),
      ]),
    );
  }

  /** Goes on beside the messages; waited for at the end. */
  work(work: Promise<unknown>): void {
    const tracked = work
      .catch((error: unknown) => this.#options.log(sentence(error)))
      .finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }

  /** Waits for what is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#working]);
  }
}

// What a relay is given.

export interface RelayOptions {
  readonly spillway: Spillway;
  readonly client: ClientPort;
  readonly tools: ToolDirectory;
  readonly results: ToolResults;
  readonly scope: string;
  /** Where the last release kept outputs of this client: its handles still resolve. */
  readonly formerScope: string | null;
  readonly session: string;
  /** Settings that hold for the whole session. */
  readonly settings: SettingsInput;
  readonly allowUnbounded: boolean;
  /** Told what the client is called. */
  readonly introduced: (client: string) => void;
  /** Milliseconds without a sign of life after which a request is given up; 0 never. */
  readonly timeoutMs: number;
  /** For people: what went wrong, never what a tool said. */
  readonly log: (line: string) => void;
}
