/**
 * The turns of a tool runner, kept within the window. Between two turns the runner's messages are
 * recorded and made anew; the runner is told only where they differ, so that a thread on the server
 * goes on until something has to be compacted.
 */
import type { BetaToolRunner } from '@anthropic-ai/sdk/lib/tools/BetaToolRunner';
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { WaitOptions } from '../../index.ts';

/** The part of a request that is looked at. */
export interface AnthropicParams {
  /** The conversation so far. */
  readonly messages: readonly object[];
  /** Instructions; they are counted, and come back with the summary behind them. */
  readonly system?: string | readonly object[];
  /** Definitions of tools. Default: those that `spillway` was given. */
  readonly tools?: readonly object[];
  /** Room for the answer: it is kept free in the window. */
  readonly max_tokens: number;
}

/** What a tool runner gives every turn: a message, or its stream. */
export type RunnerItem<Stream extends boolean> =
  BetaToolRunner<Stream> extends AsyncIterable<infer Item> ? Item : never;

/** What the turns need of the layer. */
export interface TurnSteps {
  readonly request: <P extends AnthropicParams>(params: P, wait?: WaitOptions) => Promise<P>;
  /** Records a reply behind the messages of the last request. */
  readonly record: (reply: BetaMessage, wait: WaitOptions) => Promise<void>;
}

/** Iterates a runner. */
export async function* runnerTurns<Stream extends boolean>(
  runner: BetaToolRunner<Stream>,
  { request, record }: TurnSteps,
  wait: WaitOptions,
): AsyncGenerator<RunnerItem<Stream>> {
  const prepare = async (messages: readonly BetaMessageParam[]): Promise<void> => {
    const { params } = runner;
    const next = await request({ ...params, messages: [...messages] }, wait);
    const isSame = JSON.stringify(next.messages) === JSON.stringify(messages);
    if (isSame && JSON.stringify(next.system) === JSON.stringify(params.system)) return;
    const { messages: made, system } = next;
    runner.setMessagesParams({ ...params, messages: made, ...(system === undefined ? {} : { system }) });
  };
  await prepare(runner.params.messages);
  for await (const item of runner as AsyncIterable<RunnerItem<Stream>>) {
    const sent = runner.params.messages;
    yield item;
    const reply = await replyOf(item);
    const { role, content } = reply;
    // Whoever changed the messages has put the reply where it belongs.
    const isChanged = !isSameList(sent, runner.params.messages);
    if (isChanged) {
      await prepare(runner.params.messages);
      continue;
    }
    await record(reply, wait);
    const results = await runner.generateToolResponse();
    if (results !== null) await prepare([...sent, { role, content }, results]);
  }
}

async function replyOf(item: unknown): Promise<BetaMessage> {
  const stream = item as { readonly finalMessage?: () => Promise<BetaMessage> };
  return stream.finalMessage === undefined ? (item as BetaMessage) : stream.finalMessage();
}

function isSameList(before: readonly BetaMessageParam[], after: readonly BetaMessageParam[]): boolean {
  return before.length === after.length && before.every((message, i) => message === after[i]);
}
