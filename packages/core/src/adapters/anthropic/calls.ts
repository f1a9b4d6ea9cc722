/**
 * Calls of Claude, run and bounded. Everything a tool returns or throws is stored under the id of
 * its call; the model reads content blocks within their limits, images in place. An error stays an
 * error.
 */
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { SHAPES } from '../../history/index.ts';
import type { Agent, ShapeName, ToolResult } from '../../index.ts';
import { CallGroups } from '../shared/call-groups.ts';

/** What a tool of the SDK returns. */
export type Content = NonNullable<ToolResultBlockParam['content']>;

/** A call, as the model made it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** How a call ended. */
export interface Ended {
  readonly use: ToolUse;
  readonly content: Content;
  readonly isError?: boolean;
}

/** The window and what is used of it; undefined where neither is known. */
export type Room = () => { readonly tokens: number; readonly used: number } | undefined;

/** Runs calls; those that begin together share the room. */
export class Calls {
  readonly #agent: Agent<ShapeName>;
  readonly #groups: CallGroups<Ended, Ended>;

  constructor(agent: Agent<ShapeName>, room: Room) {
    this.#agent = agent;
    this.#groups = new CallGroups((ended) => boundedResults(agent, ended, room()));
  }

  /** What the model reads of a call. Never rejects. */
  run(use: ToolUse, run: () => unknown, signal?: AbortSignal | null): Promise<Ended> {
    return this.#groups.answer(() => this.#end(use, run, signal));
  }

  async #end(use: ToolUse, run: () => unknown, signal?: AbortSignal | null): Promise<Ended> {
    const call = { callId: use.id, tool: use.name, input: use.input };
    try {
      const end = await this.#agent.answer(call, () => withContentOfErrors(run), {
        result: ({ content }) => resultOf(content),
        outcome: ({ isError }) => (isError ? { status: 'error' } : undefined),
        ...(signal == null ? {} : { signal }),
      });
      return { use, ...end };
    } catch (error) {
      return { use, content: (error as Error).message, isError: true };
    }
  }
}

/** A `ToolError` has content of its own: it is the result. */
async function withContentOfErrors(run: () => unknown): Promise<Omit<Ended, 'use'>> {
  try {
    return { content: (await run()) as Content, isError: false };
  } catch (error) {
    const { name, content } = error as { readonly name?: string; readonly content?: Content };
    if (name === 'ToolError' && content !== undefined) return { content, isError: true };
    throw error;
  }
}

/** Content as it is stored: as it would be taken out of a message. */
function resultOf(content: Content): ToolResult {
  const result = { type: 'tool_result', tool_use_id: 'call', content };
  const parts = SHAPES.anthropic.read([{ role: 'user', content: [result] }]).messages[0]?.parts ?? [];
  const [part] = parts.flatMap((each) => (each.type === 'result' ? [each.result] : []));
  return part ?? { kind: 'value', value: content };
}

/** The results of calls in a row, bounded together. */
async function boundedResults(
  { session, about }: Agent<ShapeName>,
  ended: readonly Ended[],
  room: ReturnType<Room>,
): Promise<readonly Ended[]> {
  const calls = ended.map(({ use }) => ({ ...use, type: 'tool_use' }));
  const messages = [
    { role: 'assistant', content: calls },
    { role: 'user', content: ended.map(resultBlock) },
  ];
  const bounded = await session.project('anthropic', messages, {
    about,
    ...(room === undefined ? {} : { room }),
  });
  const { content: blocks } = bounded[1] as { readonly content: readonly ToolResultBlockParam[] };
  return ended.map((end, i) => ({ ...end, content: blocks[i]?.content ?? '' }));
}

/** As a block of a message. */
export function resultBlock({ use, content, isError }: Ended): ToolResultBlockParam {
  const failed = isError ? { is_error: true } : {};
  return { type: 'tool_result', tool_use_id: use.id, content, ...failed };
}
