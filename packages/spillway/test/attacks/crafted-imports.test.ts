/**
 * Sessions that were made up: nothing of them leaves its folder, speaks for another output, or
 * breaks the program.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, freshWorkspace, handleOf, numberedLines, type Workspace } from '../program.ts';

const TEXT = numberedLines(3_000, 'a line of the output, number');

type Line = Record<string, never> & { record: { id: string; parts: { index: unknown }[] }; type: string };

async function exportedFrom(workspace: Workspace): Promise<Line[]> {
  await workspace.truncate(TEXT);
  const { stdout } = await workspace.run(['sessions', 'export', 'cli']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function asFile(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

describe('an import that was made up', () => {
  it.each<readonly [string, (lines: Line[]) => void, string]>([
    [
      'a path as id',
      (lines) => {
        for (const line of lines) if (line.type === 'output') line.record.id = '../../escaped';
      },
      '`record.id` must be the id of an output',
    ],
    [
      'a path as index',
      (lines) => {
        for (const line of lines)
          if (line.type === 'output') for (const part of line.record.parts) part.index = '../../../escaped';
      },
      '`record.parts[0].index` must be a whole number',
    ],
    [
      'parts that are none',
      (lines) => {
        for (const line of lines)
          if (line.type === 'output') Object.assign(line.record, { parts: { length: 3 } });
      },
      '`record.parts` must be a list',
    ],
  ])('with %s is refused by line and field, and nothing is written outside', async (_, forge, message) => {
    const [source, target] = [await freshWorkspace(), await freshWorkspace()];
    const lines = await exportedFrom(source);
    forge(lines);
    const { code, stderr } = await target.run(['sessions', 'import'], { input: asFile(lines) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^spillway: Line \d+: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Imported so far: 0 outputs and 0 messages.');
    await target.run(['artifacts', 'export', '--all', '--to', 'deep/in/here']);
    expect((await filesBelow(target.root)).filter((file) => file.includes('escaped'))).toEqual([]);
    expect(readdirSync(target.root)).not.toContain('escaped');
  });

  it('does not decide how an output of this workspace was shown', async () => {
    const [source, target] = [await freshWorkspace(), await freshWorkspace()];
    const lines = await exportedFrom(source);
    await target.run(['truncate'], { input: 'shown whole\n' });
    const [id = ''] = await target.ids('--all');
    const forged = JSON.parse(
      JSON.stringify(lines).replace(
        /"output":"art_[^"]*","audience":"model"/g,
        `"output":"${id}","audience":"screen"`,
      ),
    );
    const { code, stderr } = await target.run(['sessions', 'import', '--session', 'x'], {
      input: asFile(forged),
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('has a projection of another output')]);
    expect((await target.run(['artifacts', 'show', id, '--raw'])).stdout).toBe('shown whole\n');
    await target.run(['artifacts', 'export', id, '--to', 'out']);
    expect(readFileSync(join(target.root, 'out', id, 'projection.txt'), 'utf8')).toBe('shown whole\n');
  });

  it.each([
    ['an export', ''],
    ['messages of a framework', '--as openai_chat --session s'],
  ])('with a line without end is refused as %s', async (_, flags) => {
    const workspace = await freshWorkspace();
    const { code, stderr } = await workspace.shell(
      `head -c 600000000 /dev/zero | tr '\\0' a | spillway sessions import ${flags}`,
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^spillway: Line 1 has more than 256 MB: .*\n$/),
    ]);
  });

  it('that holds other line ends in its texts is taken in whole', async () => {
    const workspace = await freshWorkspace();
    const messages = JSON.stringify([{ role: 'user', content: 'one\u2028two\u2029three\u0085four' }]);
    await workspace.run(['sessions', 'import', '--as', 'openai_chat', '--session', 's'], { input: messages });
    const { stdout } = await workspace.run(['sessions', 'export', 's']);
    const { code } = await workspace.run(['sessions', 'import', '--session', 't'], { input: stdout });
    expect(code).toBe(0);
    const again = await workspace.run(['sessions', 'export', 't', '--as', 'openai_chat']);
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(messages));
  });

  it('that is whole is taken in as ever', async () => {
    const [source, target] = [await freshWorkspace(), await freshWorkspace()];
    const id = handleOf(await source.truncate(TEXT));
    const { stdout } = await source.run(['sessions', 'export', 'cli']);
    expect((await target.run(['sessions', 'import'], { input: stdout })).code).toBe(0);
    expect((await target.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(TEXT);
  });
});
