// What is sent to a model: frozen once sent, within the window, refused with the numbers.
import { describe, expect, it } from 'vitest';
import { type PreparedRequest, type Session, textOf } from '../../src/history/index.ts';
import { weigh } from '../../src/history/pricing.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeFile } from '../folders.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';

async function sent(session: Session, window?: number): Promise<PreparedRequest> {
  const prepared = await session.prepare(window === undefined ? {} : { window });
  if (prepared.verdict === 'refused') throw new Error(prepared.reason);
  return prepared;
}

const written = ({ messages }: PreparedRequest) => messages.map((message) => JSON.stringify(message));

describe('a request', () => {
  it('repeats what was sent, byte for byte, after more was said, with another configuration, in a smaller window and after a restart', async () => {
    const file = await storeFile();
    const first = openHistory({ store: sqliteStore({ file }) });
    await first.session.say({ role: 'system', parts: [{ type: 'text', text: 'You are careful.' }] });
    for (let i = 0; i < 4; i++) await turn(first.session, i, linesOf(30_000, `t${i}`));
    const before = written(await sent(first.session, 60_000));
    expect(JSON.stringify(before).match(/\[Showing /g)).toHaveLength(4);
    await turn(first.session, 4, linesOf(30_000, 't4'));
    const more = written(await sent(first.session, 60_000));
    expect(more.slice(0, before.length)).toEqual(before);
    expect(more).toHaveLength(before.length + 3);
    await first.spillway.close();

    const again = openHistory({ store: sqliteStore({ file }) });
    again.spillway.settings.replace('user', [
      { level: 'user', source: 'test', patch: { inlineLimit: 1_000, strategy: 'tail' } },
    ]);
    expect(written(await sent(again.session, 40_000))).toEqual(more);
    await again.spillway.close();
  });

  it('makes only results smaller that were not sent yet, by what the window leaves', async () => {
    const { session, history } = openHistory();
    await turn(session, 1, linesOf(30_000, 'early'));
    const early = written(await sent(session, 12_000));
    await turn(session, 2, linesOf(30_000, 'later'));
    const prepared = await sent(session, 6_000);
    expect(written(prepared).slice(0, early.length)).toEqual(early);
    const [first, second] = prepared.messages
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === 'result');
    if (first === undefined || second === undefined) throw new Error('two results');
    expect(textOf(first).length).toBeGreaterThan(7_000);
    expect(textOf(second).length).toBeLessThan(5_500);
    expect(history.counters.overflows_avoided).toBe(1);
  });

  it('names how full the window is, asks for compaction past compact_at, and past hard_at is refused with the numbers', async () => {
    const { session, history } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'word '.repeat(1_000) }] });
    const { tokens } = (await sent(session)).numbers;
    const verdicts = [0.5, 0.8, 0.93].map(async (share) => {
      const prepared = await session.prepare({ window: Math.ceil(tokens / share) });
      return [prepared.verdict, prepared.numbers.fullness];
    });
    expect(await Promise.all(verdicts)).toEqual([
      ['fits', 'normal'],
      ['warning', 'warning'],
      ['needs_compaction', 'critical'],
    ]);
    const refused = await session.prepare({ window: tokens });
    const hard = Math.floor(tokens * 0.95);
    expect(refused).toEqual({
      verdict: 'refused',
      reason: `The request has ${tokens} tokens and the window ${tokens}: over hard_at, which is ${hard} tokens. The largest part is message #1 (${tokens} tokens). Make it with \`session.request\`, which compacts the session as far as needed.`,
      numbers: {
        tokens,
        window: tokens,
        fullness: 'hard',
        warning: Math.floor(tokens * 0.75),
        critical: Math.floor(tokens * 0.9),
        hard,
      },
      composition: { system: 0, messages: tokens, summary: 0, results: 0, reserved: 0 },
    });
    expect(history.counters.overflows_avoided).toBe(1);
    const withReserve = await session.prepare({ window: tokens * 2, reserve: tokens });
    expect(withReserve.verdict).toBe('refused');
  });

  it('is noted with what fills the window, and what each result was shown as; looking notes nothing', async () => {
    const { session, store } = openHistory();
    await session.say({ role: 'system', parts: [{ type: 'text', text: 'You are careful.' }] });
    await turn(session, 1, linesOf(30_000, 'long'));
    const look = await session.prepare({ window: 60_000, purpose: 'look' });
    const noted = async (type: 'prepared' | 'projected') => (await store.events({ type })).items;
    expect(await noted('prepared')).toEqual([]);
    expect(await noted('projected')).toEqual([]);
    const { numbers, composition, verdict } = await session.prepare({ window: 60_000, reserve: 500 });
    expect(await noted('prepared')).toMatchObject([
      { ...NAME, data: { ...composition, tokens: numbers.tokens, window: 60_000, verdict } },
    ]);
    expect(await noted('projected')).toMatchObject([{ ...NAME, data: { audience: 'model', cut: true } }]);
    const sum = Object.values(composition).reduce((total, tokens) => total + tokens, 0);
    expect([sum, composition.reserved]).toEqual([numbers.tokens, 500]);
    expect(look.numbers.tokens).toBe(numbers.tokens - 500);
  });

  it('passes a threshold only strictly above it, and follows the settings of its session', async () => {
    const shares = { warnAt: 0.75, compactAt: 0.9, hardAt: 0.95 };
    expect([75, 76, 90, 91, 95, 96].map((tokens) => weigh(tokens, 100, shares).fullness)).toEqual([
      'normal',
      'warning',
      'warning',
      'critical',
      'critical',
      'hard',
    ]);
    const { session, spillway } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'word '.repeat(100) }] });
    spillway.configureSession(NAME.session, { hardAt: 0.01, compactAt: 0.01, warnAt: 0.01 });
    expect((await session.prepare({ window: 1_000 })).verdict).toBe('refused');
  });

  it('freezes nothing when it is refused or only looked at', async () => {
    const { session, store } = openHistory();
    const { output } = await turn(session, 1, linesOf(30_000));
    await session.prepare({ window: 100 });
    await session.prepare({ window: 100_000, purpose: 'look' });
    expect(await store.frozen(output.id, 'model')).toBeUndefined();
    await session.prepare({ window: 100_000 });
    expect(await store.frozen(output.id, 'model')).toBeDefined();
  });

  it('is made from deep-frozen messages without changing any', async () => {
    const { session } = openHistory();
    const message = deepFreeze({
      role: 'assistant' as const,
      parts: [
        { type: 'text' as const, text: 'a' },
        { type: 'call' as const, callId: 'c', tool: 't', input: '{}' },
      ],
      foreign: { some: { deep: ['thing'] } },
    });
    await session.say(message);
    const result = deepFreeze({
      kind: 'blocks' as const,
      blocks: [{ type: 'text' as const, text: linesOf(20_000) }],
    });
    await session.result(deepFreeze({ callId: 'c', tool: 't', input: { a: [1] } }), result);
    const prepared = await sent(session);
    expect(deepFreeze(prepared).messages).toHaveLength(2);
    expect(await sent(session)).toEqual(prepared);
  });

  it('has no half of a character in it, whatever was said; what was said is kept', async () => {
    const { session } = openHistory();
    const lone = 'a \ud800 b';
    await session.say({ role: 'user', parts: [{ type: 'text', text: lone }] });
    await session.say({
      role: 'assistant',
      parts: [
        { type: 'call', callId: 'c\n1', tool: 't', input: `{"x":"${lone}"}` },
        { type: 'data', name: 'd', json: `"${lone}"` },
      ],
    });
    await session.result({ callId: 'c2', tool: 't' }, { kind: 'text', text: lone });
    const prepared = await sent(session);
    const texts = prepared.messages.flatMap(({ parts }) => parts).map((part) => JSON.stringify(part));
    for (const text of texts) expect(text).not.toMatch(/\\ud[89a-f]/i);
    expect(texts.join()).toContain('No result was recorded for the call c 1 of t');
    const [first] = await session
      .messages()
      [Symbol.asyncIterator]()
      .next()
      .then(({ value }) => value?.parts ?? []);
    expect(first).toEqual({ type: 'text', text: lone });
  });

  it('shows a result that is itself a requested range from its start, with the call that goes on', async () => {
    const { session } = openHistory();
    const input = { path: 'src/a.ts', start_line: 101, end_line: 900 };
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', tool: 'read_file', input: JSON.stringify(input) }],
    });
    const text = linesOf(40_000);
    await session.result({ callId: 'c', tool: 'read_file', input }, { kind: 'text', text });
    const result = (await sent(session)).messages.at(-1)?.parts[0];
    if (result?.type !== 'result') throw new Error('no result');
    expect(textOf(result)).toContain(text.slice(0, 2_000));
    expect(textOf(result)).not.toContain(text.slice(-2_000));
    expect(textOf(result)).toMatch(/read_file\([^)]*start_line[^)]*\)/);
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
