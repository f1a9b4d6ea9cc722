// What a screen or a stream gets: limits of its own, flags that say so, and no way to write.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { limitServerSentEvents, Session } from '../../src/history/index.ts';
import { textOf as storedText } from '../../src/testing/index.ts';
import { linesOf, openHistory } from './opened.ts';

async function tenResults(session: Session): Promise<{ texts: string[]; ids: string[] }> {
  const texts = Array.from({ length: 10 }, (_, i) => linesOf(60_000, `result ${i}`));
  const calls = texts.map((_, i) => ({ type: 'call', callId: `c${i}`, tool: 't', input: '{}' }) as const);
  await session.say({ role: 'assistant', parts: calls });
  const ids: string[] = [];
  for (const [i, text] of texts.entries())
    ids.push((await session.result({ callId: `c${i}`, tool: 't' }, { kind: 'text', text })).output.id);
  return { texts, ids };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const through = async <I, O>(stream: TransformStream<I, O>, items: readonly I[]): Promise<O[]> =>
  all(ReadableStream.from(items).pipeThrough(stream) as unknown as AsyncIterable<O>);

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const join = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');

describe('transport_truncation_must_not_mutate_canonical_history', () => {
  it('10 results of 60,000 chars stay within the budget, with their ids, flagged, and what is stored is unchanged', async () => {
    const { session, store } = openHistory();
    const { texts, ids } = await tenResults(session);
    const before = JSON.stringify(await all(session.messages()));
    const messages = deepFreeze(await all(session.transcript()));
    const limited = await session.limitMessages(messages, { totalChars: 20_000 });
    const results = limited.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
    expect(results.map(({ callId, output }) => [callId, output])).toEqual(ids.map((id, i) => [`c${i}`, id]));
    const shown = results.map(({ blocks }) => (blocks[0]?.type === 'text' ? blocks[0].text : ''));
    expect(shown.reduce((sum, text) => sum + text.length, 0)).toBeLessThanOrEqual(20_000);
    for (const [i, text] of shown.entries()) {
      expect(text.split('\n')[0]).toBe(
        `[Limited preview for display: 60,000 chars in all, the whole is ${ids[i]}.]`,
      );
      expect(text).toContain(`result ${i} 1 of a text`);
    }
    for (const { preview, output } of results)
      expect(preview).toEqual({
        limited: true,
        display_only: true,
        original_size: 60_000,
        artifact_id: output,
      });
    for (const [i, id] of ids.entries()) expect(await storedText(store, id as `art_1_x`, 0)).toBe(texts[i]);
    expect(JSON.stringify(await all(session.messages()))).toBe(before);
    expect(await store.frozen(ids[0] as `art_1_x`, 'transport')).toBeUndefined();
  });

  it('images and files of results count too: whole in what the texts leave, or flagged and left out', async () => {
    const { session } = openHistory();
    const calls = [0, 1, 2].map((n) => ({ type: 'call', callId: `c${n}`, tool: 't', input: '{}' }) as const);
    await session.say({ role: 'assistant', parts: calls });
    const image = (chars: number) => ({
      type: 'image' as const,
      data: 'A'.repeat(chars),
      mimeType: 'image/png',
    });
    for (const [n, chars] of [400, 90_000, 800].entries()) {
      const blocks = [
        { type: 'text' as const, text: `see ${n}` },
        image(chars),
        { type: 'text' as const, text: 'that' },
      ];
      await session.result({ callId: `c${n}`, tool: 't' }, { kind: 'blocks', blocks });
    }
    const limited = await session.limitMessages(await all(session.transcript()), { totalChars: 20_000 });
    const results = limited.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
    expect(results.map(({ blocks }) => blocks.map(({ type }) => type))).toEqual([
      ['text', 'media', 'text'],
      ['text', 'text'],
      ['text', 'media', 'text'],
    ]);
    expect(results.map(({ preview }) => preview?.original_size)).toEqual([undefined, 90_010, undefined]);
    expect(JSON.stringify(limited).length).toBeLessThan(20_000);
  });

  it('a preview that is handed back as the result of its call is refused in development and replaced in production', async () => {
    for (const mode of ['throw', 'count'] as const) {
      const { session, store, history } = openHistory({ history: { invariants: mode } });
      const { ids, texts } = await tenResults(session);
      const event = { type: 'tool-output-available', toolCallId: 'c3', output: texts[3] };
      const [sent] = (await through(session.limitEvents(), [event])) as [{ output: object }];
      const back = session.result({ callId: 'c3', tool: 't' }, { kind: 'value', value: sent.output });
      if (mode === 'throw')
        await expect(back).rejects.toThrow(/^transport_truncation_must_not_mutate_canonical_history: /);
      else expect((await back).output.id).toBe(ids[3]);
      expect(history.counters).toMatchObject({
        rendered_writes: 1,
        transport_truncation_must_not_mutate_canonical_history: 1,
      });
      expect((await store.usage()).outputs).toBe(10);
    }
  });

  it('by its type has nothing to write with', () => {
    const { store, spillway } = openHistory();
    const reader: Parameters<typeof limitServerSentEvents>[0] = { store, spillway };
    // @ts-expect-error a reader adds no messages
    expect(reader.store.addMessages).toBeDefined();
    // @ts-expect-error and records nothing
    expect(reader.spillway.record).toBeDefined();
  });
});

describe('a stream of events', () => {
  it('passes small events themselves, and flags what it shortens: a text as a text, JSON as JSON', async () => {
    const { session } = openHistory();
    const { texts, ids } = await tenResults(session);
    const small = deepFreeze({ type: 'tool-output-available', toolCallId: 'x', output: { a: 1 } });
    const other = deepFreeze({ type: 'text-delta', id: '1', delta: linesOf(20_000) });
    const rows = { rows: Array.from({ length: 3_000 }, (_, i) => ({ id: i, name: `row ${i}` })) };
    const events = deepFreeze([
      small,
      other,
      { type: 'tool-output-available', toolCallId: 'c1', output: texts[1] },
      { type: 'tool-result', toolCallId: 'unknown', output: rows },
    ]);
    const out = (await through(session.limitEvents({ resultChars: 4_000 }), events)) as { output: never }[];
    expect(out[0]).toBe(small);
    expect(out[1]).toBe(other);
    expect(out[2]).toMatchObject({
      type: 'tool-output-available',
      toolCallId: 'c1',
      output: { limited: true, display_only: true, original_size: 60_000, artifact_id: ids[1] },
    });
    expect(out[3]).toMatchObject({
      output: {
        limited: true,
        original_size: JSON.stringify(rows).length,
        artifact_id: null,
        preview: {
          rows: expect.arrayContaining([
            { id: 0, name: 'row 0' },
            { id: 2_999, name: 'row 2999' },
          ]),
        },
      },
    });
    for (const { output } of out.slice(2)) expect(JSON.stringify(output).length).toBeLessThanOrEqual(4_000);
  });

  it('keeps an oversized error an error, whatever its payload says', async () => {
    const { session } = openHistory();
    const text = `success: true\n${linesOf(50_000)}`;
    const events = [
      { type: 'tool-output-error', toolCallId: 'e1', errorText: text },
      { type: 'tool_result', tool_use_id: 'e2', is_error: true, content: text },
      { type: 'tool-error', toolCallId: 'e3', error: text },
    ];
    const out = (await through(session.limitEvents({ resultChars: 2_000 }), events)) as Record<
      string,
      string
    >[];
    expect(out[0]?.type).toBe('tool-output-error');
    expect(out[0]?.errorText).toMatch(
      /^\[Limited preview for display: 50,014 chars in all, no handle is known for the whole\.\]\n/,
    );
    expect(out[0]?.errorText?.length).toBeLessThanOrEqual(2_000);
    expect(out[1]).toMatchObject({ is_error: true, tool_use_id: 'e2' });
    expect(out[2]).toMatchObject({ type: 'tool-error', error: { limited: true, original_size: 50_014 } });
  });

  it('of server-sent events gives the same bytes for any chunking, and leaves what it does not know as it is', async () => {
    const { session } = openHistory();
    const { texts } = await tenResults(session);
    const long = JSON.stringify({
      type: 'tool-output-available',
      toolCallId: 'c2',
      output: texts[2]?.slice(0, 9_000),
    });
    const frames = [
      ': a comment\r\n\r\n',
      'event: delta\r\ndata: {"type":"text-delta","delta":"grün 😀"}\r\n\r\n',
      `id: 7\nevent: result\ndata: ${long}\n\n`,
      'data: not json, { \ndata: second line\n\n',
      'data: [DONE]\r\r',
      'data: {"unfinished":',
    ];
    const options = { resultChars: 1_000 };
    const whole = join(await through(session.limitServerSentEvents(options), [bytes(frames.join(''))]));
    const [before, after] = whole.split(/id: 7\nevent: result\ndata: \{.*\}\n\n/s);
    expect([before, after]).toEqual([frames.slice(0, 2).join(''), frames.slice(3).join('')]);
    expect(whole).toContain('"limited":true,"display_only":true');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 }),
        async (sizes) => {
          const given = bytes(frames.join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0, i = 0; at < given.length; i++) {
            const size = sizes[i % sizes.length] ?? 1;
            chunks.push(given.slice(at, at + size));
            at += size;
          }
          expect(join(await through(session.limitServerSentEvents(options), chunks))).toBe(whole);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('limits every result in an event, wherever it stands, and leaves the rest of it as it is', async () => {
    const { session } = openHistory();
    const long = linesOf(9_000);
    const events = deepFreeze([
      {
        role: 'tool',
        content: [1, 2].map((n) => ({
          type: 'tool-result',
          toolCallId: `r${n}`,
          output: { type: 'text', value: long },
        })),
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: long },
          { type: 'tool_result', tool_use_id: 'r3', content: long },
        ],
      },
      {
        type: 'response.output_item.done',
        item: { type: 'shell_call_output', call_id: 'r4', output: [{ stdout: long }] },
      },
      { type: 'tool', tool_call_id: 'r5', content: long },
      { type: 'TOOL_CALL_RESULT', toolCallId: 'r6', content: long },
      {
        type: 'run_item',
        item: {
          rawItem: { type: 'function_call_result', callId: 'r7', output: { type: 'text', text: long } },
        },
      },
      {
        type: 'content_block_start',
        content_block: { type: 'web_search_tool_result', tool_use_id: 'r8', content: [{ text: long }] },
      },
      { type: 'messages', a: { b: [{ role: 'tool', tool_call_id: 'small', content: 'ok' }] } },
    ]);
    const out = (await through(session.limitEvents({ resultChars: 1_000 }), events)) as object[];
    expect(out[7]).toBe(events[7]);
    for (const [i, event] of out.slice(0, 7).entries()) {
      const text = JSON.stringify(event);
      const words = i === 1 ? 9_000 : 0;
      expect(text.length).toBeLessThan(words + 2_600);
      expect(text).toMatch(/"limited":true|\[Limited preview for display: 9,000 chars/);
      expect(event).toMatchObject(i === 1 ? { content: [{ type: 'text', text: long }, {}] } : {});
    }
    for (let n = 1; n <= 8; n++) expect(JSON.stringify(out)).toContain(`"r${n}"`);
  });

  it('shows what an event holds, and each message its own, also where ids are used again', async () => {
    const { session } = openHistory();
    const ids: string[] = [];
    for (const tag of ['first', 'second']) {
      const call = { type: 'call', callId: 'call_0', tool: 't', input: '{}' } as const;
      await session.say({ role: 'assistant', parts: [call] });
      const result = { kind: 'text', text: linesOf(9_000, tag) } as const;
      ids.push((await session.result({ callId: 'call_0', tool: 't' }, result)).output.id);
    }
    const event = { type: 'tool-result', toolCallId: 'call_0', output: linesOf(9_000, 'first') };
    const [sent] = await through(session.limitEvents({ resultChars: 2_000 }), [event]);
    expect(JSON.stringify(sent)).toContain('first 1 of');
    const limited = await session.limitMessages(await all(session.transcript()), { resultChars: 2_000 });
    const texts = limited
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === 'result' ? part.blocks : []));
    for (const [i, tag] of ['first', 'second'].entries())
      expect(JSON.stringify(texts[i])).toMatch(new RegExp(`the whole is ${ids[i]}.*${tag} 1 of`));
  });

  it('begins with a mark of its byte order or not, and never ends an event that was not ended', async () => {
    const { session } = openHistory();
    const data = `data: ${JSON.stringify({ type: 'tool-result', toolCallId: 'c', output: linesOf(9_000) })}`;
    const options = { resultChars: 1_000 };
    const send = async (text: string) =>
      join(await through(session.limitServerSentEvents(options), [bytes(text)]));
    const plain = await send(`${data}\n\n`);
    expect(plain.length).toBeLessThan(1_200);
    expect(plain.endsWith('}\n\n')).toBe(true);
    expect(await send(`\uFEFF${data}\r\n\r\n`)).toBe(plain);
    expect(await send(`${data}\n`)).toBe(plain.slice(0, -1));
    expect(await send(data)).toBe(plain.slice(0, -1));
  });

  it('holds no event that is too large for it, and says how large it was', async () => {
    const { session } = openHistory();
    const chunks = [
      bytes('data: {"a":"'),
      ...Array.from({ length: 50 }, () => bytes('x'.repeat(1_000))),
      bytes('"}\n\ndata: {}\n\n'),
    ];
    const out = join(await through(session.limitServerSentEvents({ maxEventBytes: 10_000 }), chunks));
    expect(out).toBe(
      ': an event of 50016 bytes was too large for this stream and was left out\n\ndata: {}\n\n',
    );
  });

  it('makes its source wait', async () => {
    const { session } = openHistory();
    let pulled = 0;
    const source = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue({ type: 'text-delta', delta: 'x' });
      },
    });
    const reader = source.pipeThrough(session.limitEvents()).getReader();
    for (let i = 0; i < 5; i++) await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pulled).toBeLessThan(15);
    await reader.cancel();
  });

  it('shows only flags once its budget is used up', async () => {
    const { session } = openHistory();
    const { texts } = await tenResults(session);
    const events = texts.map((output, i) => ({ type: 'tool-result', toolCallId: `c${i}`, output }));
    const out = (await through(session.limitEvents({ resultChars: 3_000, totalChars: 7_000 }), events)) as {
      toolCallId: string;
      output: { preview: string; limited: boolean };
    }[];
    expect(out.map(({ toolCallId }) => toolCallId)).toEqual(events.map(({ toolCallId }) => toolCallId));
    expect(out.every(({ output }) => output.limited)).toBe(true);
    expect(out.slice(4).map(({ output }) => output.preview)).toEqual(['', '', '', '', '', '']);
    const contents = out.reduce((sum, { output }) => sum + output.preview.length, 0);
    expect(contents).toBeLessThanOrEqual(7_000);
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
