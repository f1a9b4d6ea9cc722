/**
 * OpenAI Agents: a filter that every request passes on its way to the model. It bounds the results
 * of all tools, those of MCP servers and hosted ones too, while the library's own session keeps
 * them whole. Functions become tools with `tool`, in place of the library's own: what they throw is
 * stored as well, and a call that is given up is recorded as cancelled.
 */
import { type CallModelInputFilter, type FunctionTool, tool } from '@openai/agents';
import type { Agent, ShapeName } from '../../index.ts';
import { inputFor, type OpenAiAgentsOptions } from './conversation.ts';
import { Functions } from './functions.ts';

export type { OpenAiAgentsOptions } from './conversation.ts';

/** What a run is given. */
export interface OpenAiAgents {
  /** The same as the library's own, and what it makes is stored and bounded. */
  readonly tool: typeof tool;
  /** The tool `get_artifact`: give it to the agent beside its own. */
  readonly getArtifact: FunctionTool;
  /** For `run` and `Runner`. */
  readonly callModelInputFilter: CallModelInputFilter;
}

/** One conversation with Spillway: the session is that of the agent. */
export function spillway(agent: Agent<ShapeName>, options: OpenAiAgentsOptions = {}): OpenAiAgents {
  const functions = new Functions(agent);
  const { name, description, inputSchema } = agent.getArtifact;
  return {
    tool: ((given: Parameters<typeof tool>[0]) => tool(functions.wrap(given))) as typeof tool,
    getArtifact: tool({
      name,
      description,
      parameters: inputSchema as {
        type: 'object';
        properties: object;
        required: [];
        additionalProperties: true;
      },
      strict: false,
      execute: (args) => agent.fetch(args),
    }) as unknown as FunctionTool,
    callModelInputFilter: async (given) => ({
      ...given.modelData,
      input: await inputFor(agent, options, given),
    }),
  };
}
