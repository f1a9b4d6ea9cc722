/** One conversation with a long result, as each shape writes it. */
import type { ShapeName } from '../../src/history/index.ts';
import { linesOf } from './opened.ts';

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const LONG = linesOf(60_000);

export const FIXTURES: Record<ShapeName, readonly object[]> = {
  openai_chat: [
    { role: 'developer', content: 'Be careful.' },
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }], name: 'sys' },
    {
      role: 'user',
      content: [
        { type: 'text', text: ' look \n' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"n": 12345678901234567890}' } },
        { id: 'c2', type: 'function', function: { name: 'run', arguments: '{broken' } },
        { id: 'c3', type: 'custom', custom: { name: 'free', input: 'any text' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: LONG },
    {
      role: 'tool',
      tool_call_id: 'c2',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
    { role: 'tool', tool_call_id: 'c3', content: [{ type: 'text', text: 'only' }], extra: 1 },
    { role: 'assistant', content: 'done', name: 'bot' },
    { role: 'user', content: '' },
  ],
  openai_responses: [
    { role: 'developer', content: 'Be careful.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
        { type: 'input_file', file_id: 'f1' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'thinking' }],
      encrypted_content: 'xyz',
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'c1',
      name: 'read',
      arguments: '{"n": 1.0}',
      status: 'completed',
    },
    { type: 'function_call', call_id: 'c2', name: 'shot', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: LONG, id: 'fco_1' },
    {
      type: 'function_call_output',
      call_id: 'c2',
      output: [
        { type: 'input_text', text: 'a picture' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
      ],
    },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'done', annotations: [{ type: 'url_citation', url: 'u' }] }],
    },
    { role: 'user', content: 'thanks' },
  ],
  openai_agents: [
    { role: 'system', content: 'Be careful.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'look', providerData: { a: 1 } },
        { type: 'input_image', image: `data:image/png;base64,${PNG}`, detail: 'auto' },
        { type: 'input_image', image: { id: 'f0' } },
        { type: 'input_file', file: { id: 'f1' }, filename: 'a.pdf' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      content: [{ type: 'input_text', text: 'thinking' }],
      rawContent: [{ type: 'reasoning_text', text: 'hm' }],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      callId: 'c1',
      name: 'read',
      arguments: '{"n": 1.0}',
      status: 'completed',
      providerData: { b: 2 },
    },
    { type: 'function_call', callId: 'c2', name: 'shot', arguments: '{}' },
    { type: 'function_call', callId: 'c3', name: 'say', arguments: '{}' },
    {
      type: 'function_call_result',
      callId: 'c1',
      name: 'read',
      status: 'completed',
      output: { type: 'text', text: LONG },
    },
    {
      type: 'function_call_result',
      callId: 'c2',
      name: 'shot',
      status: 'completed',
      output: [
        { type: 'input_text', text: 'a picture' },
        { type: 'input_image', image: `data:image/png;base64,${PNG}` },
      ],
    },
    { type: 'function_call_result', callId: 'c3', name: 'say', status: 'completed', output: 'said' },
    {
      type: 'hosted_tool_call',
      id: 'mcp_1',
      name: 'mcp_call',
      status: 'completed',
      arguments: '{"q":1}',
      output: LONG,
      providerData: { server_label: 's' },
    },
    {
      type: 'hosted_tool_call',
      id: 'ws_1',
      name: 'web_search_call',
      status: 'completed',
      providerData: { type: 'web_search_call' },
    },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'done', providerData: { annotations: [] } }],
    },
    { role: 'user', content: 'thanks' },
  ],
  anthropic: [
    { role: 'system', content: 'Be careful.' },
    { role: 'user', content: [{ type: 'text', text: 'look', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig==' },
        { type: 'text', text: 'I will.' },
        { type: 'tool_use', id: 'tu1', name: 'read', input: { path: 'a' } },
        { type: 'tool_use', id: 'tu2', name: 'shot', input: {} },
        { type: 'tool_use', id: 'tu3', name: 'run', input: { cmd: 'x' }, caller: { type: 'direct' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'tu1', content: LONG, cache_control: { type: 'ephemeral' } },
        {
          type: 'tool_result',
          tool_use_id: 'tu2',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            { type: 'search_result', source: 'x', title: 't', content: [] },
          ],
        },
        {
          type: 'tool_result',
          tool_use_id: 'tu3',
          is_error: true,
          content: [{ type: 'text', text: 'success' }],
        },
        { type: 'text', text: 'and now?' },
      ],
    },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }] },
  ],
  google: [
    { role: 'system', parts: [{ text: 'Be careful.' }] },
    {
      role: 'user',
      parts: [
        { text: 'look' },
        { inlineData: { mimeType: 'image/png', data: PNG }, mediaResolution: { level: 'LOW' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/a.mp4' }, videoMetadata: { fps: 1 } },
        { inlineData: { mimeType: 'image/png', data: PNG, displayName: 'a.png' } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'sig==' },
        { text: 'I will.' },
        { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } }, thoughtSignature: 'sig==' },
        { functionCall: { name: 'rows', args: { n: 1 } } },
        { functionCall: { name: 'shot' } },
        { functionCall: { name: 'rows', args: { n: 2 } } },
        { functionCall: { id: 'c5', name: 'run', args: {}, willContinue: false } },
        { functionCall: { id: 'c6', name: 'mcp', args: {} } },
        { executableCode: { code: 'print(1)', language: 'PYTHON' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'read', response: { output: LONG } } },
        { functionResponse: { name: 'rows', response: { rows: [1, null] } } },
        {
          functionResponse: {
            name: 'shot',
            response: { result: 'see' },
            parts: [
              { inlineData: { mimeType: 'image/png', data: PNG } },
              { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/b.png' } },
            ],
          },
        },
        { functionResponse: { name: 'rows', response: { output: [1, 2] }, willContinue: false } },
        { functionResponse: { id: 'c5', name: 'run', response: { error: 'success' } } },
        { functionResponse: { id: 'c6', name: 'mcp', response: { error: { content: [], isError: true } } } },
        { text: 'and now?' },
      ],
    },
    { role: 'model', parts: [{ text: 'done' }] },
    { parts: [{ text: 'thanks' }] },
  ],
  langchain: [
    { type: 'system', data: { content: 'Be careful.', additional_kwargs: {}, response_metadata: {} } },
    {
      type: 'human',
      data: {
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'audio', data: 'AA' },
        ],
        id: 'h1',
      },
    },
    {
      type: 'ai',
      data: {
        content: '',
        tool_calls: [
          { name: 'read', args: { path: 'a' }, id: 'c1', type: 'tool_call' },
          { name: 'run', args: {}, id: 'c2', type: 'tool_call' },
        ],
        invalid_tool_calls: [],
        usage_metadata: { input_tokens: 3 },
      },
    },
    {
      type: 'tool',
      data: { content: LONG, tool_call_id: 'c1', name: 'read', id: 't1', artifact: { big: [1] } },
    },
    { type: 'tool', data: { content: [{ type: 'text', text: 'no' }], tool_call_id: 'c2', status: 'error' } },
    { type: 'ai', data: { content: 'done', tool_calls: [], id: 'a2' } },
  ],
  ai_model: [
    { role: 'system', content: 'Be careful.', providerOptions: { anthropic: { cacheControl: 1 } } },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', image: PNG, mediaType: 'image/png' },
        { type: 'file', data: PNG, mediaType: 'application/pdf', filename: 'a.pdf' },
        { type: 'image', image: 'https://example.org/a.png' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: { x: 1 } },
        { type: 'text', text: 'I will.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'rows', input: {} },
        { type: 'tool-call', toolCallId: 'c3', toolName: 'shot', input: {}, providerExecuted: false },
        { type: 'tool-call', toolCallId: 'c4', toolName: 'run', input: null },
        { type: 'tool-call', toolCallId: 'c5', toolName: 'run', input: {} },
        { type: 'tool-call', toolCallId: 'c6', toolName: 'run', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'text', value: LONG } },
        {
          type: 'tool-result',
          toolCallId: 'c2',
          toolName: 'rows',
          output: { type: 'json', value: { type: 'x', rows: [1, null] } },
        },
        {
          type: 'tool-result',
          toolCallId: 'c3',
          toolName: 'shot',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'see' },
              { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
              { type: 'file-url', url: 'https://example.org/b.png' },
            ],
          },
        },
        {
          type: 'tool-result',
          toolCallId: 'c4',
          toolName: 'run',
          output: { type: 'error-text', value: 'success' },
        },
        {
          type: 'tool-result',
          toolCallId: 'c5',
          toolName: 'run',
          output: { type: 'error-json', value: { ok: true } },
          providerOptions: { p: 1 },
        },
        {
          type: 'tool-result',
          toolCallId: 'c6',
          toolName: 'run',
          output: { type: 'execution-denied', reason: 'no' },
        },
      ],
      providerOptions: { q: 1 },
    },
    { role: 'assistant', content: 'done' },
  ],
  ai_ui: [
    {
      id: 'u1',
      role: 'user',
      metadata: { at: 1 },
      parts: [
        { type: 'text', text: 'look' },
        { type: 'file', url: `data:image/png;base64,${PNG}`, mediaType: 'image/png', filename: 'a.png' },
      ],
    },
    {
      id: 'a1',
      role: 'assistant',
      metadata: { model: 'm' },
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm', state: 'done' },
        {
          type: 'tool-read',
          toolCallId: 'c1',
          state: 'output-available',
          input: { path: 'a' },
          output: LONG,
        },
        {
          type: 'tool-rows',
          toolCallId: 'c2',
          state: 'output-available',
          input: {},
          output: { rows: [1, 2] },
          preliminary: false,
        },
        {
          type: 'dynamic-tool',
          toolName: 'mcp__x',
          toolCallId: 'c3',
          state: 'output-error',
          input: {},
          errorText: 'success: true',
        },
        { type: 'step-start' },
        { type: 'text', text: 'done', state: 'done' },
        { type: 'data-weather', id: 'w', data: { t: 3 } },
        { type: 'tool-run', toolCallId: 'c4', state: 'input-available', input: { a: 1 } },
      ],
    },
  ],
};
