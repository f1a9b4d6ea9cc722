/**
 * The words of each built-in shape: its roles, its types of parts, and the fields that a message
 * cannot do without. A shape of a plugin brings its own.
 */

/** The words of one shape. */
export interface Vocabulary {
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
  /** Keeps a message whose role is not known, and reports it. */
  readonly takesAnyRole?: true;
  /** The field that holds the role. Default: `role`. */
  readonly roleField?: string;
  /**
   * The list also holds items that are no messages, such as calls: they have a type and no role.
   */
  readonly hasItems?: true;
  /** The type of a part is the name of one of its fields. */
  readonly hasKeyedParts?: true;
}

/** By the name of the shape. */
export const VOCABULARIES = {
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
    takesAnyRole: true,
    roles: ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
    types: ['text', 'image_url', 'input_audio', 'file', 'refusal', 'video_url', 'thinking', 'reasoning'],
    content: 'content',
    fields: ['tool_calls', 'tool_call_id'],
    parts: { text: ['text'], image_url: ['image_url'] },
  },
  openai_responses: {
    hasItems: true,
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
  google: {
    hasKeyedParts: true,
    roles: ['user', 'model', 'system', 'function'],
    types: [
      'functionCall',
      'functionResponse',
      'text',
      'thought',
      'inlineData',
      'fileData',
      'executableCode',
      'codeExecutionResult',
      'toolCall',
      'toolResponse',
      'audioTranscription',
    ],
    content: 'parts',
    fields: [],
    parts: { functionCall: ['id', 'name', 'args'], functionResponse: ['id', 'name', 'response'] },
  },
  langchain: {
    takesAnyRole: true,
    roleField: 'type',
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
} as const satisfies Readonly<Record<string, Vocabulary>>;
