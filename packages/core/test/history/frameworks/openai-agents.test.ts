// Items that OpenAI Agents types, keeps in its sessions and sends: in and out again.
import type { AgentInputItem } from '@openai/agents';
import { protocol } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { writeAs } from '../../../src/history/index.ts';
import type { Agent } from '../../../src/index.ts';
import { linesOf, openHistory } from '../opened.ts';

const PDF = Buffer.from(Uint8Array.from({ length: 900 }, (_, i) => i % 251)).toString('base64');
const PNG = `data:image/png;base64,${PDF}`;
const LONG = linesOf(60_000);

const ITEMS: AgentInputItem[] = [
  { role: 'system', content: 'Be careful.' },
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image: PNG, detail: 'auto' },
      { type: 'input_file', file: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' },
      { type: 'audio', audio: PDF, format: 'wav' },
    ],
  },
  { type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: PDF } },
  { type: 'function_call', id: 'fc_1', callId: 'c1', name: 'read', arguments: '{"n": 1.0}' },
  { type: 'shell_call', callId: 'c2', action: { commands: ['make', 'make test'] }, status: 'completed' },
  {
    type: 'apply_patch_call',
    callId: 'c3',
    status: 'completed',
    operation: { type: 'delete_file', path: 'a.ts' },
  },
  { type: 'computer_call', id: 'cc_1', callId: 'c4', action: { type: 'screenshot' }, status: 'completed' },
  { type: 'program', callId: 'c5', code: 'print(1)', fingerprint: 'f' },
  { type: 'tool_search_call', callId: 'c6', arguments: {}, execution: 'client' },
  {
    type: 'function_call_result',
    callId: 'c1',
    name: 'read',
    status: 'completed',
    output: { type: 'text', text: LONG },
  },
  {
    type: 'shell_call_output',
    callId: 'c2',
    maxOutputLength: 100,
    output: [
      { stdout: LONG, stderr: '', outcome: { type: 'exit', exitCode: 0 } },
      { stdout: 'out', stderr: 'err', outcome: { type: 'timeout' } },
    ],
  },
  { type: 'apply_patch_call_output', callId: 'c3', status: 'failed', output: 'no such file' },
  { type: 'computer_call_result', callId: 'c4', output: { type: 'computer_screenshot', data: PNG } },
  { type: 'program_output', callId: 'c5', status: 'completed', output: LONG },
  { type: 'tool_search_output', callId: 'c6', tools: [{ name: 'x' }] },
  {
    type: 'hosted_tool_call',
    id: 'mcp_1',
    name: 'mcp_call',
    status: 'completed',
    output: LONG,
    providerData: { server_label: 's' },
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'done' },
      { type: 'refusal', refusal: 'No.' },
    ],
  },
];

/** Compiled, never run: a request is what the library takes. */
export async function requestIsTyped(agent: Agent<'openai_agents'>): Promise<AgentInputItem[]> {
  return (await agent.request({ window: 1 })).body.input;
}

describe('items of OpenAI Agents', () => {
  it('come out as they were: every tool is a call with its output, also those that the provider runs', async () => {
    const { session } = openHistory();
    const imported = await session.import('openai_agents', ITEMS);
    expect(imported).toMatchObject({ results: 6, losses: [] });
    const { messages, losses } = await session.export('openai_agents');
    expect(messages).toEqual(ITEMS);
    expect(losses).toEqual([]);
    expect(await session.report()).toMatchObject({ calls: 6, results: 6, missing: 0, orphans: 0 });
    for await (const message of session.messages())
      expect(JSON.stringify(message.parts[1] ?? '')).not.toContain(PDF);
  });

  it('that are sent are bounded, and the library takes every one of them', async () => {
    const { session } = openHistory();
    await session.import('openai_agents', ITEMS);
    const calls = [{ type: 'function_call', callId: 'n1', name: 'read', arguments: '{}' }];
    await session.import('openai_agents', calls, { given: 'more' });
    const given = { callId: 'n1', tool: 'read', outcome: { status: 'cancelled' } } as const;
    await session.result(given, { kind: 'text', text: 'half' });
    const prepared = await session.prepare({ window: 60_000 });
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const { messages } = writeAs('openai_agents', prepared.messages);
    const text = JSON.stringify(messages);
    expect(text).not.toContain(LONG.slice(0, 30_000));
    for (const item of messages) expect(protocol.ModelItem.safeParse(item).error).toBeUndefined();
    const hosted = messages.find(({ type }) => type === 'hosted_tool_call');
    expect(hosted).toMatchObject({ id: 'mcp_1', output: expect.stringContaining('[Artifact: art_') });
    expect(messages.at(-1)).toEqual({
      type: 'function_call_result',
      callId: 'n1',
      name: 'read',
      status: 'incomplete',
      output: { type: 'text', text: '[Cancelled. Output incomplete.]\nhalf' },
    });
  });
});
