/** Every route answers from outputs that real runs recorded in a workspace, and looking leaves no trace. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, OutputAnswer, PreviewLine, SettingChanged } from '../../src/inspector/api.ts';
import { explained } from '../../src/inspector/output-view.ts';
import { ROUTES } from '../../src/inspector/routes.ts';
import { freshWorkspace, type Workspace } from '../program.ts';
import { type Started, startInspector, type Visit, visit } from './visiting.ts';

const BUILD = `for i in $(seq 1 900); do echo "CC src/module_$i.c"; done
echo "src/main.c:12:3: error: too few arguments to function 'resize'" >&2
echo "src/main.c:40:1: warning: unused variable 'x'" >&2
for i in $(seq 1 900); do echo "note $i: more of the build" >&2; done; exit 2`;

let workspace: Workspace;
let inspector: Started;
let person: Visit;
let build: string;

beforeAll(async () => {
  workspace = await freshWorkspace();
  await workspace.run(['exec', '--session', 'build', '--', 'sh', '-c', BUILD]);
  await workspace.run(['exec', '--session', 'build', '--', 'echo', 'small']);
  inspector = await startInspector(workspace);
  person = await visit(inspector);
  const { items } = await person.get<Answer<'GET /api/outputs'>>('/api/outputs?only=cut');
  build = items[0]?.id ?? '';
});

const get = <T>(path: string) => person.get<T>(path);

describe('sessions', () => {
  it('that are not there are told', async () => {
    expect((await person.send('/api/sessions/none')).status).toBe(404);
    expect((await person.send('/api/sessions/%ff')).status).toBe(404);
  });
});

describe('an output', () => {
  it('gives lines in many ranges, a range of a line, and matches everywhere', async () => {
    const lines = await get<Answer<'GET /api/outputs/:id/lines'>>(
      `/api/outputs/${build}/lines?part=1&ranges=1-2,899-950&clip=9`,
    );
    expect(lines).toMatchObject({
      part: 1,
      ranges: [
        {
          first_line: 1,
          style: '',
          texts: ['CC src/mo', 'CC src/mo'],
          clipped: [
            [1, 17],
            [2, 17],
          ],
        },
        {
          first_line: 899,
          style: '',
          texts: ['CC src/mo', 'CC src/mo'],
          clipped: [
            [899, 19],
            [900, 19],
          ],
        },
      ],
      complete: true,
    });
    const rows = await get<Answer<'GET /api/outputs/:id/lines'>>(
      `/api/outputs/${build}/lines?part=1&ranges=2&by=chars`,
    );
    expect(rows.ranges[0]?.texts[0]?.length).toBe(200);
    expect(rows.ranges[0]?.starts).toEqual([200]);
    const found = await get<Answer<'GET /api/outputs/:id/search'>>(
      `/api/outputs/${build}/search?q=MODULE_4&limit=2`,
    );
    expect([found.total, found.matches.map(({ line }) => line)]).toEqual([111, [4, 40]]);
    expect(found.left_out).toBe(111 - shownOf(await all(build), 4));
    const pattern = await get<Answer<'GET /api/outputs/:id/search'>>(
      `/api/outputs/${build}/search?pattern=e.ror:&part=2`,
    );
    expect(pattern.matches).toMatchObject([{ part: 2, line: 1, shown: true }]);
    expect((await person.send(`/api/outputs/${build}/search?pattern=(`)).status).toBe(400);
  });

  it('says which lines tell of errors, and why blocks were kept', async () => {
    const { errors, warnings } = await get<Answer<'GET /api/outputs/:id/findings'>>(
      `/api/outputs/${build}/findings?part=2`,
    );
    expect([errors, warnings]).toMatchObject([
      { total: 1, shown: 1, lines: [1] },
      { total: 1, lines: [2] },
    ]);
    const lines = await previewed({ source: build, variants: [{}], detail: 'numbers' });
    const blocks = lines.flatMap((line) =>
      line.type === 'reasons' ? line.parts.flatMap((part) => part.blocks) : [],
    );
    expect(blocks.length).toBeGreaterThan(0);
    for (const { causes } of blocks)
      for (const { means } of causes) {
        expect(means).toMatch(/^(?:Its?|This|Hardly) .*\.$/);
        // Each built-in reason has a sentence of its own.
        expect(means).not.toContain('fits the pattern');
      }
  });

  it('is found by its content among all', async () => {
    const { items, next } = await get<Answer<'GET /api/search'>>('/api/search?q=too+FEW+arguments');
    expect(next).toBeNull();
    expect(items).toMatchObject([{ output: { id: build }, matches: 1, first: [{ line: 1, shown: true }] }]);
  });

  async function all(id: string) {
    const { projection } = await get<OutputAnswer>(`/api/outputs/${id}`);
    return projection?.views.find(({ part }) => part === 1)?.runs ?? [];
  }

  /** Lines `module_4…` that are shown. */
  function shownOf(runs: Awaited<ReturnType<typeof all>>, digit: number): number {
    const lines = Array.from({ length: 900 }, (_, i) => i + 1).filter((n) =>
      String(n).startsWith(String(digit)),
    );
    return lines.filter((n) => runs.some((run) => run.kept && run.first_line <= n && n <= run.last_line))
      .length;
  }
});

async function previewed(order: unknown): Promise<PreviewLine[]> {
  const response = await person.send('/api/preview', {
    method: 'POST',
    headers: { origin: inspector.base, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  return (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PreviewLine);
}

describe('the preview', () => {
  it('takes a text in, which can be read like an output and is stored nowhere', async () => {
    const text = Array.from({ length: 4_000 }, (_, i) => `row ${i}`).join('\n');
    const response = await person.send('/api/preview/texts?name=a.log&tool=execute_command', {
      method: 'POST',
      headers: { origin: inspector.base, 'content-type': 'application/octet-stream' },
      body: text,
    });
    const taken = (await response.json()) as Answer<'POST /api/preview/texts'>;
    const { parts } = await get<OutputAnswer>(`/api/outputs/${taken.id}`);
    const shown = await get<Answer<'GET /api/outputs/:id/lines'>>(
      `/api/outputs/${taken.id}/lines?part=${parts.at(-1)?.index}&ranges=4000`,
    );
    expect(shown.ranges[0]?.texts).toEqual(['row 3999']);
    const lines = await previewed({ source: taken.id, variants: [{ strategy: 'tail' }], detail: 'full' });
    expect(lines.find(({ type }) => type === 'variant')).toMatchObject({
      result: { cut: true, strategy: 'tail' },
    });
    expect((await get<Answer<'GET /api/store'>>('/api/store')).outputs).toBe(2);
  });
});

describe('settings', () => {
  const hash = async () => {
    const { files } = await get<Answer<'GET /api/settings'>>('/api/settings');
    return files.find(({ where }) => where === 'workspace')?.hash ?? null;
  };
  const order = { field: 'inline_limit', tool: 'execute_command', where: 'workspace' };
  const file = () => readFile(join(workspace.root, '.acode', 'config.yml'), 'utf8');

  it('are not written over what somebody else wrote meanwhile', async () => {
    const seen = await hash();
    await workspace.run(['config', 'set', 'strategy', 'tail']);
    const response = await person.send('/api/settings/change', {
      method: 'POST',
      headers: { origin: inspector.base, 'content-type': 'application/json' },
      body: JSON.stringify({ ...order, value: 4_000, if_unchanged: seen, write: true }),
    });
    expect(response.status).toBe(409);
    const unset = { field: 'strategy', tool: null, where: 'workspace', value: null };
    const gone = await person.post<SettingChanged>('/api/settings/change', {
      ...unset,
      if_unchanged: await hash(),
      write: true,
    });
    expect(gone.diff.every(({ kind }) => kind === 'removed')).toBe(true);
    expect((await file()).trim()).toBe('');
  });

  it('tell how many of the last results they would have changed', async () => {
    const order = { field: 'inline_limit', value: 1_000, tool: null };
    // The file is read again a moment after it was written.
    await expect
      .poll(() => person.post<Answer<'POST /api/settings/effect'>>('/api/settings/effect', order), {
        timeout: 20_000,
      })
      .toMatchObject({ looked: 2, changed: 1, ids: [build] });
    const effect = await person.post<Answer<'POST /api/settings/effect'>>('/api/settings/effect', order);
    expect(effect.chars_after).toBeLessThan(effect.chars_before);
  });

  it('for all tools would change nothing for a tool that has its own', async () => {
    const own = await person.post<SettingChanged>('/api/settings/change', {
      ...{ field: 'inline_limit', value: 8_000, tool: 'execute_command', where: 'workspace' },
      if_unchanged: await hash(),
      write: true,
    });
    const forAll = { field: 'inline_limit', value: 1_000, tool: null };
    // The file is read again a moment after it was written.
    await expect
      .poll(() => person.post<Answer<'POST /api/settings/effect'>>('/api/settings/effect', forAll))
      .toMatchObject({ looked: 2, changed: 0, ids: [] });
    await person.post('/api/settings/undo', { change: own.change });
  });
});

it('an archive tells what it would go through before it compresses anything', async () => {
  const order = { session: null, before_at: Date.now(), preview: true };
  const before = contentOf(join(workspace.artifacts, 'store.db'));
  const preview = await person.post<Answer<'POST /api/store/archive'>>('/api/store/archive', order);
  expect(preview).toMatchObject({ outputs: 2, bytes_after: null });
  expect(preview.items.map(({ id }) => id)).toContain(build);
  expect(contentOf(join(workspace.artifacts, 'store.db'))).toBe(before);
  const none = await person.post<Answer<'POST /api/store/archive'>>('/api/store/archive', {
    ...order,
    session: 'nobody',
  });
  expect(none).toMatchObject({ outputs: 0, bytes_before: 0, items: [] });
});

it('every sign that keeps a line is explained in other words than its name', () => {
  const signs = `
    failed test, failure entry, crash, error said, exception, error tag, expectation,
    summary of failures, stack, error code, strong refusal, bad end, count of failures,
    first frames, lint finding, comparison, place in a source, cause, weak refusal, warning,
    failure word, message field, result, advisory, banner, beside an error, before a bad
    end, section, position, new, structured data`;
  for (const sign of signs.replace(/\s+/g, ' ').trim().split(', ')) {
    const { cause, means } = explained(sign);
    expect([sign, means]).not.toEqual([sign, expect.stringContaining('fits the pattern')]);
    expect(cause).not.toMatch(/refusal|cue|lint finding|bad end/);
  }
});

it('each line of the literal text is told by the stored line that it is', async () => {
  const own = await freshWorkspace();
  await own.run(['exec', '--strategy', 'tail', '--limit', '900', '--', 'seq', '1', '5000']);
  const [id] = await own.ids();
  const { get } = await visit(await startInspector(own));
  const { projection } = await get<OutputAnswer>(`/api/outputs/${id}`);
  const { origins } = await get<Answer<'GET /api/outputs/:id/origins'>>(`/api/outputs/${id}/origins`);
  expect(origins.length).toBeGreaterThan(20);
  for (const { at, chars, part, line } of origins) {
    const stored = await get<Answer<'GET /api/outputs/:id/lines'>>(
      `/api/outputs/${id}/lines?part=${part}&ranges=${line}`,
    );
    expect(stored.ranges[0]?.texts).toEqual([projection?.text.slice(at, at + chars).trimEnd()]);
  }
});

it('looking at everything leaves the ledger, and all other tables, as they are', async () => {
  const paths = Object.keys(ROUTES)
    .filter((route) => route.startsWith('GET') && route !== 'GET /api/live')
    .map((route) => route.slice(4).replace('sessions/:id', 'sessions/build').replace(':id', build));
  const queries: Record<string, string> = {
    lines: '?part=1',
    tree: '?part=1',
    search: '?q=error',
    findings: '?part=1',
    media: '?part=1',
    message: '?place=1',
  };
  const before = contentOf(join(workspace.artifacts, 'store.db'));
  for (const path of paths) {
    const response = await person.send(`${path}${queries[path.split('/').at(-1) ?? ''] ?? ''}`);
    expect([path, [200, 400, 404].includes(response.status)]).toEqual([path, true]);
    expect(response.headers.get('content-type')).toMatch(/^application\/(x-nd)?json; charset=utf-8$/);
    await response.text();
  }
  await previewed({ source: build, variants: [{}, { strategy: 'tail' }], detail: 'full' });
  await person.post('/api/settings/effect', { field: 'inline_limit', value: 900, tool: null });
  expect(contentOf(join(workspace.artifacts, 'store.db'))).toBe(before);
});

/** A hash over every row of every table. */
function contentOf(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  const hash = createHash('sha256');
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as {
    name: string;
  }[];
  for (const { name } of tables)
    for (const row of db.prepare(`SELECT * FROM "${name}"`).all()) hash.update(JSON.stringify([name, row]));
  db.close();
  return hash.digest('hex');
}

describe('what changes something', () => {
  it('previews a clean-up, names what goes, and wants its number', async () => {
    const order = { how: 'purge', session: 'build', before_at: null };
    const shown = await person.post<Answer<'POST /api/store/clean'>>('/api/store/clean', {
      ...order,
      confirm: null,
    });
    expect([shown.outputs, shown.done, shown.items.length]).toEqual([2, false, 2]);
    const wrong = await person.send('/api/store/clean', {
      method: 'POST',
      headers: { origin: inspector.base, 'content-type': 'application/json' },
      body: JSON.stringify({ ...order, confirm: 1 }),
    });
    expect(wrong.status).toBe(409);
    const open = await person.post<Answer<'POST /api/store/clean'>>('/api/store/clean', {
      ...order,
      session: null,
      confirm: null,
    });
    expect(open.outputs).toBe(0);
  });

  it('ends a session: the model loses the handle, the person still reads', async () => {
    const counted = await person.post<Answer<'POST /api/sessions/:id/end'>>('/api/sessions/build/end', {
      preview: true,
    });
    expect(counted).toMatchObject({ preview: true, outputs: 2 });
    await person.post('/api/sessions/build/end', { preview: false });
    const { output } = await get<OutputAnswer>(`/api/outputs/${build}`);
    expect(output.revoked_at).toBeGreaterThan(0);
    expect(
      (await get<Answer<'GET /api/outputs/:id/lines'>>(`/api/outputs/${build}/lines?part=1&ranges=1`))
        .ranges[0]?.texts,
    ).toHaveLength(1);
    expect((await workspace.run(['artifacts', 'show', build])).code).toBe(1);
  });

  it('purges for good: what is left is the time', async () => {
    const order = { how: 'purge', session: 'build', before_at: null };
    expect(
      await person.post<Answer<'POST /api/store/clean'>>('/api/store/clean', { ...order, confirm: 2 }),
    ).toMatchObject({
      done: true,
    });
    const gone = await person.send(`/api/outputs/${build}`);
    expect(gone.status).toBe(410);
    expect(await gone.json()).toMatchObject({ error: { code: 'gone', purged_at: expect.any(Number) } });
  });
});
