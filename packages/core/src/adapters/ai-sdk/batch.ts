/**
 * Results that a model reads together: those of the calls of one step. The SDK runs all calls of a
 * step before it converts the first result, so that the first conversion knows all of them, and
 * they share what the window has left. What was shown once is shown again, byte for byte.
 */
import type { Tool } from 'ai';
import type { Agent, ContextWindow, ShapeName } from '../../index.ts';

/** What a model reads of a call, in the words of the SDK. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;

/** A message with the result of one call. */
export interface ResultMessage {
  readonly role: 'tool';
  readonly content: readonly [
    {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: ModelOutput;
    },
  ];
}

/** The results of a step. */
export class Batch {
  readonly #agent: Agent<ShapeName>;
  readonly #unseen = new Map<string, ResultMessage>();
  #room: ContextWindow | undefined;

  constructor(agent: Agent<ShapeName>) {
    this.#agent = agent;
  }

  /** A request was made: what comes back shares what it left of the window. */
  begin(room: ContextWindow): void {
    this.#room = room;
    this.#unseen.clear();
  }

  /** A call has ended. */
  add(message: ResultMessage): void {
    this.#unseen.set(message.content[0].toolCallId, message);
  }

  /** What the model reads of a result. */
  async shown(message: ResultMessage): Promise<ModelOutput> {
    this.#unseen.delete(message.content[0].toolCallId);
    const together = [message, ...this.#unseen.values()];
    this.#unseen.clear();
    const room = this.#room === undefined ? {} : { room: this.#room };
    const options = { about: this.#agent.about, ...room };
    const [own] = await this.#agent.session.project('ai_model', together, options);
    return (own as ResultMessage).content[0].output;
  }
}
