/**
 * The messages of each step, made to fit the window. The SDK carries what a step sent over to the
 * next one and adds what came back; only that is taken in. Whatever else it hands over (another
 * run, a conversation that the host kept) is compared with the session, which adds what is new.
 */
import type { Instructions, ModelMessage, SystemModelMessage } from 'ai';
import type { RequestOptions } from '../../history/index.ts';
import type { Agent, ShapeName } from '../../index.ts';
import type { Batch } from './batch.ts';

type GivenStep = {
  readonly messages: readonly ModelMessage[];
  readonly initialInstructions: Instructions | undefined;
};

/** Takes in what is new, and makes the next request. */
export class StepMessages {
  readonly #agent: Agent<ShapeName>;
  readonly #batch: Batch;
  readonly #options: RequestOptions;
  #sent: readonly ModelMessage[] = [];

  constructor(agent: Agent<ShapeName>, batch: Batch, options: RequestOptions) {
    this.#agent = agent;
    this.#batch = batch;
    this.#options = options;
  }

  async prepare({
    messages,
    initialInstructions,
  }: GivenStep): Promise<{ messages: ModelMessage[]; instructions?: SystemModelMessage[] }> {
    const known = this.#sent.length > 0 && this.#sent.every((message, i) => message === messages[i]);
    if (known) await this.take(messages.slice(this.#sent.length));
    else await this.#agent.take(messages, { shape: 'ai_model', given: 'whole' });
    const own = asList(initialInstructions);
    const { reserve = 0, ...options } = this.#options;
    const tokens = own.reduce((sum, { content }) => sum + this.#agent.spillway.countTokens(content), 0);
    const { body, numbers } = await this.#agent.request({
      ...options,
      reserve: reserve + tokens,
      shape: 'ai_model',
    });
    this.#sent = body.messages;
    this.#batch.begin({ tokens: options.window, used: numbers.tokens });
    // System messages of the session go behind those that the run was given.
    const { instructions } = body;
    return {
      messages: body.messages,
      ...(instructions === undefined ? {} : { instructions: [...own, ...instructions] }),
    };
  }

  /** Takes in messages that go on from what was sent. */
  async take(messages: readonly ModelMessage[]): Promise<void> {
    if (messages.length > 0) await this.#agent.take(messages, { shape: 'ai_model' });
  }
}

function asList(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}
