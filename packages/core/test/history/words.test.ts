// Words that a framework does not have: a mistake is refused with the right word, anything else is
// kept, bounded and told.
import { type History, type ShapeName, writeAs } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import { linesOf, NAME, openHistory } from './opened.ts';
import { anthropicRefuses, openaiRefuses } from './provider-rules.ts';

const LONG = linesOf(300_000);

/** Misspelt messages, and the word that the error gives. */
const MISSPELT: readonly (readonly [ShapeName, unknown, string, string])[] = [
  ['anthropic', { role: 'asistant', content: 'a' }, 'messages[0].role', 'assistant'],
  ['anthropic', { role: 'user', contnet: LONG }, 'messages[0].contnet', 'content'],
  [
    'anthropic',
    { role: 'user', content: [{ type: 'tool_reslt', tool_use_id: 'a', content: LONG }] },
    'messages[0].content[0].type',
    'tool_result',
  ],
  [
    'anthropic',
    { role: 'user', content: [{ type: 'tool_result', tool_use_ID: 'a', content: LONG }] },
    'messages[0].content[0].tool_use_ID',
    'tool_use_id',
  ],
  ['google', { role: 'modle', parts: [] }, 'messages[0].role', 'model'],
  [
    'google',
    { role: 'user', parts: [{ functionRespones: { name: 't', response: { output: LONG } } }] },
    'messages[0].parts[0].functionRespones',
    'functionResponse',
  ],
  [
    'google',
    { role: 'user', parts: [{ functionResponse: { name: 't', reponse: { output: LONG } } }] },
    'messages[0].parts[0].functionResponse.reponse',
    'response',
  ],
  ['openai_chat', { role: 'Tool', tool_call_id: 'a', content: LONG }, 'messages[0].role', 'tool'],
  [
    'openai_chat',
    { role: 'tool', tool_callid: 'a', content: LONG },
    'messages[0].tool_callid',
    'tool_call_id',
  ],
  ['openai_chat', { role: 'assistant', tool_cals: [] }, 'messages[0].tool_cals', 'tool_calls'],
  [
    'openai_responses',
    { type: 'function_call_ouput', call_id: 'a', output: LONG },
    'messages[0].type',
    'function_call_output',
  ],
  [
    'openai_responses',
    { type: 'function_call_output', callid: 'a', output: LONG },
    'messages[0].callid',
    'call_id',
  ],
  [
    'openai_agents',
    { type: 'function_call_reslt', callId: 'a', output: LONG },
    'messages[0].type',
    'function_call_result',
  ],
  [
    'openai_agents',
    { type: 'function_call_result', callid: 'a', output: LONG },
    'messages[0].callid',
    'callId',
  ],
  [
    'ai_model',
    {
      role: 'tool',
      content: [
        { type: 'tool-resutl', toolCallId: 'a', toolName: 't', output: { type: 'text', value: LONG } },
      ],
    },
    'messages[0].content[0].type',
    'tool-result',
  ],
  [
    'ai_model',
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallID: 'a', toolName: 't', output: { type: 'text', value: LONG } },
      ],
    },
    'messages[0].content[0].toolCallID',
    'toolCallId',
  ],
  ['ai_ui', { id: '1', role: 'user', part: [{ type: 'text', text: LONG }] }, 'messages[0].part', 'parts'],
  [
    'ai_ui',
    { id: '1', role: 'assistant', parts: [{ type: 'tool-read', toolcallid: 'a', output: LONG }] },
    'parts[0].toolcallid',
    'toolCallId',
  ],
  [
    'openai_chat',
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 't', argumnets: LONG } }],
    },
    'messages[0].tool_calls[0].function.argumnets',
    'arguments',
  ],
  [
    'ai_model',
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'txt', value: LONG } },
      ],
    },
    'content[0].output.type',
    'text',
  ],
  [
    'ai_model',
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'text', vlaue: LONG } },
      ],
    },
    'content[0].output.vlaue',
    'value',
  ],
  [
    'ai_ui',
    { id: '1', role: 'assistant', parts: [{ type: 'tool-read', toolCallId: 'a', outptu: LONG }] },
    'parts[0].outptu',
    'output',
  ],
  [
    'langchain',
    { type: 'ai', data: { content: '', tool_calls: [{ id: 'a', name: 't', arsg: { LONG } }] } },
    'tool_calls[0].arsg',
    'args',
  ],
  ['langchain', { type: 'hunan', data: { content: LONG } }, 'messages[0].type', 'human'],
  [
    'langchain',
    { type: 'tool', data: { content: LONG, tool_call_Id: 'a' } },
    'messages[0].tool_call_Id',
    'tool_call_id',
  ],
];

/** A part of a type that nobody has, in every framework. */
const UNKNOWN: readonly (readonly [ShapeName, (part: object) => unknown])[] = [
  ['anthropic', (part) => ({ role: 'user', content: [part] })],
  ['openai_chat', (part) => ({ role: 'user', content: [part] })],
  ['openai_responses', (part) => ({ type: 'message', role: 'user', content: [part] })],
  ['openai_responses', (part) => part],
  ['openai_agents', (part) => ({ type: 'message', role: 'user', content: [part] })],
  ['openai_agents', (part) => part],
  ['ai_model', (part) => ({ role: 'user', content: [part] })],
  ['ai_ui', (part) => ({ id: 'u', role: 'user', parts: [part] })],
  ['langchain', (part) => ({ type: 'human', data: { content: [part] } })],
  ['google', (part) => ({ role: 'user', parts: [part] })],
];

async function sent(session: ReturnType<History['session']>, shape: ShapeName) {
  const prepared = await session.prepare();
  if (prepared.verdict === 'refused') throw new Error('refused');
  return writeAs(shape, prepared.messages).messages;
}

describe('a word that is misspelt', () => {
  it.each(MISSPELT)(
    'in %s is refused with the right one, and nothing is stored: %#',
    async (shape, message, path, word) => {
      const { session, store } = openHistory();
      const error = await session.import(shape, [message]).then(
        () => null,
        (thrown: Error) => thrown,
      );
      expect(error).toMatchObject({ name: 'SpillwayError', code: 'invalid_argument' });
      expect(error?.message).toContain(path);
      expect(error?.message).toContain(`Did you mean ${word}?`);
      expect(error?.message.length).toBeLessThan(300);
      expect((await store.messages(NAME)).items).toEqual([]);
    },
  );

  it('is not seen where a message of another framework is given: that is said', async () => {
    const { session } = openHistory();
    await expect(session.import('ai_ui', [{ id: '1', role: 'user', content: 'a' }])).rejects.toThrow(
      'another shape',
    );
    await expect(session.import('anthropic', [{ role: 'model', parts: [] }])).rejects.toThrow(
      'must be one of',
    );
    const result = { type: 'tool-result', toolCallId: 'a', toolName: 't' };
    for (const part of [result, { ...result, result: LONG }, { ...result, output: LONG }])
      await expect(session.import('ai_model', [{ role: 'tool', content: [part] }])).rejects.toThrow(
        'output` must be an object',
      );
    await expect(session.import('openai_chat', [{ role: 'tool', tool_call_id: 'a' }])).rejects.toThrow(
      'missing',
    );
    await expect(session.import('openai_chat', [{ role: 'user', content: ['a'] }])).rejects.toThrow(
      'list of objects',
    );
  });
});

describe('a type that is not known', () => {
  it.each(UNKNOWN)('is given back to %s while it is small, and told: %#', async (shape, around) => {
    const { session } = openHistory();
    const given = [around({ type: 'hologram', beam: 'blue' })];
    const { losses } = await session.import(shape, given);
    expect(losses).toEqual([
      {
        message: '0',
        what: 'a part of a type that is not known: kept, and given back to this framework only',
      },
    ]);
    expect((await session.export(shape)).messages).toEqual(given);
  });

  it.each(UNKNOWN)(
    'is stored whole and shown by its handle in %s where it is long: %#',
    async (shape, around) => {
      const { session, store, spillway } = openHistory();
      const part = { type: 'hologram', beam: LONG };
      const { losses } = await session.import(shape, [around(part)]);
      expect(losses).toHaveLength(1);
      const text = JSON.stringify(await sent(session, shape));
      expect(text.length).toBeLessThan(1_000);
      const id = /\[A part of this message has a type that is not known\. It is stored as (art_\w+)\.\]/.exec(
        text,
      )?.[1];
      const chunks: Uint8Array[] = [];
      for await (const bytes of await spillway.readRaw({ artifact_id: id }, NAME.scope)) chunks.push(bytes);
      expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(part);
      // The same again adds nothing.
      await session.import(shape, [around(part)]);
      expect((await store.messages(NAME)).items).toHaveLength(1);
    },
  );
});

describe('a call without an id', () => {
  it('gets one, its results follow in order, and the same conversation again adds nothing', async () => {
    const { session, store } = openHistory();
    const call = (name: string, given: string) => ({
      type: 'function',
      function: { name, arguments: given },
    });
    const conversation = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        tool_calls: [call('read', '{"a":1}'), call('read', '{"a":2}'), call('write', '{}')],
      },
      { role: 'tool', content: 'first' },
      { role: 'tool', content: 'second' },
      { role: 'tool', content: 'third', name: 'write' },
      { role: 'assistant', tool_calls: [call('read', '{"a":1}')] },
      { role: 'tool', content: 'fourth' },
    ];
    const { losses } = await session.import('openai_chat', conversation);
    expect(losses.map(({ what }) => what)).toContain('that a call had no id: it was given one');
    const openai = await sent(session, 'openai_chat');
    expect(openaiRefuses(openai)).toEqual([]);
    expect(anthropicRefuses(await sent(session, 'anthropic'))).toEqual([]);
    const answers = openai.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(answers).toEqual(['first', 'second', 'third', 'fourth']);
    const { items } = await store.messages(NAME);
    await session.import('openai_chat', [...conversation, { role: 'user', content: 'more' }]);
    expect((await store.messages(NAME)).items).toHaveLength(items.length + 1);
  });
});

describe('what is no message', () => {
  it.each([
    ['openai_chat', { error: { message: 'rate limit' } }],
    ['openai_chat', { content: 'a' }],
    ['google', { error: { code: 429 } }],
  ] as const)('in %s is refused, and nothing is stored: %j', async (shape, message) => {
    const { session, store } = openHistory();
    await expect(session.import(shape, [message])).rejects.toThrow('Nothing was stored.');
    expect((await store.messages(NAME)).items).toEqual([]);
  });
});
