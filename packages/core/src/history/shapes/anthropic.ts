/**
 * Messages of Anthropic's API, as plain data. The system prompt travels as a message with role
 * `system`; results travel in user messages.
 */
import { plainCallId } from '../call-ids.ts';
import { extrasOf, type Fields, isRecord, recordsOf, textField } from './json.ts';
import { messageShape } from './message-shape.ts';
import type { Shape } from './shape.ts';

const NAME = 'anthropic';

export const anthropic: Shape = {
  ...messageShape({
    name: NAME,
    roles: { user: 'user', assistant: 'assistant', system: 'system' },
    types: `image document search_result thinking redacted_thinking tool_reference server_tool_use
      web_search_tool_result web_fetch_tool_result code_execution_tool_result
      bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result
      mcp_tool_use mcp_tool_result container_upload compaction`,
    call: { type: 'tool_use', callId: 'id', tool: 'name', input: 'input' },
    result: {
      fixed: { type: 'tool_result' },
      callId: 'tool_use_id',
      content: 'content',
      failed: { is_error: true },
      idOf: plainCallId,
    },
    results: 'next',
    isResult: ({ type }) => type === 'tool_result',
    readMedia(block) {
      const source = plainSource(block);
      if (source === null) return null;
      const extras = extrasOf(NAME, block, ['type', 'source']);
      return source.type === 'url'
        ? { type: 'media', mediaType: 'image/*', source: { url: textField(source, 'url') }, ...extras }
        : { type: 'media', mediaType: mediaType(source), data: String(source.data), ...extras };
    },
    writeMedia({ mediaType, data }, own) {
      if (!mediaType.startsWith('image/')) return null;
      const source =
        'url' in data
          ? { type: 'url', url: data.url }
          : { type: 'base64', media_type: mediaType, data: data.base64 };
      return { type: 'image', source, ...own };
    },
    readBlock(block) {
      const source = Object.keys(block).length === 2 ? plainSource(block) : null;
      if (source === null || source.type === 'url') return null;
      return { type: 'image', data: String(source.data), mimeType: mediaType(source) };
    },
  }),
  unsent: ['id', 'type', 'model', 'usage', 'stop_reason', 'stop_sequence', 'caller', 'cache_control'],
  usage: [
    ['usage', 'input_tokens'],
    ['usage', 'cache_read_input_tokens'],
    ['usage', 'cache_creation_input_tokens'],
  ],
  // An answer is a message with an id and figures beside it, which no request may repeat.
  messagesOf: ({ role, content }) => (content === undefined ? undefined : [{ role, content }]),
  bodyOf(messages) {
    const system = messages
      .filter(({ role }) => role === 'system')
      .flatMap(({ content }) =>
        typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content),
      );
    const others = messages.filter(({ role }) => role !== 'system');
    return { ...(system.length === 0 ? {} : { system }), messages: others };
  },
  toolOf: ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
};

/** The source of an image that has nothing but its bytes and type, or its address. */
function plainSource({ type, source }: Fields): Fields | null {
  if (type !== 'image' || !isRecord(source)) return null;
  const count = Object.keys(source).length;
  const isPlain = source.type === 'base64' ? count === 3 && typeof source.data === 'string' : count === 2;
  return isPlain && (source.type === 'base64' || source.type === 'url') ? source : null;
}

function mediaType(source: Fields): string {
  return textField(source, 'media_type');
}
