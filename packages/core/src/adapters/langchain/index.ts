/**
 * LangChain: a middleware for `createAgent`. What tools return and throw is stored whole; the model
 * reads bounded results, and has `get_artifact` for the rest. Each thread is a session of its own.
 * With a window, requests are made from the session: they fit, and repeat byte for byte what was
 * sent before.
 */
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
// Types only: the package before version 1 has no main entry, and Node's error does not say so.
import type { AgentMiddleware, createMiddleware } from 'langchain';
import { type Agent, type ShapeName, SpillwayError } from '../../index.ts';
import { type LangChainOptions, Thread } from './thread.ts';

export type { LangChainOptions } from './thread.ts';

/**
 * The middleware. Put it first in the list: it then sees what other middlewares make of a result.
 * A run with a `thread_id` uses the session of that name, any other the session of the agent.
 */
export function spillway(agent: Agent<ShapeName>, options: LangChainOptions = {}): AgentMiddleware {
  if (typeof AIMessage.isInstance !== 'function') throw new SpillwayError('unsupported', TOO_OLD);
  const threads = new Map<string, Thread>();
  const threadOf = (id: unknown): Thread => {
    const name = typeof id === 'string' && id !== '' ? id : agent.session.name.session;
    const thread = threads.get(name) ?? new Thread(agent.inSession(name), options);
    // The oldest is opened anew when it is used again: everything durable is in the store.
    if (threads.size >= MOST_THREADS)
      for (const oldest of [...threads.keys()].slice(0, 1)) threads.delete(oldest);
    threads.delete(name);
    return threads.set(name, thread).get(name) ?? thread;
  };
  const { name, description, inputSchema } = agent.getArtifact;
  const getArtifact = tool(
    async (args: object, { configurable }: { configurable?: { thread_id?: unknown } }) =>
      threadOf(configurable?.thread_id).agent.fetch(args),
    { name, description, schema: inputSchema },
  );
  const middleware: Parameters<typeof createMiddleware>[0] = {
    name: 'spillway',
    tools: [getArtifact],
    wrapToolCall: (request, handler) => {
      const thread = threadOf(request.runtime.configurable?.thread_id);
      if (request.toolCall.name === name) return thread.fetch(request.toolCall);
      return thread.call(request, handler);
    },
    wrapModelCall: async (request, handler) => {
      const thread = threadOf(request.runtime.configurable?.thread_id);
      const reply = await handler({ ...request, messages: await thread.messagesFor(request) });
      thread.usage(reply);
      return reply;
    },
    afterAgent: async ({ messages }, { configurable }) => {
      await threadOf(configurable?.thread_id).end(messages);
    },
  };
  // What `createMiddleware` makes.
  return { [Symbol.for('AgentMiddleware')]: true, ...middleware } as AgentMiddleware;
}

const TOO_OLD =
  'Spillway needs LangChain 1, which has middleware: npm install langchain@latest @langchain/core@latest.';

const MOST_THREADS = 1_000;
