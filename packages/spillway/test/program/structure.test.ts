// `spillway artifacts show` by structure: JSONPath, rows, a file of a diff, an XML path.
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, parsed, type ShownPage } from '../program.ts';

const items = Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: `item ${i}` }));

describe.concurrent('artifacts show', () => {
  test('--json-path prints values with their paths, and the call for the next page', async () => {
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(JSON.stringify({ items })));
    const few = await workspace.run(['artifacts', 'show', id, '--json-path', '$.items[1998:].name']);
    expect(few).toMatchObject({
      code: 0,
      stdout: `$['items'][1998]['name']: "item 1998"\n$['items'][1999]['name']: "item 1999"\n`,
      stderr: `[${id}: matches 1-2 of 2]\n`,
    });
    const first = await workspace.run([
      'artifacts',
      'show',
      id,
      '--json-path',
      "$.items[?search(@.name, 'item')]",
    ]);
    const next = /Next: spillway (artifacts show .*)\]\n$/.exec(first.stderr)?.[1] ?? '';
    const second = await workspace.shell(`spillway ${next}`);
    const last = /\[(\d+)\]: .*\n$/.exec(first.stdout)?.[1];
    expect(second.stdout).toMatch(new RegExp(`^\\$\\['items'\\]\\[${Number(last) + 1}\\]: `));
  });

  test('--rows, --file and --xml-path print parts of tables, diffs and XML', async () => {
    const workspace = await freshWorkspace();
    const csv = handleOf(
      await workspace.truncate(`id,name\n${items.map(({ id, name }) => `${id},${name}\n`).join('')}`),
    );
    const rows: ShownPage & { found: object } = parsed(
      await workspace.run(['artifacts', 'show', csv, '--rows', '7-8', '--json']),
    );
    expect(rows).toMatchObject({
      content: 'id,name\n6,item 6\n7,item 7\n',
      found: { unit: 'row', first: 7, last: 8, total: 2_000 },
    });
    const file = (name: string) =>
      `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;
    const diff = handleOf(
      await workspace.truncate(Array.from({ length: 200 }, (_, i) => file(`f ${i}.txt`)).join('')),
    );
    expect((await workspace.run(['artifacts', 'show', diff, '--file', 'f 7.txt'])).stdout).toBe(
      file('f 7.txt'),
    );
    const xml = handleOf(
      await workspace.truncate(`<list>${items.map(({ id }) => `<item id="${id}"/>`).join('')}</list>`),
    );
    expect((await workspace.run(['artifacts', 'show', xml, '--xml-path', '/list/item[9]/@id'])).stdout).toBe(
      '/list[1]/item[9]/@id: 8\n',
    );
  });

  test('refuses what does not go together or is empty, as a usage error', async () => {
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(JSON.stringify({ items })));
    for (const [flags, message] of [
      [['--json-path', '$', '--rows', '1-2'], 'not for several at once'],
      [['--json-path', '$', '--raw'], 'json_path has no raw form'],
      [['--file', ''], '--file was given without a value'],
      [['--json-path', 'items'], 'not a valid JSONPath (RFC 9535), at char 1'],
      [['--file', 'x'], 'This part is not a diff'],
    ] as const) {
      const { code, stdout, stderr } = await workspace.run(['artifacts', 'show', id, ...flags]);
      expect({ code, stdout }, flags.join(' ')).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(message);
    }
  });
});
