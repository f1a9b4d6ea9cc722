/**
 * Messages of LangChain in their stored form, `{ type, data }`, as
 * `mapChatMessagesToStoredMessages` makes them; messages as objects are read as well, by their
 * fields. Written is the stored form.
 */
import { dataUrl, extrasOf, type Fields, isRecord, textField } from './json.ts';
import { type MessageMap, messageShape } from './message-shape.ts';
import { mediaAt, plainContent, readCall, urlOf, writeCall } from './parts.ts';
import type { Shape } from './shape.ts';

const NAME = 'langchain';
const CALL = { type: 'tool_call', callId: 'id', tool: 'name', input: 'args' } as const;
/** The library takes messages with a role as well. */
const TYPE_OF_ROLE: Fields = { user: 'human', assistant: 'ai' };

const MAP: MessageMap = {
  name: NAME,
  roles: { human: 'user', ai: 'assistant', system: 'system', developer: 'system', tool: 'tool' },
  otherRoles: ['function', 'generic', 'chat', 'remove'],
  roleMark: '$type',
  unknownRole: { lossOf: (type) => `the type ${type || 'of a message without one'}; read as a user's` },
  types: `text-plain image_url image audio video file input_audio document citation reasoning thinking
    redacted_thinking tool_use tool_call tool_call_chunk invalid_tool_call tool_result server_tool_call
    server_tool_call_chunk server_tool_call_result server_tool_use web_search_tool_result function_call
    non_standard refusal`,
  partFields: { image_url: ['image_url'] },
  words: { fields: ['tool_calls', 'tool_call_id'], roleField: 'type' },
  skipsEmptyText: true,
  calls: {
    read: (call) => readCall(MAP, CALL, call),
    write: (id, call, losses) => writeCall(MAP, CALL, id, call, losses),
  },
  results: 'alone',
  result: { fixed: {}, callId: 'tool_call_id', content: 'content', failed: { status: 'error' } },
  unwrap: storedForm,
  wrap: (type, data) => ({ type, data }),
  readMedia({ type, image_url: image }) {
    const url = isRecord(image) ? textField(image, 'url') : '';
    if (type !== 'image_url' || !isRecord(image) || dataUrl(url) === null) return null;
    return mediaAt(url, extrasOf(NAME, image, ['url']));
  },
  writeMedia: (media, own) => ({ type: 'image_url', image_url: { url: urlOf(media), ...own } }),
  marksOf: ({ content, tool_calls: calls }) => ({
    $text: typeof content === 'string' || undefined,
    $noCalls: (Array.isArray(calls) && !calls.some(isRecord)) || undefined,
  }),
  /** A text where it came as one, or where nothing tells how it came. */
  contentOf(parts, kept) {
    if (kept.$text !== true && Object.keys(kept).length > 0) return { content: parts };
    return { content: parts.length === 0 ? '' : (plainContent(parts) ?? parts) };
  },
};

export const langchain: Shape = {
  ...messageShape(MAP),
  unsent: [
    'id',
    'type',
    'status',
    'artifact',
    'metadata',
    'response_metadata',
    'usage_metadata',
    'invalid_tool_calls',
    'tool_call_chunks',
    'tool_calls',
  ],
  usage: [['usage_metadata', 'input_tokens']],
  // What every chat model of the library takes in `bindTools`.
  toolOf: ({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }),
};

/** Objects of the library have a type and fields; the stored form has them apart. */
function storedForm(message: Fields): { readonly role: string; readonly fields: Fields } {
  if (isRecord(message.data)) return { role: textField(message, 'type'), fields: message.data };
  const asked = message.getType ?? message._getType;
  const role = textField(message, 'role');
  const named = textField(message, 'type', textField(TYPE_OF_ROLE, role, role in MAP.roles ? role : ''));
  const fields = Object.entries(message).filter(
    ([name, value]) => value !== undefined && name !== 'type' && name !== 'role' && !name.startsWith('lc_'),
  );
  return {
    role: typeof asked === 'function' ? String(asked.call(message)) : named,
    fields: Object.fromEntries(fields),
  };
}
