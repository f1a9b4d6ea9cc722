// Messages of every shape with their results bounded where they stand: what is long is replaced,
// the same every time, and everything else is what was given.
import { describe, expect, it } from 'vitest';
import type { ShapeName } from '../../src/history/index.ts';
import { linesOf, NAME, type Opened, openHistory } from './opened.ts';
import { FIXTURES, LONG } from './shape-fixtures.ts';

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const user = { role: 'user', content: 'Build.' };
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const asks = (name: string, ...ids: readonly string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
});

/** What was frozen of every output that was cut. */
async function frozenTexts({ store }: Opened): Promise<readonly string[]> {
  const { items } = await store.list({ ...NAME, show: 'all', limit: 100 });
  const frozen = await Promise.all(items.map(({ id }) => store.frozen(id, 'model')));
  return frozen.flatMap((each) => (each?.projection.metadata.was_truncated ? [each.projection.text] : []));
}

describe.each(Object.keys(FIXTURES) as ShapeName[])('messages of the shape %s', (shape) => {
  const given = FIXTURES[shape];

  it('are given back themselves; where a result is long only its text is another', async () => {
    const opened = openHistory();
    const shown = await opened.session.project(shape, given);
    const texts = await frozenTexts(opened);
    expect(texts.length).toBeGreaterThan(0);
    expect(shown).toHaveLength(given.length);
    for (const [i, message] of given.entries()) {
      const whole = JSON.stringify(message);
      const bounded = texts.map((text) => JSON.parse(whole.replace(inJson(LONG), () => inJson(text))));
      if (!whole.includes(inJson(LONG))) expect(shown[i]).toBe(message);
      else expect(bounded).toContainEqual(JSON.parse(JSON.stringify(shown[i])));
    }
  });

  it('give the same bytes again: the same list, a longer one, and the list that came out', async () => {
    const opened = openHistory();
    const first = JSON.stringify(await opened.session.project(shape, given));
    expect(JSON.stringify(await opened.session.project(shape, given))).toBe(first);
    expect(JSON.stringify(await opened.session.project(shape, JSON.parse(first)))).toBe(first);
    const { items } = await opened.store.list({ ...NAME, show: 'all', limit: 100 });
    expect(new Set(items.map(({ callId }) => callId)).size).toBe(items.length);
    expect((await opened.session.report()).messages).toBe(0);
  });
});

describe('results', () => {
  it('that are new share the room that is left', async () => {
    const { session } = openHistory();
    const ids = ['c0', 'c1', 'c2'];
    const messages = [user, asks('build', ...ids), ...ids.map((id) => result(id, linesOf(60_000, id)))];
    const shown = (await session.project('openai_chat', messages, {
      room: { tokens: 10_000, used: 6_000 },
    })) as {
      content: string;
    }[];
    const chars = shown.slice(2).reduce((sum, { content }) => sum + content.length, 0);
    // Half of what is free below 90 %, at 3 chars a token.
    expect(chars).toBeLessThanOrEqual(4_500);
    // What was shown once stays, however much room there is.
    expect(await session.project('openai_chat', messages)).toEqual(shown);
  });

  it('that are pages of artifacts are neither cut nor recorded', async () => {
    const { session, store } = openHistory();
    const messages = [asks('get_artifact', 'p1'), result('p1', linesOf(20_000))];
    expect(await session.project('openai_chat', messages)).toEqual(messages);
    expect((await store.list({ ...NAME, show: 'all', limit: 10 })).items).toEqual([]);
  });

  it('of a call that is given up are not shown', async () => {
    const { session } = openHistory();
    const messages = [asks('build', 'c1'), result('c1', LONG)];
    const signal = AbortSignal.abort();
    await expect(session.project('openai_chat', messages, { signal })).rejects.toThrow('aborted');
  });
});
