// Calls and results find each other under any interleaving, and the order stays.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MessagePart, type MessageRecord, pair } from '../../src/history/index.ts';
import type { ArtifactId } from '../../src/index.ts';
import { NAME, openHistory } from './opened.ts';

const idOf = (number: number): ArtifactId => `art_1_${String(number).padStart(8, '0')}`;

function call(callId: string): MessagePart {
  return { type: 'call', callId, tool: 't', input: '{}' };
}

function result(callId: string, output = 0, fields: object = {}): MessagePart {
  return { type: 'result', callId, tool: 't', output: idOf(output), status: 'ok', ...fields };
}

function messagesOf(all: readonly (readonly MessagePart[])[]): MessageRecord[] {
  return all.map((parts, i) => {
    const role = parts.some(({ type }) => type === 'call')
      ? 'assistant'
      : parts.every(({ type }) => type === 'result') && parts.length > 0
        ? 'tool'
        : 'user';
    return { ...NAME, id: `m${i}`, ordinal: i + 1, at: i, role, parts };
  });
}

describe('pairing', () => {
  it('gives 106 pairs for 106 calls in one message, in their order, whatever the order of the results', () => {
    const ids = Array.from({ length: 106 }, (_, i) => `c${i}`);
    const { messages, orphans, surplus } = pair(
      messagesOf([ids.map(call), ids.toReversed().map((id, i) => result(id, i))]),
    );
    expect(messages).toHaveLength(1);
    expect(messages[0]?.pairs.map((one) => [one.call.callId, one.result?.callId])).toEqual(
      ids.map((id) => [id, id]),
    );
    expect([orphans, surplus]).toEqual([[], []]);
  });

  it('prefers a result to a preliminary one, one that ended by itself to one that did not, a backfilled one to all, and the first of equals', () => {
    const cases: [MessagePart[], number][] = [
      [[result('c', 1, { stage: 'preliminary' }), result('c', 2, { stage: 'preliminary' })], 2],
      [[result('c', 1, { stage: 'preliminary' }), result('c', 2)], 2],
      [[result('c', 1), result('c', 2, { stage: 'preliminary' })], 1],
      [[result('c', 1), result('c', 2)], 1],
      [[result('c', 1, { status: 'cancelled' }), result('c', 2)], 2],
      [[result('c', 1, { status: 'timeout' }), result('c', 2, { status: 'crashed' })], 1],
      [[result('c', 1), result('c', 2, { stage: 'backfilled' }), result('c', 3)], 2],
    ];
    for (const [results, expected] of cases) {
      const { messages, surplus } = pair(messagesOf([[call('c')], ...results.map((one) => [one])]));
      expect(messages[0]?.pairs[0]?.result?.output).toBe(idOf(expected));
      expect(surplus).toHaveLength(results.length - 1);
    }
  });

  it('gives a call id that is used again to each of its calls', () => {
    const { messages } = pair(
      messagesOf([[call('c')], [result('c', 1)], [call('c')], [result('c', 2)], [call('c')]]),
    );
    expect(messages.map(({ pairs }) => pairs[0]?.result?.output)).toEqual([idOf(1), idOf(2), undefined]);
    expect(messages.map(({ pairs: [one] }) => [one?.shared, one?.from, one?.until])).toEqual([
      [true, 0, 2],
      [true, 2, 4],
      [true, 4, null],
    ]);
  });

  it('gives a result to the last call of its id before it, or to the first one, as a plain search does', () => {
    const one = fc.tuple(fc.boolean(), fc.nat(2));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), (all) => {
        const given = messagesOf(all.map(([isCall, n], i) => [isCall ? call(`c${n}`) : result(`c${n}`, i)]));
        const found = new Map<number, number[]>();
        for (const { ordinal, parts } of given) {
          const [part] = parts;
          if (part?.type !== 'result') continue;
          const calls = given.filter(
            (message) => message.parts[0]?.type === 'call' && message.parts[0].callId === part.callId,
          );
          const at = (calls.findLast((message) => message.ordinal < ordinal) ?? calls[0])?.ordinal;
          if (at !== undefined) found.set(at, [...(found.get(at) ?? []), ordinal]);
        }
        for (const { message, pairs } of pair(given).messages) {
          const [first] = found.get(message.ordinal) ?? [];
          expect(pairs[0]?.result?.output).toBe(first === undefined ? undefined : idOf(first - 1));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps two sessions apart that use the same ids at the same time, said or only recorded', async () => {
    const step = fc.tuple(
      fc.constantFrom('one', 'two'),
      fc.constantFrom('call', 'result', 'record'),
      fc.nat(3),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
        let now = 0;
        const clock = () => now++;
        const { history, spillway } = openHistory({ history: { clock }, spillway: { clock } });
        for (const [i, [session, what, n]] of steps.entries()) {
          const opened = history.session({ ...NAME, session });
          const of = { callId: `c${n}`, tool: 't' };
          const returned = { kind: 'text', text: `from ${session}, step ${i}` } as const;
          if (what === 'call')
            await opened.say({ role: 'assistant', parts: [{ type: 'call', ...of, input: '{}' }] });
          else if (what === 'result') await opened.result(of, returned);
          else await spillway.record({ ...NAME, session, ...of }, returned);
        }
        for (const [session, other] of [['one', 'two'] as const, ['two', 'one'] as const]) {
          const prepared = await history.session({ ...NAME, session }).prepare();
          if (prepared.verdict === 'refused') throw new Error('refused');
          const text = JSON.stringify(prepared.messages);
          expect(text).not.toContain(`from ${other}`);
          // Every text is the result of at most one call.
          for (const found of new Set(text.match(/from \w+, step \d+/g)))
            expect(text.split(`${found}"`)).toHaveLength(2);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leaves out results of calls that nobody made', () => {
    const { messages, orphans } = pair(
      messagesOf([[call('c')], [result('x', 1)], [result('c', 2), { type: 'text', text: 'and' }]]),
    );
    expect(orphans.map(({ callId }) => callId)).toEqual(['x']);
    expect(messages.map(({ parts, pairs }) => [parts.length, pairs.length])).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  it('gives each of several calls of one message that have the same id its own result, in order', () => {
    const other = (input: string, tool = 't'): MessagePart => ({ type: 'call', callId: 'c', tool, input });
    const outputs = (all: readonly (readonly MessagePart[])[]) =>
      pair(messagesOf(all)).messages[0]?.pairs.map((one) => one.result?.output);
    const two = [other('{"a":1}'), other('{"a":2}')];
    expect(outputs([two, [result('c', 1)], [result('c', 2)]])).toEqual([idOf(1), idOf(2)]);
    expect(outputs([two, [result('c', 1), result('c', 2)], [result('c', 3)]])).toEqual([idOf(1), idOf(2)]);
    expect(outputs([two, [result('c', 1, { stage: 'preliminary' })], [result('c', 2)]])).toEqual([
      idOf(2),
      undefined,
    ]);
    const tools = [other('{}', 'read'), other('{}', 'write')];
    const written = { ...result('c', 1), tool: 'write' } as MessagePart;
    expect(outputs([tools, [written], [{ ...result('c', 2), tool: 'read' } as MessagePart]])).toEqual([
      idOf(2),
      idOf(1),
    ]);
    // Equal in everything: one result answers both.
    expect(outputs([[call('c'), call('c')], [result('c', 1)]])).toEqual([idOf(1), idOf(1)]);
  });

  it('holds for any interleaving: one place for a result per call, no result twice, messages in order', () => {
    const parts = fc.oneof(
      fc.nat(12).map((n) => call(`c${n}`)),
      fc
        .tuple(fc.nat(12), fc.nat(1_000), fc.constantFrom(undefined, 'preliminary', 'backfilled'))
        .map(([n, output, stage]) => result(`c${n}`, output, stage === undefined ? {} : { stage })),
      fc.string({ maxLength: 3 }).map((text): MessagePart => ({ type: 'text', text })),
    );
    fc.assert(
      fc.property(fc.array(fc.array(parts, { maxLength: 6 }), { maxLength: 30 }), (all) => {
        const given = messagesOf(all);
        const before = structuredClone(given);
        const { messages, orphans, surplus } = pair(given);
        expect(given).toEqual(before);
        const positions = messages.map(({ message }) => message.ordinal);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        const allParts = given.flatMap((message) => message.parts);
        const calls = allParts.filter(({ type }) => type === 'call');
        const results = allParts.filter(({ type }) => type === 'result');
        const pairs = messages.flatMap((message) => message.pairs);
        expect(pairs.length).toBe(calls.length);
        // Calls that are equal in everything may share theirs.
        const used = [...new Set(pairs.flatMap((one) => one.result ?? []))];
        expect(new Set([...used, ...orphans, ...surplus]).size).toBe(results.length);
        expect(used.length + orphans.length + surplus.length).toBe(results.length);
        for (const one of pairs) if (one.result !== null) expect(one.result.callId).toBe(one.call.callId);
        for (const { callId } of orphans)
          expect(calls.some((part) => part.type === 'call' && part.callId === callId)).toBe(false);
        for (const { parts: kept } of messages)
          expect(kept.some((part) => `${part.type}` === 'result')).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on where results stand, as long as they stand behind their calls', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 25 }), (delays) => {
        const entries = delays.flatMap((delay, i) => [
          { at: i, parts: [call(`c${i}`)] },
          { at: i + 0.5 + delay, parts: [result(`c${i}`, i)] },
        ]);
        const late = messagesOf(entries.toSorted((a, b) => a.at - b.at).map(({ parts }) => parts));
        const prompt = messagesOf(delays.flatMap((_, i) => [[call(`c${i}`)], [result(`c${i}`, i)]]));
        const shape = (all: MessageRecord[]) =>
          pair(all).messages.map(({ pairs }) => pairs.map((one) => [one.call.callId, one.result?.output]));
        expect(shape(late)).toEqual(shape(prompt));
      }),
    );
  });

  it('is stable over 10,000 messages, and adding messages changes nothing before them', () => {
    const all: MessagePart[][] = [];
    for (let i = 0; all.length < 10_000; i++) {
      all.push([{ type: 'text', text: `ask ${i}` }], [call(`a${i}`), call(`b${i}`)]);
      if (i > 3) all.push([result(`b${i - 3}`, i), result(`a${i - 3}`, i)]);
    }
    const given = messagesOf(all.slice(0, 10_000));
    const whole = pair(given);
    expect(whole.orphans).toEqual([]);
    const calls = whole.messages.flatMap(({ pairs }) => pairs);
    expect(calls.filter((one) => one.result === null).length).toBeLessThan(12);
    const part = pair(given.slice(0, 6_000));
    expect(whole.messages.slice(0, 3_000)).toEqual(part.messages.slice(0, 3_000));
  });
});

describe('a call without a result', () => {
  it('gets one marked stand-in in projections, canonical is untouched, and the late real result wins', async () => {
    const { session, history } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'call-7', tool: 'run_tests', input: '{}' }],
    });
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'and?' }] });
    const prepared = await session.prepare();
    expect(prepared).toMatchObject({ verdict: 'fits', missing: ['call-7'] });
    if (prepared.verdict === 'refused') throw new Error('refused');
    expect(prepared.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(prepared.messages[2]?.parts).toEqual([
      {
        type: 'result',
        callId: 'call-7',
        tool: 'run_tests',
        output: null,
        status: 'error',
        synthetic: 'missing',
        blocks: [
          {
            type: 'text',
            text: '[No tool output. No result was recorded for the call call-7 of run_tests. The call may still be running, or may have taken effect already.]',
          },
        ],
      },
    ]);
    for (let i = 0; i < 5; i++) await session.prepare();
    expect(history.counters.missing_results).toBe(1);
    let messages = 0;
    for await (const _ of session.messages()) messages++;
    expect(messages).toBe(3);

    await session.result({ callId: 'call-7', tool: 'run_tests' }, { kind: 'text', text: 'all passed' });
    const later = await session.prepare();
    if (later.verdict === 'refused') throw new Error('refused');
    expect(later.missing).toEqual([]);
    expect(later.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(later.messages[2]?.parts[0]).toMatchObject({
      synthetic: null,
      blocks: [{ type: 'text', text: 'all passed' }],
    });
  });

  it('is answered from the store when the result was recorded and nobody got to say so: no refetch is offered', async () => {
    const { session, spillway, history } = openHistory();
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c1', tool: 't', input: '{}' }],
    });
    await spillway.record({ ...NAME, tool: 't', callId: 'c1' }, { kind: 'text', text: 'recorded' });
    const prepared = await session.prepare();
    expect(prepared).toMatchObject({ missing: [] });
    expect(JSON.stringify(prepared)).toContain('recorded');
    expect(JSON.stringify(prepared)).not.toContain('No tool output');
    for (let i = 0; i < 5; i++) await session.prepare();
    expect(history.counters).toMatchObject({ missing_results: 0 });
    expect(await session.report()).toMatchObject({ missing: 0, results: 1 });
  });

  it('never gets the result of an earlier call of its id, not even when that one was summarised', async () => {
    let now = 1_000;
    const clock = () => now++;
    const { session, spillway } = openHistory({ history: { clock }, spillway: { clock } });
    const text = { type: 'call', callId: 'call_0', tool: 't', input: '{}' } as const;
    const last = async () => {
      const prepared = await session.prepare();
      if (prepared.verdict === 'refused') throw new Error('refused');
      return JSON.stringify(prepared.messages.at(-1));
    };
    await session.say({ role: 'assistant', parts: [text] });
    await session.result({ callId: 'call_0', tool: 't' }, { kind: 'text', text: 'of the first' });
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'x'.repeat(9_000) }] });
    await session.say({ role: 'assistant', parts: [text] });
    expect(await last()).toContain('No result was recorded');
    await session.compact({ keepTokens: 100 });
    expect(await last()).toContain('No result was recorded');
    await spillway.record({ ...NAME, tool: 't', callId: 'call_0' }, { kind: 'text', text: 'of the second' });
    expect(await last()).toContain('of the second');
    await session.say({ role: 'assistant', parts: [text] });
    expect(await last()).toContain('No result was recorded');
    const all = JSON.stringify(await session.prepare());
    expect(all.split('of the second')).toHaveLength(2);
    expect(all).not.toContain('of the first"');
  });

  it('whose output was purged says so, and keeps the pair', async () => {
    const { session, spillway } = openHistory();
    await session.say({ role: 'assistant', parts: [call('c1') as never] });
    const { output } = await session.result({ callId: 'c1', tool: 't' }, { kind: 'text', text: 'secret' });
    await spillway.retire({ how: 'purge', scope: NAME.scope, ids: [output.id] });
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    expect(prepared.messages[1]?.parts[0]).toMatchObject({
      synthetic: 'gone',
      output: null,
      blocks: [
        {
          text: `[No tool output. The result of the call c1 of t (${output.id}) is no longer kept. The call was made; only its output is missing.]`,
        },
      ],
    });
  });
});
