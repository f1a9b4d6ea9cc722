/**
 * The tools of an agent by name, and how a call of a model is answered with them. A failure never
 * ends the run: the model reads it as the result of its call. Every call that is begun has an end.
 */
import type { SpillwayError } from '../model/errors.ts';
import { notJson, unknownTool } from '../wording/agent.ts';
import { GET_ARTIFACT } from '../wording/get-artifact.ts';
import { contextOf } from './call-facts.ts';
import { endOf, type ToolEnd, type WrapToolOptions } from './wrap-tool.ts';

/** A call that a model made. */
export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  /** The arguments: the value of their JSON; the text itself where it is no JSON. */
  readonly input: unknown;
  /** Set where the arguments are no JSON. */
  readonly invalid?: true;
}

type AnyFunction = (...args: never[]) => unknown;

/** A tool that can be run. */
export interface AgentTool {
  readonly run: (...args: never[]) => unknown;
  readonly result?: WrapToolOptions<never[], unknown>['result'];
}

/** Runs calls with the tools that were added. */
export class AgentTools {
  readonly #tools = new Map<string, AgentTool>();
  readonly #fetch: (args: unknown) => Promise<string>;

  constructor(fetch: (args: unknown) => Promise<string>) {
    this.#fetch = fetch;
  }

  add(name: string, tool: AgentTool): void {
    this.#tools.set(name, tool);
  }

  /** How a call ended. Never rejects. */
  async end(call: ToolCall, signal: AbortSignal | undefined): Promise<ToolEnd> {
    if (call.invalid === true) return refused(notJson(call.tool));
    if (call.tool === GET_ARTIFACT.name) return this.#page(call.input);
    const tool = this.#tools.get(call.tool);
    if (tool === undefined) {
      const known = [...this.#tools.keys(), GET_ARTIFACT.name];
      return refused(unknownTool(call.tool, known));
    }
    const run = tool.run as AnyFunction as (input: unknown, context: object) => unknown;
    return endOf(() => run(call.input, contextOf(call.callId, signal)), signal, tool.result);
  }

  async #page(input: unknown): Promise<ToolEnd> {
    try {
      return { result: { kind: 'text', text: await this.#fetch(input) } };
    } catch (error) {
      return refused((error as SpillwayError).message);
    }
  }
}

function refused(text: string): ToolEnd {
  return { result: { kind: 'text', text }, outcome: { status: 'error' } };
}
