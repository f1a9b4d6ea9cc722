// Very many tiny parts: stored in order, fetched one by one, shown at both ends, in memory that
// does not grow with them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ContentBlock, Spillway } from '@spillway/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeFile } from '../folders.ts';
import { openSpillway, temporaryStore } from '../opening.ts';

const call = { tool: 't', session: 's', scope: 'scope' };
const textOf = (text: string): ContentBlock => ({ type: 'text', text });

function* blocksOf(count: number): Generator<ContentBlock> {
  for (let i = 1; i <= count; i++) yield textOf(`block ${i}\n`);
}

async function recorded(spillway: Spillway, blocks: Iterable<ContentBlock>, policy = {}) {
  const { projection } = await spillway.process(call, { kind: 'blocks', blocks }, { policy });
  const record = await spillway.sealed({ projection });
  if (record === null) throw new Error('not stored');
  return { projection, record, id: record.id };
}

async function rawOf(spillway: Spillway, args: object): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const bytes of await spillway.readRaw(args, 'scope')) all.push(bytes);
  return Buffer.concat(all);
}

describe('an output of very many parts', () => {
  it('is projected within its bound, with its first and last parts, and says how much is between', async () => {
    const count = 50_000;
    const { projection } = await openSpillway({ store: null }).process(call, {
      kind: 'blocks',
      blocks: blocksOf(count),
    });
    const { text, metadata } = projection;
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).toContain('block 1\n');
    expect(text.trimEnd().endsWith(`block ${count}`)).toBe(true);
    expect([metadata.original_lines, metadata.original_size]).toEqual([count, 588_894]);
    const [gap] = metadata.omitted;
    const shown = text.match(/^block \d+$/gm) ?? [];
    expect(metadata.omitted).toHaveLength(1);
    expect(gap).toMatchObject({ lines: count - shown.length });
    expect((gap?.last_part ?? 0) - (gap?.part ?? 0) + 1).toBe(count - shown.length);
    expect(text).toContain(`... [${(count - shown.length).toLocaleString('en')} parts: `);
  });

  it('is stored as few, in order and exactly, and every part can be fetched by its number', async () => {
    const spillway = openSpillway({ store: await temporaryStore() });
    const { record, id } = await recorded(spillway, blocksOf(30_000));
    expect(record.parts.length).toBeLessThan(1_010);
    const all = await rawOf(spillway, { artifact_id: id });
    expect(all.toString()).toBe(Array.from({ length: 30_000 }, (_, i) => `block ${i + 1}\n`).join(''));
    for (const number of [1, 999, 1_000, 1_001, 1_002, 17_777, 30_000]) {
      const page = await spillway.retrieve({ artifact_id: id, part: String(number) }, 'scope');
      expect(page).toMatchObject({ body: `block ${number}\n`, totalLines: 1, nextCall: null });
      expect(page.notice).toContain(`${id} ${number}: lines 1-1 of 1`);
    }
    await expect(spillway.retrieve({ artifact_id: id, part: '30001' }, 'scope')).rejects.toThrow(
      'This artifact has no such part. Its parts: 1, 2, 3,',
    );
    const narrow = await spillway.retrieve({ artifact_id: id, part: '20000', chars: '3-5' }, 'scope');
    expect(narrow.body).toBe('ock');
    await spillway.close();
  });

  it('leads from the notice into the gap, from there part by part, and behind a thousand by pages full of parts', async () => {
    const spillway = openSpillway({ store: await temporaryStore() });
    const { projection, id } = await recorded(spillway, blocksOf(9_000), { inlineLimit: 1_000 });
    const cursor = /cursor="([^"]+)"/.exec(projection.text)?.[1];
    const first = await spillway.retrieve({ artifact_id: id, cursor }, 'scope');
    expect(projection.text).not.toContain(first.body);
    const seen: string[] = [];
    const headers: string[] = [];
    for (let at: string | null = '998.0.10'; at !== null; ) {
      const page = await spillway.retrieve({ artifact_id: id, cursor: at }, 'scope');
      expect(page.text.length).toBeLessThanOrEqual(16_000);
      seen.push(page.body);
      headers.push(page.notice);
      at = page.nextCursor;
    }
    expect(seen.slice(0, 2)).toEqual(['block 999\n', 'block 1000\n']);
    expect(seen.join('')).toBe(Array.from({ length: 8_002 }, (_, i) => `block ${i + 999}\n`).join(''));
    expect(headers.slice(2)).toEqual([
      `[${id} 1001-2427: 1,427 whole parts, 1,427 lines, 15,697 chars. Next: get_artifact(artifact_id="${id}", cursor="2427.0.11")]\n`,
      ...[3_854, 5_281, 6_708, 8_135].map((last) => expect.stringContaining(`-${last}: 1,427 whole parts, `)),
      `[${id} 8136-9000: 865 whole parts, 865 lines, 9,515 chars]\n`,
    ]);
    await spillway.close();
  });

  it('keeps what each part is: its kind, type, notes, emptiness, seams and size', async () => {
    const spillway = openSpillway();
    const filler = Array.from(blocksOf(1_000));
    const large = 'L'.repeat(200_000);
    const late: ContentBlock[] = [
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      textOf('ends with CR\r'),
      textOf('\nbegins with LF'),
      textOf(''),
      textOf('\ud83d'),
      textOf('\ude00 is not half of it'),
      { type: 'json', value: { a: 12345678901234567890n } },
      textOf(large),
      { type: 'image', data: Uint8Array.of(1, 2, 3), mimeType: 'image/gif' },
      textOf('the end'),
    ];
    const { id, projection } = await recorded(spillway, [...filler, ...late]);
    const bodies: string[] = [];
    for (let position = 1_001; position <= 1_008; position++)
      bodies.push((await rawOf(spillway, { artifact_id: id, part: String(position) })).toString('latin1'));
    expect(bodies).toEqual([
      'ends with CR\r',
      '\nbegins with LF',
      '',
      '\xed\xa0\xbd',
      '\xed\xb8\x80 is not half of it',
      '{"a":{"$spillway":"bigint","value":"12345678901234567890"}}',
      large,
      'the end',
    ]);
    const page = await spillway.retrieve({ artifact_id: id, part: '1007', chars: '199999-200000' }, 'scope');
    expect(page).toMatchObject({ body: 'LL', totalChars: 200_000 });
    expect(projection.metadata.ill_formed).toBe(true);
    expect(projection.text.trimEnd().endsWith('the end')).toBe(true);
    expect((await spillway.preview({ scope: 'scope', id })).text).toBe(projection.text);
  });

  it('gives the same projection from the store as on its way in, whatever the parts are', async () => {
    const some = fc.oneof(
      fc.constantFrom('', ' ', '\n', ' \n ', 'x', 'telling', 'two\nlines\n', '\r', 'é', '日本語'),
      fc.integer({ min: 100, max: 400 }).map((length) => 'long '.repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(some, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(20, 900, 1_000, 1_001, 2_500),
        fc.constantFrom(300, 1_000, 8_000),
        async (cycle, count, inlineLimit) => {
          const spillway = openSpillway();
          const blocks = Array.from({ length: count }, (_, i) => textOf(cycle[i % cycle.length] ?? ''));
          const { projection, id } = await recorded(spillway, blocks, { inlineLimit });
          const chars = blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : 0), 0);
          expect(projection.metadata.original_size).toBe(chars);
          expect(projection.text.length).toBeLessThanOrEqual(inlineLimit);
          const again = await spillway.preview({ scope: 'scope', id }, { policy: { inlineLimit } });
          expect(again.text).toBe(projection.text);
          expect(again.metadata.omitted).toEqual(projection.metadata.omitted);
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });

  it('shows both ends also where many parts are images', async () => {
    const blocks = Array.from(
      { length: 20_000 },
      (_, i): ContentBlock =>
        i % 3 === 2 ? { type: 'image', data: 'aGk=', mimeType: 'image/png' } : textOf(`block ${i}`),
    );
    const { projection } = await openSpillway({ store: null }).process(call, { kind: 'blocks', blocks });
    expect(projection.text.length).toBeLessThanOrEqual(8_000);
    expect(projection.text).toContain('block 0\nblock 1\n[image/png, 4 bytes, sha256 ');
    expect(projection.text.endsWith('block 19998\nblock 19999')).toBe(true);
    expect(projection.blocks.filter(({ type }) => type === 'part').length).toBeGreaterThan(20);
    const pictures = Array.from({ length: 5_000 }, () => ({
      type: 'image' as const,
      data: 'aGk=',
      mimeType: 'image/png',
    }));
    const album = await openSpillway({ store: null }).process(call, { kind: 'blocks', blocks: pictures });
    expect(album.projection.text.length).toBeLessThanOrEqual(8_000);
    expect(album.projection.text).toMatch(/\n\.\.\. \[4,9\d\d parts: 0 lines \/ 0 chars omitted\] \.\.\.\n/);
  });

  it('shows what there is to show, however many empty parts are around it', async () => {
    const blocks = Array.from({ length: 20_000 }, (_, i) => textOf(i === 12_345 ? 'something' : ''));
    const { projection } = await openSpillway({ store: null }).process(call, { kind: 'blocks', blocks });
    expect([projection.text, projection.metadata.was_truncated]).toEqual(['something', false]);
  });
});

describe('parts that are written one by one', () => {
  it('may be interleaved up to a thousand; after that each ends all before it', async () => {
    const spillway = openSpillway();
    const capture = await spillway.open(call);
    const parts = Array.from({ length: 1_003 }, (_, i) => capture.part({ name: `p${i}` }));
    for (const part of parts.slice(0, 1_000)) await part.write('a');
    for (const part of parts.slice(0, 1_000)) await part.write('b');
    await parts[1_002]?.write('last');
    for (const i of [5, 1_000]) await expect(parts[i]?.write('c')).rejects.toMatchObject({ code: 'sealed' });
    await parts[1_002]?.write(' one');
    const answer = await capture.finish({ outcome: { status: 'ok' }, complete: true });
    const id = (await spillway.sealed(answer))?.id;
    const bodies = ['p0', 'p999', 'p1000', 'p1001', 'p1002'].map(async (part) =>
      (await rawOf(spillway, { artifact_id: id, part })).toString(),
    );
    expect(await Promise.all(bodies)).toEqual(['ab', 'ab', '', '', 'last one']);
  });

  it('after a thousand survive a crash once they are flushed', async () => {
    const file = await storeFile();
    const store = sqliteStore({ file });
    const capture = await openSpillway({ store }).open(call);
    for (let i = 1; i <= 1_100; i++) {
      const part = capture.part({ name: 'text' });
      await part.write(`part ${i} `);
      if (i === 1_050) await part.flush();
      if (i < 1_100) await part.end();
      else await part.flush();
    }
    // Closed without being finished: what was committed is sealed by the next to open the file.
    await store.close();
    const spillway = openSpillway({ store: sqliteStore({ file }) });
    const all = (await rawOf(spillway, { artifact_id: capture.id })).toString();
    expect(all).toBe(Array.from({ length: 1_100 }, (_, i) => `part ${i + 1} `).join(''));
    await spillway.close();
  });
});

describe('memory', () => {
  it.each(['nothing', 'sqlite'])(
    'does not grow with the number of parts, storing %s',
    async (kind) => {
      const script = fileURLToPath(new URL('many-parts-process.mjs', import.meta.url));
      const file = kind === 'sqlite' ? await storeFile() : '';
      // Everything per part, at the 1.8 KB that it once was, would be 270 MB.
      const child = spawn(process.execPath, ['--max-old-space-size=64', script, '150000', file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (data) => {
        text += data;
      });
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(JSON.parse(text)).toEqual({
        lines: 150_000,
        first: true,
        last: true,
        middle: kind === 'sqlite' ? 'block 75000\n' : null,
      });
    },
    120_000,
  );
});
