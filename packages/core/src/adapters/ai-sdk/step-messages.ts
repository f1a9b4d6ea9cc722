/**
 * The messages of each step, made to fit the window. The SDK carries what a step sent over to the
 * next one and adds what came back; only that is taken in. Whatever else it hands over (another
 * run, a conversation that the host kept) is compared with the session, which adds what is new.
 */
import type { Instructions, ModelMessage, SystemModelMessage, Tool } from 'ai';
import { countMarks, markCache, markEnd, type RequestOptions } from '../../history/index.ts';
import type { Agent, ContextWindow, ShapeName } from '../../index.ts';
import { textResultsFor } from '../shared/text-results.ts';

/** What a step is given. */
export interface Step {
  /** Everything said so far, as the SDK has it. */
  readonly messages: readonly ModelMessage[];
  /** The system prompt that the run began with. */
  readonly initialInstructions: Instructions | undefined;
  /** The steps before this one: the tokens of the last are learned from. */
  readonly steps?: readonly ReportedStep[];
  /** The model of the step, by its name or as an object that names its provider. */
  readonly model?: string | { readonly provider?: string };
}

/** What a step tells of the tokens that its model read. */
export interface ReportedStep {
  /** Tokens that the provider counted; undefined where it reports none. */
  readonly usage?: { readonly inputTokens: number | undefined };
}

/** How a run ended: with its last step, or, before version 7, that step itself. */
export interface RunEnd extends ReportedStep {
  /** The last step, from version 7 on. */
  readonly finalStep?: RunEnd;
  /** What was answered. */
  readonly response?: { readonly messages: readonly ModelMessage[] };
}

/** Takes in what is new, and makes the next request. */
export class StepMessages {
  readonly #agent: Agent<ShapeName>;
  readonly #batch: Batch;
  readonly #options: RequestOptions;
  readonly #tools: readonly object[];
  #sent: readonly ModelMessage[] = [];
  /** What the first step of the run was given. */
  #initial: readonly ModelMessage[] = [];

  constructor(
    agent: Agent<ShapeName>,
    batch: Batch,
    options: RequestOptions,
    tools: Readonly<Record<string, object>>,
  ) {
    this.#tools = Object.values(tools);
    this.#agent = agent;
    this.#batch = batch;
    this.#options = options;
  }

  async prepare({
    messages,
    initialInstructions,
    steps = [],
    model,
  }: Step): Promise<{ messages: ModelMessage[]; instructions?: SystemModelMessage[] }> {
    this.usage(steps.at(-1));
    if (steps.length === 0) this.#initial = messages;
    const known = this.#sent.length > 0 && this.#sent.every((message, i) => message === messages[i]);
    if (known) await this.#take(messages.slice(this.#sent.length));
    else await this.#agent.take(messages, { shape: 'ai_model', given: 'whole' });
    const { cache } = this.#options;
    const given = asList(initialInstructions);
    const isMarked = cache === undefined || countMarks([...given, ...this.#tools]) > 0;
    const own = isMarked ? given : markEnd(given, 'options');
    const options = this.#options;
    const beside = own.reduce((sum, { content }) => sum + this.#agent.spillway.countTokens(content), 0);
    const { body, numbers } = await this.#agent.request({
      ...options,
      beside: beside + (options.beside ?? 0),
      shape: 'ai_model',
    });
    const marks = { given: messages, cache, beside: countMarks([...own, ...this.#tools]) };
    this.#sent = textResultsFor(model, markCache('ai_model', body.messages, marks));
    this.#batch.begin({ tokens: options.window, used: numbers.tokens });
    // System messages of the session go behind those that the run was given.
    const { instructions = [] } = body;
    const isOwn = instructions.length === 0 && own === given;
    return {
      messages: [...this.#sent],
      ...(isOwn ? {} : { instructions: [...own, ...instructions] }),
    };
  }

  /** What the provider counted for the last request. */
  usage({ usage }: ReportedStep = {}): void {
    if (usage?.inputTokens !== undefined) this.#agent.usage(usage.inputTokens);
  }

  /** Takes in the answer of a run. */
  async end({ finalStep, ...event }: RunEnd): Promise<void> {
    this.usage(finalStep ?? event);
    if (finalStep !== undefined) return this.#take(finalStep.response?.messages ?? []);
    // Before version 7 the event is the last step, with the messages of all of them.
    const all = [...this.#initial, ...(event.response?.messages ?? [])];
    await this.#agent.take(all, { shape: 'ai_model', given: 'whole' });
  }

  async #take(messages: readonly ModelMessage[]): Promise<void> {
    if (messages.length > 0) await this.#agent.take(messages, { shape: 'ai_model' });
  }
}

function asList(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}

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
