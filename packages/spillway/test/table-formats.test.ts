// Tables at the command line: what `element` counts is what `--rows` addresses, and a file name
// tells what the text leaves open.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, parsed, type ShownPage } from './program.ts';

const HEADER = 'id;remark, with, many, commas;state\n';
const semicolons =
  HEADER +
  Array.from({ length: 400 }, (_, i) => `${i};"one line, and\nanother of the same row";ok\n`).join('');

/** Two fields, one of them a sentence: without a file name it could be prose. */
const remarks = `id,remark\n${Array.from(
  { length: 600 },
  (_, i) => `${i},the ${'very '.repeat(i % 5)}quick brown fox jumps over a lazy dog\n`,
).join('')}`;

describe.concurrent('a table', () => {
  test('has as many rows for --rows as element counts', async () => {
    const workspace = await freshWorkspace();
    const truncated = await workspace.truncate(semicolons, '--strategy', 'element');
    const omitted = Number(/(\d+) rows/.exec(truncated.content)?.[1]);
    const kept = truncated.content.match(/^\d+;"one line/gm)?.length ?? 0;
    expect(kept + omitted).toBe(400);
    const page: ShownPage & { found: object } = parsed(
      await workspace.run(['artifacts', 'show', handleOf(truncated), '--rows', '400', '--json']),
    );
    expect(page.found).toMatchObject({ unit: 'row', first: 400, total: 400 });
    expect(page.content).toContain(`${HEADER}399;"one line, and\nanother of the same row";ok\n`);
  });

  test('is known by the name of the file that a command prints or that is truncated', async () => {
    const workspace = await freshWorkspace();
    await writeFile(join(workspace.root, 'remarks.csv'), remarks);
    const printed = await workspace.run(['exec', '--strategy', 'element', '--', 'cat', 'remarks.csv']);
    expect(printed.stdout).toMatch(/id,remark\n0,the[\s\S]*\d+ rows/);
    const named = await workspace.run(['truncate', '--strategy', 'element', 'remarks.csv']);
    expect(named.stdout).toMatch(/id,remark\n0,the[\s\S]*\d+ rows/);
    const unnamed = await workspace.truncate(remarks, '--strategy', 'element');
    expect(unnamed.content).not.toMatch(/\d+ rows/);
  });
});
