/**
 * The words of each framework: who speaks, which parts there are, and which fields a message cannot do without. A list of
 * messages is held against them before it is read. A word that is almost one of them is a mistake, and refused with the
 * right one; a word that is like none of them may be newer than we are: it is kept, and told as a loss.
 */
import { SpillwayError } from '../../model/errors.ts';
import { misspelt } from '../../text/nearest.ts';
import { type Fields, isRecord, recordsOf, textField } from './json.ts';
import type { Losses, ShapeName } from './shape.ts';

interface Vocabulary {
  /** Who can speak. */
  readonly roles: readonly string[];
  /** Types of parts; one that ends with `*` stands for all that begin so. */
  readonly types: readonly string[];
  /** Where a message has what is said. */
  readonly content: string;
  /** Fields beside it that are read, and whose names must be right. */
  readonly fields: readonly string[];
  /** Fields that are read in parts of these types. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
}

const VOCABULARIES: Readonly<Record<ShapeName, Vocabulary>> = {
  anthropic: {
    roles: ['user', 'assistant', 'system'],
    types: [
      'text',
      'image',
      'document',
      'search_result',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'tool_result',
      'tool_reference',
      'server_tool_use',
      'web_search_tool_result',
      'web_fetch_tool_result',
      'code_execution_tool_result',
      'bash_code_execution_tool_result',
      'text_editor_code_execution_tool_result',
      'tool_search_tool_result',
      'mcp_tool_use',
      'mcp_tool_result',
      'container_upload',
      'compaction',
    ],
    content: 'content',
    fields: [],
    parts: { text: ['text'], tool_use: ['id', 'name', 'input'], tool_result: ['tool_use_id', 'content'] },
  },
  openai_chat: {
    roles: ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
    types: ['text', 'image_url', 'input_audio', 'file', 'refusal', 'video_url', 'thinking', 'reasoning'],
    content: 'content',
    fields: ['tool_calls', 'tool_call_id'],
    parts: { text: ['text'], image_url: ['image_url'] },
  },
  openai_responses: {
    roles: ['system', 'developer', 'user', 'assistant'],
    types: [
      'message',
      'function_call',
      'function_call_output',
      'custom_tool_call',
      'custom_tool_call_output',
      'computer_call',
      'computer_call_output',
      'local_shell_call',
      'local_shell_call_output',
      'shell_call',
      'shell_call_output',
      'apply_patch_call',
      'apply_patch_call_output',
      'web_search_call',
      'file_search_call',
      'code_interpreter_call',
      'image_generation_call',
      'tool_search_call',
      'tool_search_output',
      'mcp_call',
      'mcp_list_tools',
      'mcp_approval_request',
      'mcp_approval_response',
      'reasoning',
      'item_reference',
      'compaction',
      'input_text',
      'output_text',
      'input_image',
      'input_file',
      'input_audio',
      'refusal',
      'summary_text',
      'reasoning_text',
      'computer_screenshot',
      'text',
    ],
    content: 'content',
    fields: [],
    parts: {
      function_call: ['call_id', 'name', 'arguments'],
      function_call_output: ['call_id', 'output'],
      custom_tool_call: ['call_id', 'name', 'input'],
      custom_tool_call_output: ['call_id', 'output'],
      input_text: ['text'],
      output_text: ['text'],
    },
  },
  ai_model: {
    roles: ['system', 'user', 'assistant', 'tool'],
    types: [
      'text',
      'image',
      'file',
      'reasoning',
      'reasoning-file',
      'source',
      'custom',
      'tool-call',
      'tool-result',
      'tool-error',
      'tool-approval-request',
      'tool-approval-response',
    ],
    content: 'content',
    fields: [],
    parts: {
      text: ['text'],
      'tool-call': ['toolCallId', 'toolName', 'input'],
      'tool-result': ['toolCallId', 'toolName', 'output'],
    },
  },
  ai_ui: {
    roles: ['system', 'user', 'assistant'],
    types: [
      'text',
      'reasoning',
      'reasoning-file',
      'file',
      'source-url',
      'source-document',
      'step-start',
      'custom',
      'dynamic-tool',
      'tool-*',
      'data-*',
    ],
    content: 'parts',
    fields: [],
    parts: {
      text: ['text'],
      'dynamic-tool': ['toolCallId', 'toolName', 'state', 'input', 'output', 'errorText'],
      'tool-*': ['toolCallId', 'state', 'input', 'output', 'errorText'],
    },
  },
  langchain: {
    roles: ['human', 'ai', 'system', 'developer', 'tool', 'function', 'generic', 'chat', 'remove'],
    types: [
      'text',
      'text-plain',
      'image_url',
      'image',
      'audio',
      'video',
      'file',
      'input_audio',
      'document',
      'citation',
      'reasoning',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'tool_call',
      'tool_call_chunk',
      'invalid_tool_call',
      'tool_result',
      'server_tool_call',
      'server_tool_call_chunk',
      'server_tool_call_result',
      'server_tool_use',
      'web_search_tool_result',
      'function_call',
      'non_standard',
      'refusal',
    ],
    content: 'content',
    fields: ['tool_calls', 'tool_call_id'],
    parts: { text: ['text'], image_url: ['image_url'] },
  },
};

/** Whether a framework has parts of this type. */
export function isKnownType(shape: ShapeName, type: unknown): boolean {
  return wordFor(VOCABULARIES[shape].types, type) !== undefined;
}

/** Refuses what is misspelt, and tells what is not known. `said` gives the role and the fields of a message. */
export function checkVocabulary(
  shape: ShapeName,
  given: readonly Fields[],
  said: (message: Fields) => { readonly role: string; readonly fields: Fields },
  losses: Losses,
): void {
  const words = VOCABULARIES[shape];
  for (const [i, message] of given.entries()) {
    const path = `messages[${i}]`;
    const { role, fields } = said(message);
    checkFields(fields, path, [words.content, ...words.fields]);
    // Items of responses that are no messages have no speaker.
    if (role !== '' || shape !== 'openai_responses' || message.type === undefined)
      checkRole(shape, role, path);
    const parts = fields[words.content];
    for (const [n, part] of recordsOf(parts).entries())
      checkPart(shape, part, `${path}.${words.content}[${n}]`, i, losses);
    if (typeof message.type === 'string' && shape === 'openai_responses')
      checkPart(shape, message, path, i, losses);
    checkCalls(fields, path);
    if (role === 'tool' && parts === undefined) throw wrong(`${path}.${words.content}`, 'is missing');
    const other = CONTENT_FIELDS.find((name) => name !== words.content && name in fields);
    if (parts === undefined && other !== undefined && !(fields.tool_calls ?? fields.type))
      throw wrong(`${path}.${words.content}`, `is missing, and there is ${other}: is this another shape?`);
    if (Array.isArray(parts) && !parts.every(isRecord))
      throw wrong(`${path}.${words.content}`, 'must be a text or a list of objects');
  }
}

/** These keep a message whose speaker is not known, and tell it. */
const TAKES_ANY_ROLE: readonly ShapeName[] = ['openai_chat', 'langchain'];

function checkRole(shape: ShapeName, role: string, path: string): void {
  const { roles } = VOCABULARIES[shape];
  checkWord(role, `${path}.${shape === 'langchain' ? 'type' : 'role'}`, roles);
  if (!roles.includes(role) && !TAKES_ANY_ROLE.includes(shape))
    throw wrong(`${path}.role`, `must be one of ${roles.join(', ')}`);
}

const CONTENT_FIELDS = ['content', 'parts'];

function checkPart(shape: ShapeName, part: Fields, path: string, message: number, losses: Losses): void {
  const words = VOCABULARIES[shape];
  const type = textField(part, 'type');
  const word = wordFor(words.types, type);
  if (word === undefined) {
    checkFields(part, path, ['type']);
    checkWord(type, `${path}.type`, words.types);
    losses.add(message, 'a part of a type that is not known: kept, and given back to this framework only');
    return;
  }
  checkFields(part, path, words.parts[word] ?? []);
  if (word === 'tool-result') checkOutput(part, path);
}

/** The calls of an assistant where they stand beside its words. */
function checkCalls(fields: Fields, path: string): void {
  for (const [i, call] of recordsOf(fields.tool_calls).entries()) {
    const at = `${path}.tool_calls[${i}]`;
    if ('custom' in call) continue;
    if (isRecord(call.function)) {
      checkFields(call, at, ['id']);
      checkFields(call.function, `${at}.function`, ['name', 'arguments']);
    } else checkFields(call, at, ['id', 'name', 'args', 'function']);
  }
}

/** The output of a result says what it is. */
function checkOutput(part: Fields, path: string): void {
  const { output } = part;
  if (!isRecord(output))
    throw wrong(`${path}.output`, 'must be an object with a type, e.g. { type: "text", value }');
  const type = textField(output, 'type');
  checkWord(type, `${path}.output.type`, OUTPUT_TYPES);
  if (type !== 'execution-denied') checkFields(output, `${path}.output`, ['type', 'value']);
}

const OUTPUT_TYPES = ['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied'];

function wordFor(words: readonly string[], type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  return words.find((word) => (word.endsWith('*') ? type.startsWith(word.slice(0, -1)) : word === type));
}

function checkWord(given: string, path: string, words: readonly string[]): void {
  if (words.includes(given)) return;
  const meant = misspelt(given, words);
  if (meant !== undefined) throw wrong(path, `is not known. Did you mean ${meant}?`);
}

/** A field that is not there, while one is that is almost called so. */
function checkFields(fields: Fields, path: string, names: readonly string[]): void {
  const missing = names.filter((name) => !(name in fields));
  for (const key of Object.keys(fields)) {
    const meant = names.includes(key) ? undefined : misspelt(key, missing);
    if (meant !== undefined) throw wrong(`${path}.${key}`, `is not known. Did you mean ${meant}?`);
  }
}

function wrong(path: string, rule: string): SpillwayError {
  const ended = /[.?]$/.test(rule) ? rule : `${rule}.`;
  return new SpillwayError('invalid_argument', `\`${path}\` ${ended} Nothing was stored.`);
}
