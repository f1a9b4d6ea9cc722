/**
 * Plain lists of messages, for a loop that somebody wrote by hand: any OpenAI-compatible chat, and
 * every other shape. One call a turn: the host's list goes in whole, what to send comes out, byte
 * for byte the same for what was sent before. The list of the host is not changed.
 */
import type { RequestOptions } from '../history/index.ts';
import type { Agent, Shape, ShapeName } from '../index.ts';
import { Conversation } from './conversation.ts';

/** In which shape messages are, and for which window. */
export interface ProjectMessagesOptions extends Partial<RequestOptions> {
  /** Default: the shape that the agent was opened with. */
  readonly shape?: ShapeName | Shape;
}

/**
 * What to send of a conversation. Results that are too long are stored and shown bounded, each the
 * same every time. With a `window` the agent's session keeps the conversation as well: what comes
 * back fits, and is compacted where it has to be.
 */
export async function projectMessages<M extends object>(
  agent: Agent<ShapeName>,
  messages: readonly M[],
  { shape = agent.shape, signal, ...options }: ProjectMessagesOptions = {},
): Promise<M[]> {
  const conversation = new Conversation(agent, shape, options);
  return [...(await conversation.messages(messages, () => ({ sent: undefined }), { signal }))] as M[];
}
