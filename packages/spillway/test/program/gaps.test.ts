// Every gap leads back: of each format, what a marker and the notice name is fetched with the real
// program, and is just what was left out.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, parsed, type ShownPage, type Workspace } from '../program.ts';

interface Cut {
  readonly content: string;
  readonly notice: string | null;
  readonly metadata: {
    readonly artifact_id: string;
    readonly omitted: readonly {
      readonly chars: number;
      readonly lines: number;
      readonly first_char: number;
      readonly last_char: number;
      readonly first_line: number;
      readonly last_line: number;
      readonly found_by?: Readonly<Record<string, string>>;
    }[];
  };
}

const many = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');
const rows = Array.from({ length: 200 }, (_, i) => ({ id: i, name: `row ${i}`, price: i * 3 }));

const TEXTS: Readonly<Record<string, string>> = {
  'build.log': many(250, (i) =>
    i % 90 === 60 ? `ERROR part ${i}: no room` : `part ${i} of the build is done`,
  ),
  'rows.json': JSON.stringify({ meta: { count: 200 }, 'all rows': rows }),
  'pretty.json': JSON.stringify({ rows: rows.slice(0, 120) }, null, 2),
  'rows.ndjson': rows.map((row) => JSON.stringify(row)).join('\n'),
  'table.csv': `id,name,note\n${many(200, (i) => `${i},name ${i},"first\nsecond ${i}"`)}\n`,
  'page.xml': `<list>\n${many(200, (i) => `<entry id="${i}"><name>entry ${i}</name></entry>`)}\n</list>\n`,
  'hits.txt': many(200, (i) => `src/part${i % 20}.ts:${i + 1}:  const value${i} = read(${i});`),
  'files.txt': many(200, (i) => `src/part${i % 20}/deep/module${i}.ts`),
  'change.diff': many(
    40,
    (i) =>
      `diff --git a/f${i}.c b/f${i}.c\n--- a/f${i}.c\n+++ b/f${i}.c\n@@ -1,2 +1,2 @@\n-int old${i};\n+int new${i};\n int kept${i};`,
  ),
  'code.ts': many(
    80,
    (i) => `export function name${i}(value: number): number {\n  return value * ${i} + other${i};\n}\n`,
  ),
  'notes.md': many(80, (i) => `## Chapter ${i}\n\nThis chapter speaks of the garden number ${i}.\n`),
};

async function show({ run }: Workspace, id: string, ...flags: string[]): Promise<string> {
  const pages: ShownPage[] = [parsed(await run(['artifacts', 'show', id, '--json', ...flags]))];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor)
    pages.push(parsed(await run(['artifacts', 'show', id, '--json', '--cursor', cursor])));
  return pages.map(({ content }) => content).join('');
}

async function cut(workspace: Workspace, name: string): Promise<Cut> {
  await writeFile(join(workspace.root, name), TEXTS[name] ?? '');
  return parsed(await workspace.run(['truncate', name, '--json', '--limit', '2500']));
}

describe.concurrent('what was left out', () => {
  test.each(Object.keys(TEXTS))(
    'of %s is fetched by the address of its gap, and by its chars',
    async (name) => {
      const workspace = await freshWorkspace();
      const text = TEXTS[name] ?? '';
      const { content, metadata } = await cut(workspace, name);
      expect(metadata.omitted.length).toBeGreaterThan(0);
      const lines = text.split(/(?<=\n)/);
      for (const gap of metadata.omitted.filter(({ chars }) => chars > 0).slice(0, 6)) {
        const chars = await show(
          workspace,
          metadata.artifact_id,
          '--chars',
          `${gap.first_char}-${gap.last_char}`,
        );
        expect(chars).toBe(text.slice(gap.first_char - 1, gap.last_char));
      }
      const addresses = [...content.matchAll(/^\.\.\. \[.* omitted: (\d+)-(\d+)[\],].*$/gm)];
      for (const [, first = '', last = ''] of addresses.slice(0, 6)) {
        const shown = await show(workspace, metadata.artifact_id, '--lines', `${first}-${last}`);
        expect(shown).toBe(lines.slice(Number(first) - 1, Number(last)).join(''));
        expect(content).not.toContain(shown);
      }
    },
  );
});

describe.concurrent('the call that the notice names', () => {
  async function followed(name: string): Promise<{ cut: Cut; call: string; shown: string }> {
    const workspace = await freshWorkspace();
    const found = await cut(workspace, name);
    const call = / More: (spillway artifacts show .*)\]/.exec(found.notice ?? found.content)?.[1] ?? '';
    return { cut: found, call, shown: (await workspace.shell(call)).stdout };
  }

  test('asks for items of JSON by their path, and gets just those that are missing', async () => {
    const { cut: found, call, shown } = await followed('rows.json');
    expect(call).toMatch(/ --json-path '\$\['\\''all rows'\\''\]\[\d+:\d+\]'$/);
    const kept = (JSON.parse(found.content)['all rows'] as (string | { id: number })[]).flatMap((row) =>
      typeof row === 'string' ? [] : [row.id],
    );
    const fetched = [...shown.matchAll(/^\$\['all rows'\]\[\d+\]: (.*)$/gm)].map(
      ([, row = '']) => JSON.parse(row).id,
    );
    expect([...kept, ...fetched].sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
  });

  test('asks for rows of a table by their numbers, and gets just those that are missing', async () => {
    const { cut: found, call, shown } = await followed('table.csv');
    expect(call).toMatch(/ --rows \d+-\d+$/);
    const idsIn = (csv: string) => [...csv.matchAll(/^(\d+),name/gm)].map(([, id]) => Number(id));
    expect([...idsIn(found.content), ...idsIn(shown)].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, i) => i),
    );
  });

  test('asks for lines of a log', async () => {
    const { call, shown } = await followed('build.log');
    expect(call).toMatch(/ --lines \d+-\d+$/);
    expect(shown).toContain('of the build is done');
  });
});
