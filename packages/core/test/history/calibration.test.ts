// Requests are counted as the model counts them: only what is sent, and corrected by the usage that
// a provider reports. The provider here speaks the chat format and counts with real tokenizers.
import { readdirSync, readFileSync } from 'node:fs';
import { memoryStore, openAgent } from '@spillway/core';
import { getEncoding } from 'js-tiktoken';
import { AIMessage, HumanMessage } from 'langchain';
import { describe, expect, it } from 'vitest';

const folder = (path: string) => new URL(`../../../../${path}/`, import.meta.url);
const read = (path: string, end: string) =>
  readdirSync(folder(path))
    .filter((name) => name.endsWith(end))
    .map((name) => readFileSync(new URL(name, folder(path)), 'utf8'));

/** Names of regions and currencies: real words of a language that no file of ours holds. */
function wordsOf(language: string): string {
  const regions = new Intl.DisplayNames([language], { type: 'region' });
  const pairs = Array.from({ length: 26 * 26 }, (_, i) =>
    String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26)),
  );
  return pairs.flatMap((code) => (/^(?:X|Z|Q)/.test(code) ? [] : (regions.of(code) ?? []))).join(', ');
}

const TEXTS = {
  prose: read('docs', '.md'),
  source: read('packages/core/src/text', '.ts'),
  Russian: Array.from({ length: 8 }, (_, i) => wordsOf('ru').slice(i * 400, i * 400 + 2_000)),
};

/** What a provider reads besides: its own prompt, the tool, marks around each message. */
const FIXED = 430;
const A_MESSAGE = 4;

interface ChatBody {
  readonly messages: readonly { readonly content: unknown; readonly tool_calls?: readonly unknown[] }[];
}

function countedBy(encoding: ReturnType<typeof getEncoding>, { messages }: ChatBody): number {
  const texts = messages.map(({ content, tool_calls = [] }) =>
    [
      typeof content === 'string' ? content : JSON.stringify(content),
      ...tool_calls.map((call) => JSON.stringify(call)),
    ].join(''),
  );
  return texts.reduce((sum, text) => sum + encoding.encode(text).length + A_MESSAGE, FIXED);
}

const WINDOW = 12_000;

describe.each(['o200k_base', 'cl100k_base'] as const)('a model that counts by %s', (name) => {
  const encoding = getEncoding(name);

  it.each(Object.keys(TEXTS) as (keyof typeof TEXTS)[])('is followed on %s', async (kind) => {
    const agent = await openAgent({ session: name, store: memoryStore() });
    const errors: number[] = [];
    for (let turn = 0; turn < 24; turn++) {
      const texts = TEXTS[kind];
      const text = (texts[turn % texts.length] ?? '').slice((turn * 97) % 900).slice(0, 2_500);
      await agent.say(`${turn}: ${text}`);
      const { body, numbers } = await agent.request({ window: WINDOW, beside: 300 });
      const read = countedBy(encoding, body as ChatBody);
      expect(read).toBeLessThanOrEqual(WINDOW);
      if (turn > 0) errors.push(Math.abs(numbers.tokens / read - 1));
      const message = { role: 'assistant', content: `Noted ${turn}.` };
      await agent.take({ choices: [{ message }], usage: { prompt_tokens: read } } as never);
    }
    expect(errors.sort((a, b) => a - b)[Math.floor(errors.length / 2)]).toBeLessThan(0.05);
  });
});

describe('a report', () => {
  it('that is too low to be right is ignored, one that is too high counts as far as it is plausible', async () => {
    for (const wrong of [1, 100, 10_000_000, Number.NaN, -5]) {
      const agent = await openAgent({ session: 'wrong', store: memoryStore() });
      await agent.say((TEXTS.prose[0] ?? '').slice(0, 4_000));
      const { numbers: before } = await agent.request({ window: 100_000 });
      agent.usage(wrong);
      const { numbers: after } = await agent.request({ window: 100_000 });
      if (wrong < 10_000_000 || Number.isNaN(wrong)) expect(after.tokens).toBe(before.tokens);
      else expect(after.tokens / before.tokens).toBeLessThan(5);
    }
  });

  it('does not make a window look emptier than it is for something new and large', async () => {
    const agent = await openAgent({ session: 'new', store: memoryStore() });
    await agent.say('word '.repeat(2_000));
    const { numbers } = await agent.request({ window: 10_000 });
    for (let i = 0; i < 5; i++) agent.usage(Math.round(numbers.tokens * 0.6));
    await agent.say('word '.repeat(9_000));
    const made = await agent.request({ window: 10_000 }).catch((error: Error) => error.message);
    const sent = JSON.stringify(made).match(/word/g)?.length ?? 0;
    expect(sent).toBeLessThan(9_000);
  });
});

it('counts an image in a result where it is sent, and not where it is only named', async () => {
  const tokens = async (shape: 'openai_chat' | 'anthropic') => {
    const agent = await openAgent({ session: 'shots', store: memoryStore(), shape });
    const image = { type: 'image', data: 'A'.repeat(400_000), mimeType: 'image/png' } as const;
    await agent.session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', tool: 'shot', input: '{}' }],
    });
    await agent.session.result({ callId: 'c', tool: 'shot' }, { kind: 'blocks', blocks: [image] });
    return (await agent.request({ window: 10_000 })).numbers.tokens;
  };
  expect(await tokens('openai_chat')).toBeLessThan(200);
  expect(await tokens('anthropic')).toBeGreaterThan(1_000);
});

it('counts what LangChain sends, not what it keeps to itself', async () => {
  const kept = {
    model_name: 'model',
    system_fingerprint: 'fp_0123456789',
    usage: { prompt_tokens: 12, extra: 'x'.repeat(400) },
  };
  const reply = new AIMessage({
    id: 'run-019a8c1e-5c1e-7000-8000-0123456789ab',
    content: 'Yes.',
    response_metadata: kept,
    usage_metadata: { input_tokens: 12, output_tokens: 2, total_tokens: 14 },
  } as never);
  const tokens = async (messages: readonly object[]) => {
    const agent = await openAgent({ session: 'chain', store: memoryStore() });
    await agent.take(messages, { shape: 'langchain', given: 'whole' });
    return (await agent.request({ window: 10_000, shape: 'langchain' })).numbers.tokens;
  };
  const plain = await tokens([
    { type: 'human', content: 'Is it so?' },
    { type: 'ai', content: 'Yes.' },
    { type: 'human', content: 'Good.' },
  ]);
  expect(await tokens([new HumanMessage('Is it so?'), reply, new HumanMessage('Good.')])).toBe(plain);
});
