// What is no text is stored byte for byte, named and not shown; it is written to a file by a
// command that the notice tells.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines } from './program.ts';

/** Bytes of any value, always the same. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(20_000)]);

describe.concurrent('bytes that are no text', () => {
  test('of a file are named with kind and size, and come back exactly by the command that is told', async () => {
    const { run, root } = await freshWorkspace();
    await writeFile(join(root, 'picture.png'), png);
    const { stdout, code } = await run(['truncate', 'picture.png']);
    expect(code).toBe(0);
    const id = /artifacts export (art_\w+)/.exec(stdout)?.[1] ?? '';
    const { lines, chars } =
      /Showing 0 of (?<chars>[\d,]+) chars \((?<lines>[\d,]+) lines\)/.exec(stdout)?.groups ?? {};
    expect(stdout).toBe(
      `[Showing 0 of ${chars} chars (${lines} lines). More: spillway artifacts export ${id}]\n` +
        '[Not shown, as it is binary: PNG image, 20,008 bytes.]\n' +
        `... [${lines} lines / ${chars} chars omitted] ...\n`,
    );
    expect((await run(['artifacts', 'export', id])).code).toBe(0);
    const { parts } = JSON.parse(
      await readFile(join(root, 'spillway-export', id, 'record.json'), 'utf8'),
    ) as { parts: { role: string; bytes: number }[] };
    expect(parts.filter(({ role }) => role === 'content').map(({ bytes }) => bytes)).toEqual([20_008]);
    const exported = await run(['artifacts', 'export', id, '--json', '--to', 'again']);
    const [{ files, folder }] = (
      JSON.parse(exported.stdout) as { exported: [{ files: string[]; folder: string }] }
    ).exported;
    const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
    expect(contents.some((bytes) => bytes.equals(png))).toBe(true);
  });

  test('that a command writes beside a text leave the text and the exit code', async () => {
    const { run, root } = await freshWorkspace();
    const packed = gzipSync(noise(6_000));
    await writeFile(join(root, 'a.gz'), packed);
    const { stdout, code } = await run(['exec', '--', 'sh', '-c', 'cat a.gz; echo cannot go on >&2; exit 3']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^\[Exit code 3 after [\d.]+ s\. Showing 13 of /);
    expect(stdout).toContain(
      `[Not shown, as it is binary: stdout (gzip archive, ${packed.length.toLocaleString('en')} bytes).]\n`,
    );
    expect(stdout).toMatch(/\[stderr: 13 chars, 1 line\]\ncannot go on\n$/);
    expect(stdout).not.toContain('\ufffd');
  });

  test('that are few are shown as they are, and so is text in an encoding that is not known', async () => {
    const { run } = await freshWorkspace();
    const few = await run(['truncate'], { input: noise(300) });
    expect(few.stdout).toContain('\ufffd');
    const cyrillic = Buffer.from('d4c5cbd3d420cbcfc4cfcd204b4f49380a'.repeat(300), 'hex');
    expect((await run(['truncate'], { input: cyrillic })).stdout).toContain('KOI8\n');
  });

  test('are decoded where they are UTF-16 or Windows-1252; pages, searches and raw bytes follow', async () => {
    const { run, root } = await freshWorkspace();
    const text = Array.from({ length: 3_000 }, (_, i) => `Zeile ${i + 1}: größer\r\n`).join('');
    const odd = text.replace('Zeile 1500: größer', 'Fehler 1500: Größe – 5 € “zu viel”');
    const byByte = Buffer.from(odd.replaceAll('–', '\x96').replaceAll('€', '\x80'), 'latin1');
    byByte[byByte.indexOf(0x1c)] = 0x93;
    byByte[byByte.indexOf(0x1d)] = 0x94;
    for (const [encoding, bytes] of [
      ['utf-16le', Buffer.from(`\uFEFF${odd}`, 'utf16le')],
      ['utf-16be', Buffer.from(odd, 'utf16le').swap16()],
      ['windows-1252', byByte],
    ] as const) {
      await writeFile(join(root, 'out'), bytes);
      const ran = await run(['exec', '--json', '--', 'sh', '-c', 'cat out; exit 3']);
      const { content, metadata } = JSON.parse(ran.stdout) as {
        content: string;
        metadata: { encoding: string; artifact_id: string; original_size: number; original_lines: number };
      };
      expect(metadata).toMatchObject({ encoding, original_size: odd.length, original_lines: 3_000 });
      expect(content).toContain(`\n[Decoded from ${encoding}.]\n`);
      expect(content).toContain('Zeile 3000: größer');
      const get = (...flags: string[]) => run(['artifacts', 'show', metadata.artifact_id, ...flags]);
      expect((await get('--lines', '1500-1500')).stdout).toContain('Fehler 1500: Größe – 5 € “zu viel”');
      expect((await get('--grep', 'Größe – \\d €')).stdout).toContain('1500:Fehler 1500: Größe – 5 €');
      expect((await get('--raw')).bytes.equals(bytes)).toBe(true);
    }
  });

  test('are shown where detection is turned off', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['truncate', '--set', 'content_detection=false'], { input: png });
    expect(stdout).not.toContain('Not shown');
    expect(stdout).toContain('\ufffd');
  });

  test('after a text of more than a few kilobytes do not hide the text', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['truncate'], {
      input: Buffer.concat([Buffer.from(numberedLines(2_000)), png]),
    });
    expect(stdout).toContain('line 1\n');
  });
});
