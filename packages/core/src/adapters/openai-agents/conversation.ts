/**
 * What is sent of a conversation. The library passes copies of its items and looks afterwards which
 * of them came back: its session keeps what an item became, and items that it does not know. So
 * every item that goes out is one of those copies, with other content where that has to be, and what
 * was left out stays in the session. Units: tokens.
 */
import type { AgentInputItem, CallModelInputFilterArgs } from '@openai/agents';
import { type RequestOptions, writeAs } from '../../history/index.ts';
import type { Agent, ShapeName } from '../../index.ts';

/** How a run uses Spillway. */
export interface OpenAiAgentsOptions
  extends Partial<Pick<RequestOptions, 'reserve' | 'mediaTokens' | 'model' | 'onCompaction'>> {
  /**
   * The window of the model, in tokens: requests fit, and are compacted where they have to be.
   * Without it results are bounded and nothing else; leave it out where the server keeps the
   * conversation (`conversationId`, `previousResponseId`).
   */
  readonly window?: number;
}

type Item = AgentInputItem;

/** The items to send. */
export async function inputFor(
  agent: Agent<ShapeName>,
  { window, ...options }: OpenAiAgentsOptions,
  given: CallModelInputFilterArgs,
): Promise<AgentInputItem[]> {
  const { input } = given.modelData;
  const known = await Promise.all(input.map((item) => withCancelled(agent, item)));
  if (window === undefined) {
    const shown = await agent.session.project('openai_agents', known, { about: agent.about });
    return inPlace(input, shown as readonly Item[]);
  }
  await agent.take(known, { shape: 'openai_agents', given: 'whole' });
  const beside = tokensBeside(agent, given);
  const made = await agent.session.request({ about: agent.about, ...options, window, beside });
  return inPlace(input, writeAs('openai_agents', made.messages).messages as unknown as readonly Item[]);
}

/** A call that was given up: the output recorded as cancelled replaces the library's own words. */
async function withCancelled({ spillway, session }: Agent<ShapeName>, item: Item): Promise<Item> {
  if (item.type !== 'function_call_result' || item.status !== 'incomplete') return item;
  const found = await spillway.store.find({ ...session.name, callId: item.callId });
  return found === undefined || 'purgedAt' in found || found.outcome.status !== 'cancelled'
    ? item
    : { ...item, output: { type: 'text', text: found.id } };
}

function tokensBeside(
  { spillway }: Agent<ShapeName>,
  { modelData, agent }: CallModelInputFilterArgs,
): number {
  const described = agent.tools.map((tool) => {
    if (tool.type !== 'function') return JSON.stringify(tool.name);
    const { name, description, parameters } = tool;
    return JSON.stringify({ name, description, parameters });
  });
  const texts = [modelData.instructions ?? '', ...described];
  return texts.reduce((sum, text) => sum + spillway.countTokens(text), 0);
}

/** Items to send, each in the copy that the library knows it by. */
function inPlace(given: readonly Item[], sent: readonly Item[]): AgentInputItem[] {
  const copies = new Map<string, Item[]>();
  for (const item of given)
    for (const key of keysOf(item)) copies.set(key, [...(copies.get(key) ?? []), item]);
  const taken = new Set<Item>();
  const take = (key: string, from: 'first' | 'last'): Item | undefined => {
    const free = (copies.get(key) ?? []).filter((item) => !taken.has(item));
    const found = free.at(from === 'first' ? 0 : -1);
    if (found !== undefined) taken.add(found);
    return found;
  };
  // From the end: of equal words, the latest are those that are still sent.
  const same = sent
    .toReversed()
    .map((item) => take(keysOf(item)[0] ?? '', 'last'))
    .reverse();
  return sent.map((item, i) => {
    const copy = same[i] ?? take(keysOf(item)[1] ?? '', 'last') ?? take(ANSWERED, 'first');
    // Also where nothing else is said: the order of fields is part of what is sent again.
    return copy === undefined ? item : become(copy, item);
  });
}

/** Any item that answers a call: the library does not keep it for what a run was given. */
const ANSWERED = 'answered';

/** What an item can be known by: all of it, the call that it belongs to, that it answers one. */
function keysOf(item: Item): string[] {
  const whole = `whole ${sorted(item)}`;
  return 'callId' in item ? [whole, `${item.type} ${item.callId}`, ANSWERED] : [whole];
}

/** JSON that does not depend on the order of fields. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function become(copy: Item, item: Item): Item {
  const fields = { ...item };
  for (const name of Object.keys(copy)) Reflect.deleteProperty(copy, name);
  return Object.assign(copy, fields);
}
