// Messages and items that OpenAI's own client types, sends and returns: in and out again, and over
// the wire.
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { writeAs } from '../../../src/history/index.ts';
import { linesOf, openHistory } from '../opened.ts';
import { listening } from './listening.ts';

const PDF = Buffer.from(Uint8Array.from({ length: 900 }, (_, i) => i % 251)).toString('base64');
const PNG = `data:image/png;base64,${PDF}`;
const LONG = linesOf(60_000);

/** What the client makes of an answer: a choice with a call and a refusal that is null. */
const CHOICE: ChatCompletion.Choice = {
  index: 0,
  finish_reason: 'tool_calls',
  logprobs: null,
  message: {
    role: 'assistant',
    content: null,
    refusal: null,
    annotations: [],
    tool_calls: ['read', 'list'].map((name) => ({
      id: `call_${name}`,
      type: 'function' as const,
      function: { name, arguments: `{"of": "${name}", "n": 12345678901234567890}` },
    })),
  },
};

const CHAT: ChatCompletionMessageParam[] = [
  { role: 'developer', content: 'Be careful.' },
  {
    role: 'user',
    name: 'ann',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: PNG, detail: 'high' } },
      { type: 'input_audio', input_audio: { data: PDF, format: 'wav' } },
      { type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'That I cannot say.' },
      { type: 'refusal', refusal: 'No.' },
    ],
    audio: { id: 'audio_1' },
  },
  { role: 'assistant', refusal: 'No again.', content: null },
];

describe('chat completions', () => {
  it('come out as the client had them, files are not carried in messages, and the request is what was said', async () => {
    const server = await listening({ id: 'x', object: 'chat.completion', choices: [CHOICE] });
    const client = new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
    const { session } = openHistory();
    await session.import('openai_chat', CHAT);
    const answer = await client.chat.completions.create({ model: 'm', messages: CHAT });
    const { message } = answer.choices[0] as ChatCompletion.Choice;
    const results = ['read', 'list'].map((name) => ({
      role: 'tool' as const,
      tool_call_id: `call_${name}`,
      content:
        name === 'read'
          ? LONG
          : [
              { type: 'text' as const, text: 'a' },
              { type: 'text' as const, text: 'b' },
            ],
    }));
    const all: ChatCompletionMessageParam[] = [...CHAT, message, ...results];
    const imported = await session.import('openai_chat', all);
    expect(imported).toMatchObject({ messages: 3, results: 2, losses: [] });
    const { messages, losses } = await session.export('openai_chat');
    expect(messages).toEqual(all);
    expect(losses).toEqual([]);
    for await (const text of session.messages()) expect(JSON.stringify(text)).not.toContain(PDF);
    const prepared = await session.prepare({ window: 60_000 });
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const sent = writeAs('openai_chat', prepared.messages)
      .messages as unknown as ChatCompletionMessageParam[];
    await client.chat.completions.create({ model: 'm', messages: sent });
    const body = server.bodies.at(-1) ?? '';
    expect(body.length).toBeLessThan(24_000);
    const received = JSON.parse(body).messages as ChatCompletionMessageParam[];
    expect(received.slice(0, 5)).toEqual(all.slice(0, 5));
    expect(received.slice(5).map((one) => (one.role === 'tool' ? one.tool_call_id : one.role))).toEqual([
      'call_read',
      'call_list',
    ]);
  });
});

const ITEMS: ResponseInputItem[] = [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: PNG, detail: 'auto' },
    ],
  },
  {
    role: 'user',
    content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' }],
  },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: PDF },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'c1',
    name: 'read',
    arguments: '{"n": 1.0}',
    status: 'completed',
  },
  { type: 'custom_tool_call', id: 'ct_1', call_id: 'c2', name: 'sql', input: 'select 1' },
  {
    type: 'shell_call',
    call_id: 'c3',
    action: { commands: ['make', 'make test'], timeout_ms: 10 },
    status: 'completed',
  },
  {
    type: 'apply_patch_call',
    call_id: 'c4',
    status: 'completed',
    operation: { type: 'delete_file', path: 'a.ts' },
  },
  {
    type: 'computer_call',
    id: 'cc_1',
    call_id: 'c5',
    action: { type: 'screenshot' },
    pending_safety_checks: [],
    status: 'completed',
  },
  {
    type: 'local_shell_call',
    id: 'ls_1',
    call_id: 'c6',
    action: { type: 'exec', command: ['ls'], env: {} },
    status: 'completed',
  },
  { type: 'function_call_output', call_id: 'c1', output: LONG },
  { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: LONG }] },
  {
    type: 'shell_call_output',
    call_id: 'c3',
    max_output_length: 100,
    output: [
      { stdout: LONG, stderr: '', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: 'out', stderr: 'err', outcome: { type: 'timeout' } },
    ],
  },
  { type: 'apply_patch_call_output', call_id: 'c4', status: 'failed', output: 'no such file' },
  { type: 'computer_call_output', call_id: 'c5', output: { type: 'computer_screenshot', image_url: PNG } },
  { type: 'local_shell_call_output', id: 'c6', output: 'a.ts' },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'done', annotations: [] },
      { type: 'refusal', refusal: 'No.' },
    ],
  },
  {
    type: 'mcp_call',
    id: 'mcp_1',
    name: 'x',
    arguments: '{}',
    server_label: 's',
    output: 'kept by the provider',
  },
];

describe('responses', () => {
  it('come out as the client had them: every tool of the API is a call with its output', async () => {
    const { session } = openHistory();
    const imported = await session.import('openai_responses', ITEMS);
    expect(imported).toMatchObject({ results: 6, losses: [] });
    const { messages, losses } = await session.export('openai_responses');
    expect(messages).toEqual(ITEMS);
    expect(losses).toEqual([]);
    expect(await session.report()).toMatchObject({ calls: 6, results: 6, missing: 0, orphans: 0 });
  });

  it('that are sent are bounded, and each output has the type that its call asks for', async () => {
    const answer = { id: 'resp_1', object: 'response', output: [] } as unknown as Response;
    const server = await listening(answer);
    const client = new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
    const { session } = openHistory();
    await session.import(
      'openai_responses',
      ITEMS.filter((item) => !String(item.type).endsWith('_output')),
    );
    for (const [i, tool] of ['read', 'sql', 'shell', 'apply_patch', 'computer', 'local_shell'].entries())
      if (i < 4) await session.result({ callId: `c${i + 1}`, tool }, { kind: 'text', text: LONG });
    const prepared = await session.prepare({ window: 60_000 });
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const { messages, losses } = writeAs('openai_responses', prepared.messages);
    await client.responses.create({ model: 'm', input: messages as unknown as ResponseInputItem[] });
    const body = server.bodies.at(-1) ?? '';
    expect(body.length).toBeLessThan(60_000);
    const outputs = (JSON.parse(body).input as ResponseInputItem[]).filter((item) =>
      String(item.type).endsWith('_output'),
    );
    expect(outputs).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: expect.stringContaining('[Artifact: art_') },
      { type: 'custom_tool_call_output', call_id: 'c2', output: expect.stringContaining('[Artifact: art_') },
      {
        type: 'shell_call_output',
        call_id: 'c3',
        output: [
          { stdout: expect.stringContaining('art_'), stderr: '', outcome: { type: 'exit', exit_code: 0 } },
        ],
      },
      {
        type: 'apply_patch_call_output',
        call_id: 'c4',
        status: 'completed',
        output: expect.stringContaining('art_'),
      },
      { type: 'computer_call_output', call_id: 'c5', output: { type: 'computer_screenshot' } },
      {
        type: 'local_shell_call_output',
        id: 'c6',
        output: expect.stringContaining('No result was recorded'),
      },
    ]);
    expect(losses.map(({ what }) => what)).toEqual([
      'that the call c5 ended with error',
      'the text of the result of c5: only a picture has a place',
      'that the call c6 ended with error',
    ]);
  });
});
