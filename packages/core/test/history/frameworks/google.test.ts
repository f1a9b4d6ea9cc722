// Contents that Google's own client types, sends and returns: in and out again, and over the wire,
// with the ids of calls and without them.
import { type Content, createPartFromFunctionResponse, GoogleGenAI, type Part } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { memoryStore, openAgent } from '../../../src/index.ts';
import { linesOf, openHistory } from '../opened.ts';
import { geminiRefuses } from '../provider-rules.ts';
import { listening } from './listening.ts';

const PNG = Buffer.from(Uint8Array.from({ length: 900 }, (_, i) => i % 251)).toString('base64');
const LONG = linesOf(60_000);

const ASKED: Content[] = [
  {
    role: 'user',
    parts: [
      { text: 'look' },
      { inlineData: { mimeType: 'image/png', data: PNG } },
      { inlineData: { mimeType: 'application/pdf', data: PNG, displayName: 'a.pdf' } },
      { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.org/a.mp4' } },
    ],
  },
];

/** An older model: its calls have no ids, and two of them ask the same. */
const ANSWER = {
  candidates: [
    {
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'I look.' },
          { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: PNG },
          { functionCall: { name: 'shot', args: {} } },
          { functionCall: { name: 'read', args: { path: 'a' } } },
        ],
      },
    },
  ],
};

const RETURNED: Content = {
  role: 'user',
  parts: [
    { functionResponse: { name: 'read', response: { output: LONG } } },
    createPartFromFunctionResponse('', 'shot', { output: 'see' }, [
      { inlineData: { mimeType: 'image/png', data: PNG } },
    ]),
    { functionResponse: { name: 'read', response: { error: 'success' } } },
  ],
};
// The client writes an empty id where there is none.
if (RETURNED.parts?.[1]?.functionResponse) delete RETURNED.parts[1].functionResponse.id;

function clientOf(url: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
}

/** What a request held, as the server got it. */
function sentTo({ bodies }: { readonly bodies: readonly string[] }): Content[] {
  return (JSON.parse(bodies.at(-1) ?? '') as { contents: Content[] }).contents;
}

describe('contents', () => {
  it('come out as the client had them, files are not carried in messages', async () => {
    const server = await listening(ANSWER);
    const answer = await clientOf(server.url).models.generateContent({ model: 'm', contents: ASKED });
    const content = answer.candidates?.[0]?.content as Content;
    const all = [...ASKED, content, RETURNED];
    const { session } = openHistory();
    expect(await session.import('google', all)).toMatchObject({ results: 3, losses: [] });
    expect(await session.export('google')).toEqual({ messages: all, losses: [] });
    const recorded = [];
    for await (const { parts } of session.messages()) recorded.push(...parts);
    expect(JSON.stringify(recorded.slice(0, 4))).not.toContain(PNG);
    expect(await session.report()).toMatchObject({ calls: 3, results: 3, missing: 0, orphans: 0 });
  });

  it('are sent bounded, typed as the client wants them, the same again in the next request', async () => {
    const server = await listening(ANSWER);
    const client = clientOf(server.url);
    await using agent = await openAgent({ session: 's', store: memoryStore(), shape: 'google' });
    await agent.say({ role: 'system', parts: [{ type: 'text', text: 'Be careful.' }] });
    agent.tool(() => LONG, { name: 'read' });
    agent.tool(() => Promise.reject(new Error('no camera')), { name: 'shot' });
    const sent: string[][] = [];
    for (let turn = 0; turn < 3; turn++) {
      await agent.say(`look ${turn}`);
      const { body, losses } = await agent.request({ window: 60_000 });
      expect(losses).toEqual([]);
      const config = { ...body.config, tools: [{ functionDeclarations: [agent.definition] }] };
      const answer = await client.models.generateContent({ model: 'm', ...body, config });
      const received = sentTo(server);
      expect(geminiRefuses(received as readonly object[] as readonly Record<string, unknown>[])).toEqual([]);
      sent.push(received.map((content) => JSON.stringify(content)));
      await agent.run((await agent.take(answer)).calls);
    }
    const [first = [], second = [], third = []] = sent;
    expect(second.slice(0, first.length)).toEqual(first);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(JSON.stringify(third).length).toBeLessThan(60_000);
    const body = JSON.parse(server.bodies.at(-1) ?? '');
    expect(body.systemInstruction).toMatchObject({ parts: [{ text: 'Be careful.' }] });
    const results = sentTo(server)[2]?.parts as Part[];
    expect(results.map(({ functionResponse }) => Object.keys(functionResponse?.response ?? {}))).toEqual([
      ['output'],
      ['error'],
      ['output'],
    ]);
    expect(results.every(({ functionResponse }) => functionResponse?.id === undefined)).toBe(true);
  });
});
