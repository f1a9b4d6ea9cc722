/** Calls of Claude in the words of its API: `tool_use` and `tool_result` blocks. */
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { CallWords, Ended } from '../shared/bounded-calls.ts';

/** What a tool of the SDK returns. */
export type Content = NonNullable<ToolResultBlockParam['content']>;

/** How the API spells calls and results. */
export const WORDS: CallWords<Content> = {
  shape: 'anthropic',
  messages: (ended) => [
    {
      role: 'assistant',
      content: ended.map(({ call: { callId: id, tool: name, input } }) => ({
        type: 'tool_use',
        id,
        name,
        input,
      })),
    },
    { role: 'user', content: ended.map(resultBlock) },
  ],
  contents: (results) =>
    (results as { readonly content: readonly ToolResultBlockParam[] }).content.map(
      ({ content = '' }) => content,
    ),
  failure: (text) => text,
};

/** As a block of a message. */
export function resultBlock({ call, content, isError }: Ended<Content>): ToolResultBlockParam {
  const failed = isError === true ? { is_error: true } : {};
  return { type: 'tool_result', tool_use_id: call.callId, content, ...failed };
}

/** A `ToolError` has content of its own: it is the result. */
export async function contentOf(run: () => unknown): Promise<Omit<Ended<Content>, 'call'>> {
  try {
    return { content: (await run()) as Content };
  } catch (error) {
    const { name, content } = error as { readonly name?: string; readonly content?: Content };
    if (name === 'ToolError' && content !== undefined) return { content, isError: true };
    throw error;
  }
}
