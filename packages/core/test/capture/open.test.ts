/**
 * Outputs that a host feeds part by part: notes, envelopes, copies, and the blocks that come back.
 */
import { memoryStore, type OutputRecord, type Spillway } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

const CALL = { tool: 'read', session: 's', scope: 'a' };
const LONG = Array.from({ length: 400 }, (_, i) => `line ${i + 1} of a text that is too long\n`).join('');

async function recorded(feed: (capture: Awaited<ReturnType<Spillway['open']>>) => Promise<void>) {
  const store = memoryStore();
  const spillway = openSpillway({ store });
  const capture = await spillway.open(CALL);
  await feed(capture);
  const { projection } = await capture.finish({ outcome: { status: 'ok' }, complete: true });
  return { store, spillway, projection, record: (await spillway.sealed({ projection })) as OutputRecord };
}

describe('a part that only repeats another', () => {
  it('is kept and fetched when it is named, and neither shown nor counted nor walked through', async () => {
    const { spillway, projection, record } = await recorded(async (capture) => {
      const text = capture.part({ name: 'text', alone: true });
      await text.write(LONG);
      await text.end();
      const copy = capture.part({ name: 'structured', kind: 'json', alone: true });
      await copy.write(JSON.stringify({ content: LONG }));
      await copy.end(['copy']);
    });
    expect(projection.metadata.original_size).toBe(LONG.length);
    expect(projection.text).not.toContain('"content"');
    expect(record.parts.map(({ name, notes }) => [name, notes])).toEqual([
      ['text', []],
      ['structured', ['copy']],
    ]);
    const last = await spillway.retrieve({ artifact_id: record.id, lines: '400' }, 'a');
    expect(last.nextCall).toBeNull();
    expect(last.notice).not.toContain('text:');
    const named = await spillway.retrieve({ artifact_id: record.id, part: 'structured', chars: '1-12' }, 'a');
    expect(named.body).toBe('{"content":"');
    expect((await spillway.project({ scope: 'a', id: record.id })).text).toBe(projection.text);
    expect((await spillway.preview({ scope: 'a', id: record.id })).text).toBe(projection.text);
  });
});

it('a buffer that its host fills anew for each chunk loses nothing, however long the chunks are', async () => {
  const chunks = ['first, ', 'second, ', `${'third '.repeat(20_000)}, `, 'last'];
  const { spillway, record } = await recorded(async (capture) => {
    const part = capture.part({ name: 'text' });
    for (const chunk of chunks) {
      const buffer = Buffer.from(chunk);
      await part.write(buffer);
      buffer.fill('x');
    }
  });
  const raw: Uint8Array[] = [];
  for await (const bytes of await spillway.readRaw({ artifact_id: record.id }, 'a')) raw.push(bytes);
  expect(Buffer.concat(raw).toString()).toBe(chunks.join(''));
});

describe('an envelope', () => {
  it('is stored with its output and is no part of what the tool said', async () => {
    const { store, spillway, record } = await recorded(async (capture) => {
      const envelope = capture.part({ name: 'message', role: 'envelope', kind: 'binary', alone: true });
      await envelope.write('{"result":');
      await capture.part({ name: 'text', alone: true }).write('said');
      await envelope.write('}');
    });
    const envelope = record.parts.find(({ role }) => role === 'envelope');
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.read(record.id, envelope?.index ?? -1, { bytes: 0 })).pieces)
      pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('{"result":}');
    expect((await spillway.retrieve({ artifact_id: record.id }, 'a')).body).toBe('said');
    expect(record.parts.map(({ role }) => role)).toEqual(['envelope', 'content']);
  });
});

describe('the blocks of a projection', () => {
  it('name the part that each shows; a notice of its own names none', async () => {
    const { projection } = await recorded(async (capture) => {
      await capture.part({ name: 'text', alone: true }).write('short');
      await capture.part({ name: 'text', alone: true }).write(LONG);
      await capture.part({ name: 'block', kind: 'binary', alone: true }).write('{}');
    });
    expect(projection.blocks.map((block) => [block.type, block.part])).toEqual([
      ['text', 0],
      ['text', 1],
      ['part', 2],
    ]);
    const json = await recorded(async (capture) => {
      await capture.part({ name: 'text', kind: 'json' }).write(JSON.stringify(LONG.split('\n')));
    });
    expect(json.projection.blocks.map((block) => block.part)).toEqual([undefined, 0]);
  });

  it('hold a small JSON block beside a long text', async () => {
    const spillway = openSpillway();
    const blocks = [
      { type: 'text' as const, text: LONG },
      { type: 'json' as const, value: { kept: 'also this' } },
    ];
    const { projection } = await spillway.process(CALL, { kind: 'blocks', blocks });
    expect(projection.text).toContain('{"kept":"also this"}');
  });

  it('hold a failure inside JSON that stays JSON', async () => {
    const spillway = openSpillway();
    const value = Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: `row ${i}` }));
    const outcome = { status: 'error' as const, exitCode: 1 };
    const { projection } = await spillway.process(CALL, { kind: 'value', value }, { outcome });
    const [only, ...more] = projection.blocks;
    expect(more).toEqual([]);
    expect(only?.type === 'text' && Array.isArray(JSON.parse(only.text))).toBe(true);
  });
});

describe('the input of a call', () => {
  it('is kept as it was written where the host has the text', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const inputText = '{ "n": 12345678901234567890, "n": 1 }';
    const call = { ...CALL, input: JSON.parse(inputText) as unknown, inputText };
    const record = (await spillway.sealed(
      await spillway.process(call, { kind: 'text', text: 'x' }),
    )) as OutputRecord;
    const reading = await store.read(
      record.id,
      record.parts.findIndex(({ role }) => role === 'input'),
      { bytes: 0 },
    );
    const pieces: Uint8Array[] = [];
    for await (const piece of reading.pieces) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(inputText);
  });
});

describe('a part behind the first thousand', () => {
  it('comes back whole when it is a byte too long for a bundle', async () => {
    const text = `${'x'.repeat(65_535)}\ny`;
    const { spillway, record } = await recorded(async (capture) => {
      for (let i = 0; i < 1_000; i++) {
        const part = capture.part({ name: 'text', alone: true });
        await part.write('few\n');
        await part.end();
      }
      const late = capture.part({ name: 'text', alone: true });
      await late.write(text);
      await late.end();
    });
    const chunks: Uint8Array[] = [];
    for await (const { part, bytes } of spillway.contents(record))
      if (part.index === 1_000) for await (const piece of bytes) chunks.push(piece);
    expect(Buffer.concat(chunks).toString()).toBe(text);
  });
});
