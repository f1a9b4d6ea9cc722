import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/history/index.ts';
import { textOf as storedText } from '../../src/testing/index.ts';
import { temporaryStore } from '../opening.ts';
import { linesOf, openHistory, turn } from './opened.ts';

async function written(session: Session): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of session.exportLines()) lines.push(line);
  return lines;
}

async function rich(session: Session): Promise<void> {
  await session.say({ role: 'system', parts: [{ type: 'text', text: 'with \0 and a lone \ud800' }] });
  await session.say({ role: 'user', parts: [{ type: 'media', mediaType: 'image/png', data: 'AAAA' }] });
  for (let i = 0; i < 4; i++) await turn(session, i, linesOf(i === 2 ? 300_000 : 3_000, `t${i}`));
  await session.result({ callId: 'call-1', tool: 'read_file' }, { kind: 'text', text: 'another version' });
  const blocks = Array.from({ length: 1_500 }, (_, i) => ({ type: 'text', text: `block ${i}\r\n` }) as const);
  await session.say({ role: 'assistant', parts: [{ type: 'call', callId: 'many', tool: 't', input: '{}' }] });
  await session.result({ callId: 'many', tool: 't' }, { kind: 'blocks', blocks });
  await session.prepare({ window: 60_000 });
  await session.compact({ keepTokens: 3_000 });
  await session.prepare({ window: 60_000 });
}

describe('a session as JSON Lines', () => {
  it('is the same in another store: messages, bytes, handles, what was sent and summaries; and again nothing changes', async () => {
    const one = openHistory();
    await rich(one.session);
    const lines = await written(one.session);
    const contents = lines.filter((line) => line.startsWith('{"type":"bytes"'));
    expect(Math.max(...contents.map((line) => line.length))).toBeLessThan(70_000);
    const other = openHistory({ store: await temporaryStore() });
    for (let again = 0; again < 2; again++) {
      const taken = await other.session.importLines(lines);
      expect(taken).toMatchObject(
        again === 0 ? { messages: 17, summaries: 1 } : { messages: 0, summaries: 0 },
      );
      expect((await written(other.session)).map((line) => JSON.parse(line))).toEqual(
        lines.map((line) => JSON.parse(line)),
      );
    }
    expect(await other.session.prepare({ window: 50_000 })).toEqual(
      await one.session.prepare({ window: 50_000 }),
    );
    expect(await other.session.export('openai_chat')).toEqual(await one.session.export('openai_chat'));
    await other.spillway.close();
  });

  it('is checked: bytes that were changed, lines that are missing and handles that stand for something else are told', async () => {
    const { session } = openHistory();
    await turn(session, 1, linesOf(5_000));
    const lines = await written(session);
    const at = lines.findIndex((line) => line.includes('"bytes"') && line.length > 2_000);
    const changed = lines.with(at, (lines[at] ?? '').replace(/"base64":"..../, '"base64":"AAAA'));
    for (const [broken, code] of [
      [changed, 'corrupt'],
      [lines.filter((_, i) => i !== at), 'corrupt'],
      [lines.with(at, '{"type":"byt'), 'corrupt'],
      [lines.slice(at), 'corrupt'],
      [lines.slice(1), 'corrupt'],
      [['{"type":"session","format":3}'], 'invalid_argument'],
    ] as const) {
      const other = openHistory();
      await expect(other.session.importLines(broken)).rejects.toMatchObject({ code });
      expect((await other.store.usage()).outputs).toBe(0);
    }
    const other = openHistory();
    await other.session.importLines(lines);
    const [id] = JSON.stringify(lines).match(/art_\d+_\w+/) ?? [];
    const forged = lines.map((line) => line.replace(/"hash":"[0-9a-f]{4}/g, '"hash":"0000'));
    await expect(other.session.importLines(forged)).rejects.toMatchObject({ code: 'conflict' });
    expect(await storedText(other.store, id as 'art_1_xxxx', 1)).toBe(linesOf(5_000));
  });
});
