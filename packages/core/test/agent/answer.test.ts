// Tools that a framework runs, with `Agent.answer` around them: values pass as they are, and every
// end of a call is stored under its id.
import { describe, expect, it } from 'vitest';
import { type Agent, memoryStore, openAgent } from '../../src/index.ts';

const CALL = { callId: 'call_1', tool: 'build', input: { part: 1 } };
const LOG = Array.from({ length: 4_000 }, (_, i) => `line ${i + 1}\n`).join('');

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

async function stored(agent: Agent) {
  const { items } = await agent.spillway.store.list({ ...agent.session.name, show: 'all', limit: 10 });
  const texts: { callId: string | undefined; status: string; text: string }[] = [];
  for (const record of items) {
    let text = '';
    for await (const { bytes } of agent.spillway.contents(record))
      for await (const piece of bytes) text += Buffer.from(piece).toString();
    texts.push({ callId: record.callId, status: record.outcome.status, text });
  }
  return texts;
}

describe('an answer', () => {
  it('is the value of the tool, which is stored under the id of its call', async () => {
    const agent = await openAgent({ session: 's', store: memoryStore() });
    expect(await agent.answer(CALL, async () => LOG)).toBe(LOG);
    const value = { rows: [1, 2] };
    expect(await agent.answer({ ...CALL, callId: 'call_2' }, () => value)).toBe(value);
    expect(await stored(agent)).toEqual([
      { callId: 'call_2', status: 'ok', text: '{"rows":[1,2]}' },
      { callId: 'call_1', status: 'ok', text: LOG },
    ]);
  });

  it('that is an error stays the same error if it is short, and is bounded if it is long', async () => {
    const agent = await openAgent({ session: 's', store: memoryStore() });
    const short = new RangeError('no such part');
    await expect(agent.answer(CALL, () => Promise.reject(short))).rejects.toBe(short);
    const long = new Error(`ERROR: no such part\n${LOG}`);
    const failure = await agent
      .answer({ ...CALL, callId: 'call_2' }, () => Promise.reject(long))
      .catch((e) => e);
    expect(failure.message).toMatch(/art_\d+_/);
    expect(failure.message.length).toBeLessThan(13_000);
    expect(failure.cause).toBe(long);
    const ends = (await stored(agent)).map(({ status, text }) => [status, text]);
    expect(ends).toEqual([
      ['error', long.message],
      ['error', short.message],
    ]);
  });

  it('that nobody waits for any more is stored as cancelled', async () => {
    const agent = await openAgent({ session: 's', store: memoryStore() });
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const answer = agent.answer(CALL, () => new Promise(() => giveUp.abort()), { signal });
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect((await stored(agent)).map(({ status }) => status)).toEqual(['cancelled']);
  });
});

describe('answers one after the other', () => {
  const grows = async function* (failure?: Error) {
    yield 'one';
    yield 'one two';
    if (failure !== undefined) throw failure;
    yield 'one two three';
  };

  it('pass as they come; the last one is the result', async () => {
    const agent = await openAgent({ session: 's', store: memoryStore() });
    expect(await all(agent.answerEach(CALL, grows()))).toEqual(['one', 'one two', 'one two three']);
    expect(await stored(agent)).toEqual([{ callId: 'call_1', status: 'ok', text: 'one two three' }]);
  });

  it('that break off leave what had arrived, with the reason behind it', async () => {
    const agent = await openAgent({ session: 's', store: memoryStore() });
    const failure = new Error('the disk is gone');
    await expect(all(agent.answerEach(CALL, grows(failure)))).rejects.toThrow('the disk is gone');
    const [only] = await stored(agent);
    expect(only?.text).toMatch(/^one two.*the disk is gone$/s);
    expect(only?.status).not.toBe('ok');
  });

  it('that are given up, by a signal or by whoever reads them, are stored as cancelled', async () => {
    const agent = await openAgent({ session: 's', store: memoryStore() });
    const giveUp = new AbortController();
    const hangs = async function* () {
      yield 'one';
      giveUp.abort();
      await new Promise(() => {});
    };
    const { signal } = giveUp;
    await expect(all(agent.answerEach(CALL, hangs(), { signal }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    for await (const value of agent.answerEach({ ...CALL, callId: 'call_2' }, grows())) {
      expect(value).toBe('one');
      break;
    }
    const ends = (await stored(agent)).map(({ callId, status, text }) => [callId, status, text.slice(0, 3)]);
    expect(ends).toEqual([
      ['call_2', 'cancelled', 'one'],
      ['call_1', 'cancelled', 'one'],
    ]);
  });
});
