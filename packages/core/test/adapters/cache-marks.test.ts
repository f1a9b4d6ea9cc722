// Marks for a provider's cache, on the wire: at most four in a request, at the end of what stays the
// same, and never kept with a message.
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage, HumanMessage } from 'langchain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spillway } from '../../src/adapters/anthropic.ts';
import { projectMessages } from '../../src/adapters/messages.ts';
import { memoryStore, openAgent } from '../../src/index.ts';
import { type Body, say, startClaude, use } from './programs/fake-claude.mjs';

type Param = { role: 'user' | 'assistant'; content: string | readonly object[] };

const MARK = { cache_control: { type: 'ephemeral' } };
const marked = (text: string) => ({ type: 'text', text, ...MARK });
const session = (name: string) => openAgent({ session: name, store: memoryStore() });

/** Paths of the marks in a request: `system`, `messages.3.0` … */
function marksIn(value: unknown, path: readonly (string | number)[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'cache_control' in value || 'cacheControl' in value ? [path.join('.')] : [];
  return [...own, ...Object.entries(value).flatMap(([name, inner]) => marksIn(inner, [...path, name]))];
}

/** A loop by hand: forty turns, each with a call of which the result is long. */
async function play(
  options: { window: number; cache?: 'anthropic' },
  mark: (messages: readonly Param[]) => readonly Param[],
  system: string | readonly object[] = 'You build.',
): Promise<readonly Body[]> {
  const claude = await startClaude((_, n) =>
    n % 2 === 0 ? [use(`toolu_${n}`)] : [say(`Turn ${n} is done.`)],
  );
  onTestFinished(() => claude.close());
  const client = new Anthropic({ apiKey: 'none', baseURL: claude.url });
  const build = {
    name: 'build',
    description: 'Builds.',
    input_schema: { type: 'object' as const },
    parse: (input: unknown) => input,
    run: async () => 'line of a log\n'.repeat(300),
  };
  const layer = spillway(await session('wire'), { ...options, tools: [build] });
  let messages: Param[] = [];
  for (let turn = 0; turn < 40; turn++) {
    messages.push({ role: 'user', content: [{ type: 'text', text: `Do step ${turn}.` }] });
    for (;;) {
      const request = await layer.request({
        model: 'fake',
        max_tokens: 100,
        system: system as never,
        messages: mark(messages) as never,
      });
      const reply = await client.messages.create(
        request as never as Anthropic.MessageCreateParamsNonStreaming,
      );
      messages = [...messages, { role: 'assistant', content: reply.content as never }];
      const results = await layer.answer(reply as never);
      if (results === null) break;
      messages.push(results as never);
    }
  }
  return claude.bodies;
}

/** As hosts do it: the mark moves to the end of the conversation. */
function onLast(messages: readonly Param[]): readonly Param[] {
  const last = messages.at(-1) as Param;
  const blocks = last.content as readonly object[];
  return [
    ...messages.slice(0, -1),
    { ...last, content: [...blocks.slice(0, -1), { ...blocks.at(-1), ...MARK }] },
  ];
}

describe('on the wire', () => {
  it.each([
    ['of a host that marks the last message', { window: 8_000 }, onLast, [marked('You build.')]],
    ['of our own', { window: 8_000, cache: 'anthropic' as const }, (all: readonly Param[]) => all, undefined],
  ])(
    'marks %s stand at the end of each request, where the last one ended, and on what never changes',
    async (_, options, mark, system) => {
      const bodies = await play(options, mark, system);
      expect(bodies.length).toBe(80);
      for (const [n, body] of bodies.entries()) {
        const marks = marksIn(body);
        expect(marks.length).toBeLessThanOrEqual(4);
        expect(marks).toContain('system.0');
        expect(marks.at(-1)).toMatch(`messages.${body.messages.length - 1}.content.`);
        const before = bodies[n - 1]?.messages ?? [];
        const isRepeated = before.every((message, i) => bare(message) === bare(body.messages[i]));
        if (n > 0 && isRepeated)
          expect(marks.some((path) => path.startsWith(`messages.${before.length - 1}.`))).toBe(true);
      }
    },
  );
});

it('sends at most four where a host marks every message, those of instructions counted', async () => {
  const agent = await session('many');
  const layer = spillway(agent, { window: 50_000 });
  const messages = Array.from({ length: 7 }, (_, i) => ({
    role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: [marked(`Part ${i}.`)],
  }));
  const request = await layer.request({
    model: 'fake',
    max_tokens: 10,
    system: [marked('Be kind.')],
    messages,
  } as never);
  expect(marksIn(request).sort()).toEqual(['messages.4.content.0', 'messages.6.content.0', 'system.0']);
});

it('marks the block of a result, also where the mark stood inside it', async () => {
  const agent = await session('inside');
  const call = { role: 'assistant', content: [use('toolu_1')] };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [marked('x'.repeat(20_000))] };
  const sent = await projectMessages(
    agent,
    [{ role: 'user', content: 'Go.' }, call, { role: 'user', content: [result] }],
    {
      shape: 'anthropic',
      window: 50_000,
    },
  );
  expect(marksIn(sent)).toEqual(['0.content.0', '2.content.0']);
});

it('puts them into the messages of LangChain and of the AI SDK as those want them', async () => {
  const chain = await projectMessages(
    await session('chain'),
    [new HumanMessage('One.'), new AIMessage('Two.'), new HumanMessage('Three.')],
    { shape: 'langchain', window: 10_000, cache: 'anthropic' },
  );
  expect(marksIn(chain)).toEqual(['0.data.content.0', '2.data.content.0']);
  const sdk = await projectMessages(
    await session('sdk'),
    [
      { role: 'user', content: 'One.' },
      {
        role: 'assistant',
        content: 'Two.',
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      { role: 'user', content: 'Three.' },
    ],
    { shape: 'ai_model', window: 10_000, cache: 'anthropic' },
  );
  expect(marksIn(sdk)).toEqual(['0.providerOptions.anthropic', '2.providerOptions.anthropic']);
});

it('says which shapes can be marked', async () => {
  const agent = await session('google');
  await agent.say('Go.');
  await expect(agent.request({ window: 10_000, shape: 'google', cache: 'anthropic' })).rejects.toThrow(
    "`cache: 'anthropic'` goes with the shapes anthropic, openai_chat, langchain, ai_model: leave it out for google.",
  );
});

function bare(message: unknown): string {
  return JSON.stringify(message, (name, value) => (name === 'cache_control' ? undefined : value));
}
