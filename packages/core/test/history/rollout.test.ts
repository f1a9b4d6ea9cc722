// The way from a host that cuts while it records: flags, both paths side by side, old records,
// screens.
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hydrate, type Message, rolloutMode, type Session } from '../../src/history/index.ts';
import { detectLegacy } from '../../src/history/legacy.ts';
import { textOf as storedText } from '../../src/testing/index.ts';
import { temporaryFolder } from '../folders.ts';
import { linesOf, openHistory, turn } from './opened.ts';

async function all(session: Session): Promise<Message[]> {
  const found: Message[] = [];
  for await (const message of session.transcript()) found.push(message);
  return found;
}

describe('the flag', () => {
  it('goes by name, or by a share that only ever adds sessions, and says the same in every process', () => {
    const names = Array.from({ length: 2_000 }, (_, i) => ({ scope: 's', session: `run-${i}` }));
    const on = (share: number) => names.filter((name) => rolloutMode(name, { on: share }) === 'on');
    const tenth = on(0.1);
    expect(tenth.length).toBeGreaterThan(140);
    expect(tenth.length).toBeLessThan(260);
    const half = new Set(on(0.5));
    expect(tenth.every((name) => half.has(name))).toBe(true);
    expect([on(0).length, on(1).length]).toEqual([0, 2_000]);
    expect(on(0.1)).toEqual(tenth);
    const shadowed = names.filter((name) => rolloutMode(name, { on: 0.2, shadow: 0.3 }) === 'shadow');
    expect(shadowed.length).toBeGreaterThan(500);
    expect(shadowed.length).toBeLessThan(700);
    expect(rolloutMode({ scope: 's', session: 'run-1' }, { on: 1, sessions: { 'run-1': 'off' } })).toBe(
      'off',
    );
    expect(rolloutMode({ scope: 's', session: 'toString' }, { sessions: {} })).toBe('off');
    expect(() => rolloutMode({ scope: 's', session: 'x' }, { on: 1.5 })).toThrow(
      /`on` must be a number from 0 to 1/,
    );
  });
});

describe('the shadow', () => {
  it('gives what the old path gives, keeps everything, and lists the real differences', async () => {
    const { session, store } = openHistory();
    const shadow = session.shadow((text) =>
      text.length <= 1_000 ? text : `${text.slice(0, 1_000)}... [truncated]`,
    );
    const rows = JSON.stringify(Array.from({ length: 900 }, (_, i) => ({ id: i, name: `row ${i}` })));
    const time = '2026-11-15T08:00:00Z';
    const calm = `${time} INFO request finished\n`.repeat(500);
    const log = `${calm}${time} ERROR the disk is full\n${calm}`;
    const results = [
      ['small', 'short'],
      ['rows', rows],
      ['log', log],
      ['emoji', `x${'😀'.repeat(2_000)}`],
    ] as const;
    for (const [callId, text] of results) {
      await session.say({ role: 'assistant', parts: [{ type: 'call', callId, tool: 't', input: '{}' }] });
      const legacy = await shadow.result({ callId, tool: 'execute_command' }, { kind: 'text', text });
      expect(legacy.length).toBeLessThanOrEqual(1_015);
    }
    const { report } = shadow;
    expect(report).toMatchObject({
      results: 4,
      identical: 1,
      kinds: { cut: 3, json: 1, error: 1, characters: 1, changed: 0, longer: 0, failed: 0 },
      ours: { json: 0, error: 0, characters: 0 },
    });
    expect(report.differences.map(({ callId, what }) => [callId, [...what].sort()])).toEqual([
      ['rows', ['cut', 'json']],
      ['log', ['cut', 'error']],
      ['emoji', ['characters', 'cut']],
    ]);
    expect(report.differences[1]).toMatchObject({
      original_size: log.length,
      legacy_size: 1_015,
      lost_by_legacy: log.length - 1_000,
    });
    expect(JSON.stringify(report)).not.toContain('disk is full');
    for (const { output, callId } of report.differences)
      expect(await storedText(store, output as 'art_1_xxxx')).toBe(
        results.find(([id]) => id === callId)?.[1],
      );
  });

  it('keeps the result also when the old path throws', async () => {
    const { session, store } = openHistory();
    const shadow = session.shadow(() => {
      throw new Error('the old path is broken');
    });
    const of = { callId: 'c', tool: 't' };
    await expect(shadow.result(of, { kind: 'text', text: 'kept' })).rejects.toThrow('the old path is broken');
    expect((await store.usage()).outputs).toBe(1);
    expect(shadow.report.kinds.failed).toBe(1);
  });
});

describe('a legacy record', () => {
  it('is recognised by its signs, with a confidence; whole text is not', () => {
    const cut = [
      `${linesOf(3_000)}\n\n[Output truncated: 31,204 characters omitted]`,
      '{"success":true,"truncated":true,"truncatedContentId":"tc_81","preview":"abc"}',
      `${linesOf(2_000)}... (12,345 chars truncated from stdout)`,
      `${linesOf(2_000)}\n... [2,310 lines / 80,000 chars omitted] ...\n${linesOf(900)}`,
      `${linesOf(2_000)}\n<output truncated to 30000 bytes>`,
      `${linesOf(2_000)}\n…[truncated]`,
      `⚠ Result too long, truncated at 8000 tokens\n${linesOf(900)}`,
    ];
    for (const text of cut)
      expect(detectLegacy(text)?.confidence, text.slice(-60)).toBeGreaterThanOrEqual(0.5);
    const whole = [
      '',
      'ok',
      linesOf(8_000),
      'export function truncate(text: string, max: number): string {\n  return text.slice(0, max);\n}\n',
      '{"items":[1,2,3],"truncated":false}',
      'The report was truncated by the editor, he said, and we laughed about it for a long time afterwards.',
      `{"a":${JSON.stringify(linesOf(600))}}`,
    ];
    for (const text of whole)
      expect(detectLegacy(text)?.confidence ?? 0, text.slice(0, 60)).toBeLessThan(0.5);
  });

  it('is filled in from a durable source that begins like it, beside the record; another source is not taken', async () => {
    const folder = await temporaryFolder();
    const log = join(folder, 'command.log');
    const whole = linesOf(90_000);
    await writeFile(log, whole);
    const { session, store } = openHistory();
    await session.import('openai_chat', [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'run', arguments: '{}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: `${whole.slice(0, 3_000)}\n... [87,000 characters truncated] ...`,
      },
    ]);
    const before: string[] = [];
    for await (const message of session.messages()) before.push(JSON.stringify(message));
    const other = await session.backfill('c1', `something else\n${whole}`);
    expect(other).toEqual({ verdict: 'differs', output: null });
    const { verdict, output } = await session.backfill('c1', createReadStream(log));
    expect(verdict).toBe('taken');
    expect(await storedText(store, output?.id ?? 'art_1_xxxx')).toBe(whole);
    const after: string[] = [];
    for await (const message of session.messages()) after.push(JSON.stringify(message));
    expect(after.slice(0, before.length)).toEqual(before);
    expect((await all(session)).at(-1)?.parts[0]).toMatchObject({ blocks: [{ type: 'text', text: whole }] });
    await session.backfill('c1', createReadStream(log));
    expect(await session.report()).toMatchObject({ calls: 1, results: 1, missing: 0 });
    await expect(session.backfill('nobody', 'x')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a screen', () => {
  it('that is loaded again shows what is kept, whatever it held: previews, nulls and placeholders never replace a result', async () => {
    const { session } = openHistory();
    const text = linesOf(40_000);
    const { output } = await turn(session, 1, text);
    const kept = await all(session);
    const limited = (await session.limitMessages(kept)) as unknown as Message[];
    const emptied = kept.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.type === 'result' ? { ...part, blocks: [] } : part)),
    }));
    for (const held of [[], limited, emptied, kept]) {
      const shown = await session.hydrate(held);
      expect(shown).toEqual(kept);
    }
    expect(kept.at(-1)?.parts[0]).toMatchObject({ output: output.id, blocks: [{ text }] });
  });

  it('keeps a real result that only it has, and messages that are not kept yet', async () => {
    const { session } = openHistory();
    await session.say({
      id: 'a',
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', tool: 't', input: '{}' }],
    });
    const kept = await session.hydrate();
    expect(kept[1]?.parts[0]).toMatchObject({ synthetic: 'missing' });
    const real = {
      type: 'result',
      callId: 'c',
      tool: 't',
      output: null,
      status: 'ok',
      synthetic: null,
    } as const;
    const held: Message[] = [
      { id: 'x', role: 'tool', parts: [{ ...real, blocks: [{ type: 'text', text: 'really' }] }] },
      { id: 'draft', role: 'user', parts: [{ type: 'text', text: 'not sent yet' }] },
    ];
    const shown = await session.hydrate(held);
    expect(shown.map(({ id }) => id)).toEqual(['a', 'a/results', 'draft']);
    expect(shown[1]?.parts[0]).toMatchObject({ blocks: [{ text: 'really' }] });
    expect(hydrate(shown, kept)[1]?.parts[0]).toMatchObject({ blocks: [{ text: 'really' }] });
  });

  it('gives a result that only it has to its own call, where an id was used again', async () => {
    const { session } = openHistory();
    const call = { type: 'call', callId: 'call_0', tool: 't', input: '{}' } as const;
    for (const id of ['a', 'b']) await session.say({ id, role: 'assistant', parts: [call] });
    const real = (text: string) =>
      ({
        type: 'result',
        callId: 'call_0',
        tool: 't',
        output: null,
        status: 'ok',
        synthetic: null,
        blocks: [{ type: 'text', text }],
      }) as const;
    const textsOf = async (held: Message[]) =>
      (await session.hydrate(held))
        .flatMap(({ parts }) => parts)
        .flatMap((part) => (part.type === 'result' ? part.blocks : []));
    const mine = await textsOf([
      { id: 'a/results', role: 'tool', parts: [real('of a')] },
      { id: 'b/results', role: 'tool', parts: [real('of b')] },
    ]);
    expect(mine).toEqual([
      { type: 'text', text: 'of a' },
      { type: 'text', text: 'of b' },
    ]);
    const nobodys = await textsOf([
      { id: 'x', role: 'tool', parts: [real('of a')] },
      { id: 'y', role: 'tool', parts: [real('of b')] },
    ]);
    for (const block of nobodys)
      expect(block).toMatchObject({ text: expect.stringContaining('No result was recorded') });
  });

  it('takes nothing for a result that is none: a stand-in, a preview, an empty one; nor a message twice', async () => {
    const { session } = openHistory();
    await session.say({
      id: 'a',
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', tool: 't', input: '{}' }],
    });
    const kept = await session.hydrate();
    const base = { type: 'result', callId: 'c', tool: 't', output: null, status: 'ok' } as const;
    const words = [{ type: 'text', text: 'words' }] as const;
    const missing =
      '[No tool output. No result was recorded for the call c of t. The call may still be running, or may have taken effect already.]';
    const earlier =
      '[No tool output. The call c of t has no recorded result. Run it again if its output is needed.]';
    const unreal = [
      { ...base, synthetic: 'missing', blocks: words },
      { ...base, synthetic: null, blocks: [] },
      { ...base, synthetic: null, blocks: [{ type: 'text', text: missing }] },
      { ...base, synthetic: null, blocks: [{ type: 'text', text: earlier }] },
      { ...base, synthetic: null, blocks: words, preview: { limited: true } },
    ] as const;
    for (const part of unreal)
      expect(await session.hydrate([{ id: 'x', role: 'tool', parts: [part] }])).toEqual(kept);
    const mixed: Message = {
      id: 'y',
      role: 'user',
      parts: [
        { ...base, synthetic: null, blocks: words },
        { type: 'text', text: 'and this' },
      ],
    };
    const shown = await session.hydrate([...kept, mixed]);
    expect(shown.map(({ id }) => id)).toEqual(['a', 'a/results', 'y']);
    expect(shown[1]?.parts[0]).toMatchObject({ blocks: words });
  });
});
