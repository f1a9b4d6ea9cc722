// Anything that can happen in a session, in any order, against what must always hold.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MessageRecord } from '../../src/history/index.ts';
import { linesOf, NAME, type Opened, openHistory } from './opened.ts';

type Step =
  | { readonly do: 'ask' | 'answer' | 'compact' | 'undo' }
  | { readonly do: 'call'; readonly calls: number }
  | { readonly do: 'return'; readonly which: number; readonly size: number; readonly how: number }
  | { readonly do: 'send'; readonly window: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('ask' as const, 'answer' as const).map((name) => ({ do: name })) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }).map((calls) => ({ do: 'call' as const, calls })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(), fc.constantFrom(0, 40, 3_000, 30_000), fc.nat(5))
      .map(([which, size, how]) => ({ do: 'return' as const, which, size, how })),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(4_000, 9_000, 30_000).map((window) => ({ do: 'send' as const, window })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('compact' as const, 'undo' as const).map((name) => ({ do: name })),
  },
);

/** What the test knows of a session beside what it keeps. */
class Run {
  readonly #opened: Opened = openHistory();
  readonly #calls: string[] = [];
  readonly #returned = new Map<string, string>();
  #messages: string[] = [];
  #prompt: string[] | null = null;
  #mayChange = false;

  async take(one: Step, number: number): Promise<void> {
    const { session } = this.#opened;
    if (one.do === 'ask' || one.do === 'answer') {
      const role = one.do === 'ask' ? 'user' : 'assistant';
      await session.say({
        role,
        parts: [{ type: 'text', text: `${one.do} ${number}: we decided on src/a${number}.ts` }],
      });
    } else if (one.do === 'call') await this.#call(one.calls, number);
    else if (one.do === 'return') await this.#return(one.which, one.size, one.how, number);
    else if (one.do === 'send') await this.#send(one.window);
    else await this.#summarise(one.do);
    await this.#checkCanonical();
  }

  async #call(count: number, number: number): Promise<void> {
    const ids = Array.from({ length: count }, (_, i) => `c${number}.${i}`);
    const parts = ids.map(
      (callId) => ({ type: 'call', callId, tool: 'tool', input: `{"n":${number}}` }) as const,
    );
    await this.#opened.session.say({ role: 'assistant', parts });
    this.#calls.push(...ids);
  }

  /**
   * How: 0 and 1 as it is, 2 twice, 3 preliminary first, 4 without its call, 5 recorded but never
   * said.
   */
  async #return(which: number, size: number, how: number, number: number): Promise<void> {
    const callId = how === 4 ? `nobody${number}` : this.#calls[which % Math.max(1, this.#calls.length)];
    if (callId === undefined) return;
    const { session, spillway } = this.#opened;
    const text = linesOf(size, callId);
    const result = { kind: 'text', text } as const;
    const of = { callId, tool: 'tool' };
    if (how === 5 && !this.#returned.has(callId)) await spillway.record({ ...NAME, ...of }, result);
    else {
      if (how === 3) await session.result({ ...of, stage: 'preliminary' }, { kind: 'text', text: 'so far' });
      await session.result(of, result);
      if (how === 2) await session.result(of, result);
    }
    if (how !== 4 && !this.#returned.has(callId)) this.#returned.set(callId, text);
    this.#mayChange = true;
  }

  async #summarise(what: 'compact' | 'undo'): Promise<void> {
    const { session } = this.#opened;
    if (what === 'compact') await session.compact({ keepTokens: 1_500 });
    else
      await session
        .undoCompaction()
        .catch((error) => expect(error).toMatchObject({ code: 'invalid_argument' }));
    this.#mayChange = true;
  }

  async #send(window: number): Promise<void> {
    const { session, store } = this.#opened;
    const prepared = await session.prepare({ window });
    if (prepared.verdict === 'refused') {
      expect(prepared.numbers.tokens).toBeGreaterThan(window * 0.95 - 1);
      return;
    }
    expect(prepared.numbers.tokens).toBeLessThanOrEqual(window * 0.95);
    const { messages } = prepared;
    for (const [i, { role, parts }] of messages.entries()) {
      const calls = parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []));
      const next = messages[i + 1];
      const results = next?.role === 'tool' ? next.parts : [];
      expect(results.map((part) => (part.type === 'result' ? part.callId : ''))).toEqual(calls);
      if (role !== 'tool') continue;
      for (const part of parts) {
        if (part.type !== 'result') throw new Error('only results');
        const { callId, synthetic } = part;
        // No refetch is offered for what was ever recorded, and nothing is made up for it.
        expect(synthetic).toBe(this.#returned.has(callId) ? null : 'missing');
      }
    }
    const prompt = messages.map((message) => JSON.stringify(message));
    if (this.#prompt !== null && !this.#mayChange)
      expect(prompt.slice(0, this.#prompt.length)).toEqual(this.#prompt);
    for (const id of new Set(prompt.join().match(/art_\d+_\w+/g)))
      expect(await store.find({ scope: NAME.scope, id: id as 'art_1_xxxx' })).toMatchObject({ id });
    this.#prompt = prompt;
    this.#mayChange = false;
  }

  async #checkCanonical(): Promise<void> {
    const now: string[] = [];
    const messages: MessageRecord[] = [];
    for await (const message of this.#opened.session.messages()) {
      now.push(JSON.stringify(message));
      messages.push(message);
    }
    expect(now.slice(0, this.#messages.length)).toEqual(this.#messages);
    this.#messages = now;
    expect(this.#opened.history.counters.rendered_writes).toBe(0);
    expect(now.join()).not.toContain('omitted]');
    expect(messages.map(({ ordinal }) => ordinal)).toEqual(messages.map((_, i) => i + 1));
  }
}

it('a session keeps its promises whatever happens in it, in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const run = new Run();
      for (const [number, one] of steps.entries()) await run.take(one, number);
    }),
    { numRuns: 40 },
  );
});
