// Bytes of every kind through the program: stored as they were, shown as well-formed text.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, parsed, type ShownPage } from '../program.ts';

const ILL_FORMED: Record<string, number[]> = {
  'a continuation byte alone': [0x80],
  'an overlong slash': [0xc0, 0xaf],
  'an overlong NUL': [0xc0, 0x80],
  'an overlong of three': [0xe0, 0x80, 0xaf],
  'an overlong of four': [0xf0, 0x80, 0x80, 0xaf],
  'a high surrogate': [0xed, 0xa0, 0x80],
  'a low surrogate': [0xed, 0xbf, 0xbf],
  'a pair of surrogates': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  'beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'bytes that never occur': [0xf5, 0xf8, 0xfc, 0xfe, 0xff],
  'a sequence cut short': [0xf0, 0x9f, 0x98],
  'a lead before a letter': [0xe6, 0x97, 0x41],
};

describe.concurrent('ill-formed bytes', () => {
  test('of every kind come back exactly, and are shown as well-formed text', async () => {
    const { truncate, run } = await freshWorkspace();
    const kinds = Object.values(ILL_FORMED).map((bytes) => Buffer.from([0x61, ...bytes, 0x62, 0x0a]));
    const all = Buffer.concat([...kinds, ...Array.from({ length: 256 }, (_, i) => Buffer.of(i, 0x0a))]);
    const input = Buffer.concat(Array.from({ length: 40 }, () => all));
    const cut = await truncate(input);
    expect(cut.content.isWellFormed()).toBe(true);
    expect(cut.content.length).toBeLessThanOrEqual(8_000);
    const id = handleOf(cut);
    expect((await run(['artifacts', 'show', id, '--raw'])).bytes.equals(input)).toBe(true);
    const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input);
    let together = '';
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: ShownPage = parsed(
        await run(['artifacts', 'show', id, '--json', ...(cursor === '' ? [] : ['--cursor', cursor])]),
      );
      together += page.content;
      cursor = page.next_cursor;
    }
    // A surrogate in three bytes is one U+FFFD here, three on the web.
    const ours = (text: string) => text.replace(/\uFFFD+/g, '\uFFFD');
    expect(ours(together)).toBe(ours(decoded));
  });

  test('alone, the shortest of each kind, are stored and shown', async () => {
    const { truncate, run } = await freshWorkspace();
    for (const bytes of Object.values(ILL_FORMED).slice(0, 6)) {
      const id = handleOf(await truncate(Buffer.from(bytes)));
      expect((await run(['artifacts', 'show', id, '--raw'])).bytes.equals(Buffer.from(bytes))).toBe(true);
    }
  });
});

test.concurrent('every control character goes through truncate and show unchanged', async () => {
  const { run, truncate } = await freshWorkspace();
  const controls =
    Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).join('') +
    '\x7f\u0080\u009b\u2028\u202e\ufeff';
  const text = `${`${controls}\x1b[31mred\x1b[0m\x1b]0;title\x07 `.repeat(20)}\n`;
  expect((await run(['truncate'], { input: text })).stdout).toBe(text);
  const long = text.repeat(20);
  const id = handleOf(await truncate(long));
  expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe(long);
  const { code, stderr } = await run(['artifacts', 'show', id, '--lines', '1-3']);
  expect(code).toBe(0);
  // What is told to people never holds what a tool said.
  expect(stderr).toMatch(/^[\x20-\x7e]+\n$/);
});

test.concurrent('one line of 200 MB is captured in little memory, and its middle is found at once', async () => {
  const { root, shell, run, ids } = await freshWorkspace();
  const file = createWriteStream(join(root, 'line.txt'));
  const block = Buffer.from('0123456789abcdef'.repeat(65_536));
  for (let i = 0; i < 200; i++) if (!file.write(block)) await once(file, 'drain');
  file.end();
  await finished(file);
  const size = (await stat(join(root, 'line.txt'))).size;
  const cut = await shell('NODE_OPTIONS=--max-old-space-size=64 spillway truncate line.txt --limit 1000');
  expect({ code: cut.code, stderr: cut.stderr }).toEqual({ code: 0, stderr: '' });
  expect(cut.stdout.length).toBeLessThanOrEqual(1_000);
  const [id = ''] = await ids();
  const page: ShownPage = parsed(
    await run(['artifacts', 'show', id, '--json', '--chars', '100000001-100000016']),
  );
  expect(page).toMatchObject({ content: '0123456789abcdef', total_chars: size, total_lines: 1 });
});
