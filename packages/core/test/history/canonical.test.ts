// What goes into a history, and what cannot.
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/history/index.ts';
import type { OutputRecord } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { textOf as storedText } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';

describe('canonical_tool_result_is_lossless', () => {
  it('a result of 50,000 chars is kept byte for byte, without a marker', async () => {
    const { session, store } = openHistory();
    const text = linesOf(50_000);
    const { output, message } = await turn(session, 1, text);
    expect(await storedText(store, output.id, 1)).toBe(text);
    expect(message.parts).toEqual([
      { type: 'result', callId: 'call-1', tool: 'read_file', output: output.id, status: 'ok' },
    ]);
  });

  it('200,000 chars go through the whole path: canonical has all, the model gets a bounded text, nothing becomes an error', async () => {
    const { session, store } = openHistory();
    const text = linesOf(200_000);
    const { output } = await turn(session, 1, text);
    const prepared = await session.prepare({ window: 100_000 });
    if (prepared.verdict === 'refused') throw new Error('refused');
    const result = prepared.messages.at(-1)?.parts[0];
    if (result?.type !== 'result') throw new Error('no result');
    expect(textOf(result).length).toBeLessThanOrEqual(8_000);
    expect(textOf(result)).toContain(output.id);
    expect(result).toMatchObject({ output: output.id, status: 'ok', synthetic: null });
    expect(await storedText(store, output.id, 1)).toBe(text);
  });

  it('text and image blocks keep their order, their bytes and their white space', async () => {
    const { session } = openHistory();
    const blocks = [
      { type: 'text', text: '  before\r\n\t' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'text', text: '\n after  ' },
    ] as const;
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', tool: 'shot', input: '{}' }],
    });
    await session.result({ callId: 'c', tool: 'shot' }, { kind: 'blocks', blocks });
    const all = [];
    for await (const message of session.transcript()) all.push(message);
    expect(all.at(-1)?.parts[0]).toMatchObject({
      blocks: [
        { type: 'text', text: '  before\r\n\t' },
        { type: 'media', mediaType: 'image/png', data: { base64: 'iVBORw0KGgo=' } },
        { type: 'text', text: '\n after  ' },
      ],
    });
  });

  it('an error whose payload says success stays an error, also when it is cut', async () => {
    const { session } = openHistory();
    for (const [id, text] of [
      ['small', '{"success": true}'],
      ['large', `{"success": true}\n${linesOf(90_000)}`],
    ] as const) {
      await session.say({ role: 'assistant', parts: [{ type: 'call', callId: id, tool: 't', input: '{}' }] });
      await session.result({ callId: id, tool: 't', outcome: { status: 'error' } }, { kind: 'text', text });
    }
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const results = prepared.messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
    expect(results.map(({ status }) => status)).toEqual(['error', 'error']);
  });

  it('a tool that prints our own notice is stored verbatim, and not suspected of anything', async () => {
    const { session, store, history } = openHistory();
    const { output } = await turn(session, 1, linesOf(60_000));
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const shown = prepared.messages.at(-1)?.parts[0];
    if (shown?.type !== 'result') throw new Error('no result');
    const printed = textOf(shown);
    expect(printed).toContain(output.id);
    const again = await turn(session, 2, printed, 'cat');
    expect(await storedText(store, again.output.id, 1)).toBe(printed);
    expect(history.counters).toMatchObject({
      rendered_writes: 0,
      canonical_writes: 2,
      suspected_truncations: 0,
    });
  });

  it('a result that is said ten times is written, and counted, once', async () => {
    const { session, history } = openHistory();
    await turn(session, 1, 'three\nshort\nlines');
    const of = { callId: 'call-1', tool: 'read_file', input: { step: 1 } };
    for (let i = 0; i < 9; i++) await session.result(of, { kind: 'text', text: 'three\nshort\nlines' });
    expect(history.counters.canonical_writes).toBe(1);
    await session.result(of, { kind: 'text', text: 'another version' });
    expect(history.counters.canonical_writes).toBe(2);
  });

  it('our own view of a call, handed back as its result, is refused in development', async () => {
    const { session, history } = openHistory({ history: { invariants: 'throw' } });
    const of = { callId: 'call-1', tool: 'read_file' };
    await turn(session, 1, linesOf(60_000));
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const shown = prepared.messages.at(-1)?.parts[0];
    if (shown?.type !== 'result') throw new Error('no result');
    const error = await session.result(of, { kind: 'text', text: textOf(shown) }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'invariant' });
    expect(error.message).toMatch(
      /^canonical_tool_result_is_lossless: what is offered as the result of this call is our own view of art_/,
    );
    expect(history.counters.rendered_writes).toBe(1);
  });

  it('and is replaced by what it was made from, and counted, in production', async () => {
    const { session, store, history } = openHistory({ history: { invariants: 'count' } });
    const text = linesOf(60_000);
    const { output } = await turn(session, 1, text);
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const shown = prepared.messages.at(-1)?.parts[0];
    if (shown?.type !== 'result') throw new Error('no result');
    const again = await session.result(
      { callId: 'call-1', tool: 'read_file' },
      { kind: 'text', text: textOf(shown) },
    );
    expect(again.output.id).toBe(output.id);
    expect(history.counters).toMatchObject({ rendered_writes: 1, canonical_tool_result_is_lossless: 1 });
    expect((await store.usage()).outputs).toBe(1);
    expect(await storedText(store, output.id, 1)).toBe(text);
  });

  it('also a view that names no handle is known: a command with its labels, handed back as if it were its output', async () => {
    const { session, store, history } = openHistory({ history: { invariants: 'count' } });
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', tool: 'execute_command', input: '{}' }],
    });
    const of = { callId: 'c', tool: 'execute_command' };
    const exec = { kind: 'exec', stdout: 'out\n', stderr: 'err\n', exitCode: 2 } as const;
    const { output } = await session.result(of, exec);
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const shown = prepared.messages.at(-1)?.parts[0];
    if (shown?.type !== 'result') throw new Error('no result');
    expect(textOf(shown)).toContain('Exit code 2');
    expect((await session.result(of, { kind: 'text', text: textOf(shown) })).output.id).toBe(output.id);
    expect(history.counters.rendered_writes).toBe(1);
    expect((await store.usage()).outputs).toBe(1);
    await session.result(of, exec);
    expect(history.counters.rendered_writes).toBe(1);
  });

  it('what we put in the place of a missing result is no result: refused in development, and no obstacle to the real one in production', async () => {
    for (const mode of ['throw', 'count'] as const) {
      const { session } = openHistory({ history: { invariants: mode } });
      await session.say({
        role: 'assistant',
        parts: [{ type: 'call', callId: 'c', tool: 't', input: '{}' }],
      });
      const prepared = await session.prepare();
      if (prepared.verdict === 'refused') throw new Error('refused');
      const shown = prepared.messages.at(-1)?.parts[0];
      if (shown?.type !== 'result') throw new Error('no result');
      const of = { callId: 'c', tool: 't' };
      const back = session.result(of, { kind: 'text', text: textOf(shown) });
      if (mode === 'throw') await expect(back).rejects.toThrow(/^canonical_tool_result_is_lossless: /);
      else await back;
      await session.result(of, { kind: 'text', text: 'the real one' });
      const later = await session.prepare();
      expect(JSON.stringify(later)).toContain('the real one');
      expect(JSON.stringify(later)).not.toContain('No tool output');
    }
  });

  it('a store that does not keep what it was given is noticed in development', async () => {
    const { store, spillway } = openHistory();
    const lossy: typeof store = {
      ...store,
      read: async (id, part, from) => {
        const reading = await store.read(id, part, from);
        return { ...reading, pieces: cut(reading.pieces) };
      },
    };
    const { session } = openHistory({ store: lossy, history: { invariants: 'throw', spillway } });
    await expect(turn(session, 1, linesOf(20_000))).rejects.toMatchObject({ code: 'invariant' });
  });

  it('a projection cannot be said: the types forbid it', async () => {
    const { session, spillway } = openHistory();
    const { projection } = await spillway.process({ ...NAME, tool: 't' }, { kind: 'text', text: 'x' });
    // @ts-expect-error a projected text is nobody's words
    await session.say({ role: 'user', parts: [{ type: 'text', text: projection.text }] });
    const of = { callId: 'c', tool: 't' };
    // @ts-expect-error nor a tool's
    await session.result(of, { kind: 'text', text: projection.text });
    await turn(session, 1, 'short');
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const last = prepared.messages.at(-1);
    // @ts-expect-error and what is to be sent was said already
    if (last !== undefined) await session.say(last).catch(() => undefined);
    for await (const message of session.transcript()) {
      // @ts-expect-error nor can a transcript be said
      await session.say(message).catch(() => undefined);
    }
  });
});

describe('a session', () => {
  it('of 50 runs is all there after it is opened again: the next turn runs no tool, and nothing rendered was written', async () => {
    const file = await storeFile();
    const texts = Array.from({ length: 50 }, (_, i) => linesOf(12_000 + i * 100, `run ${i}`));
    const first = openHistory({ store: sqliteStore({ file }) });
    for (const [i, text] of texts.entries()) await turn(first.session, i, text);
    const before = await first.session.prepare();
    expect(first.history.counters).toMatchObject({ rendered_writes: 0, canonical_writes: 50 });
    await first.spillway.close();

    const again = openHistory({ store: sqliteStore({ file }), spillway: {} });
    again.spillway.settings.replace('smaller', []);
    expect(await again.session.prepare()).toEqual(before);
    expect(again.history.counters).toMatchObject({ missing_results: 0 });
    const outputs: OutputRecord[] = [];
    for await (const { parts } of again.session.messages())
      for (const part of parts)
        if (part.type === 'result')
          outputs.push((await again.store.find({ scope: NAME.scope, id: part.output })) as OutputRecord);
    for (const [i, output] of outputs.entries())
      expect(await storedText(again.store, output.id, 1)).toBe(texts[i]);
    expect(await again.session.report()).toEqual({
      messages: 150,
      calls: 50,
      results: 50,
      missing: 0,
      surplus: 0,
      orphans: 0,
      re_executions: 0,
      refetches: 0,
      legacy: 0,
    });
    await again.spillway.close();
  });

  it('takes the same result of the same call once, and a reused call id for every call', async () => {
    const { session } = openHistory();
    for (let i = 0; i < 3; i++) {
      await session.say({
        role: 'assistant',
        parts: [{ type: 'call', callId: 'c0', tool: 't', input: `${i}` }],
      });
      for (let again = 0; again < 2; again++)
        await session.result({ callId: 'c0', tool: 't' }, { kind: 'text', text: 'ok' });
    }
    expect(await session.report()).toMatchObject({
      messages: 6,
      calls: 3,
      results: 3,
      surplus: 0,
      missing: 0,
    });
    const prepared = await session.prepare();
    expect(prepared).toMatchObject({ missing: [], orphans: [] });
  });

  it('reports what was asked for again, and what was fetched', async () => {
    const { session, spillway } = openHistory();
    const { output } = await turn(session, 1, linesOf(30_000));
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'again', tool: 'read_file', input: '{"step":1}' }],
    });
    await spillway.retrieve({ artifact_id: output.id, lines: '1-2' }, NAME.scope);
    expect(await session.report()).toMatchObject({ re_executions: 1, refetches: 1, missing: 1 });
  });

  it('holds media apart from the message, whole', async () => {
    const { session, store } = openHistory();
    const data = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256);
    const recorded = await session.say({
      role: 'user',
      parts: [{ type: 'media', mediaType: 'image/png', data }],
    });
    expect(JSON.stringify(recorded).length).toBeLessThan(500);
    const prepared = await session.prepare({ window: 10_000 });
    expect(prepared).toMatchObject({
      numbers: { tokens: 1_504 },
      messages: [
        { parts: [{ mediaType: 'image/png', data: { base64: Buffer.from(data).toString('base64') } }] },
      ],
    });
    expect((await store.usage()).bytes).toBe(70_000);
  });
});

async function* cut(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield piece.subarray(0, Math.ceil(piece.length / 2));
}
