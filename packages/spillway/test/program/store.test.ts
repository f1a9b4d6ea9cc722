// Where the program keeps things: the folder of the workspace, its plain copies, several processes,
// a store that fails, cleaning.
import { existsSync } from 'node:fs';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  filesBelow,
  freshWorkspace,
  handleOf,
  numberedLines,
  parsed,
  type Truncated,
  type Workspace,
} from '../program.ts';

const LONG = numberedLines(3_000);

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe.concurrent('the artifact folder', () => {
  test('is for the owner only, with everything in it, and kept out of git', async () => {
    const { root, artifacts, truncate } = await freshWorkspace();
    const { metadata } = await truncate(LONG);
    expect(await readFile(join(artifacts, '.gitignore'), 'utf8')).toBe('*\n');
    expect(await modeOf(artifacts)).toBe('700');
    expect(await modeOf(dirname(resolve(root, metadata.saved_path ?? '')))).toBe('700');
    for (const file of await filesBelow(artifacts)) expect(await modeOf(file), file).toBe('600');
  });

  test('has its .gitignore also when nothing was cut yet', async () => {
    const { artifacts, truncate } = await freshWorkspace();
    await truncate('short');
    expect(await readFile(join(artifacts, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('is not made by commands that only look', async () => {
    const { root, run } = await freshWorkspace();
    for (const command of ['list', 'clean', 'clean --purge', 'show art_1699234567_a1b2c3d4']) {
      await run(['artifacts', ...command.split(' ')]);
      await expect(access(join(root, '.acode')), command).rejects.toThrow('ENOENT');
    }
  });

  test('is found from a folder below the workspace', async () => {
    const { root, artifacts, run, ids } = await freshWorkspace();
    const below = join(root, 'src', 'deep');
    await mkdir(below, { recursive: true });
    await writeFile(join(below, 'here.log'), LONG);
    await run(['truncate', 'here.log'], { cwd: below });
    await expect(access(join(below, '.acode'))).rejects.toThrow('ENOENT');
    await access(artifacts);
    const [id = ''] = await ids();
    expect((await run(['artifacts', 'show', id, '--raw'], { cwd: below })).stdout).toBe(LONG);
  });
});

describe.concurrent('the plain copy', () => {
  test('is the text itself, where saved_path says: from the workspace, whatever folder one is in', async () => {
    const { root, run } = await freshWorkspace();
    const content = Buffer.from([...Buffer.from(LONG), 0, 0xff, 0x0d]);
    const cwd = join(root, 'a', 'b');
    await mkdir(cwd, { recursive: true });
    const { metadata } = parsed<Truncated>(await run(['truncate', '--json'], { input: content, cwd }));
    expect(metadata.saved_path).toMatch(/^\.acode\/artifacts\/cli\/truncate-\w+-\d+\.txt$/);
    expect((await readFile(join(root, metadata.saved_path ?? ''))).equals(content)).toBe(true);
    const spilled = await run(['truncate', '--profile', 'spill'], { input: LONG.repeat(3), cwd });
    const file = /saved to (\S+) \(art_\w+\)\. Use a read tool or rg to get details\. /.exec(
      spilled.stdout,
    )?.[1];
    expect(await readFile(join(root, file ?? ''), 'utf8')).toBe(LONG.repeat(3));
  });

  test('in a store elsewhere is told by its whole path', async () => {
    const elsewhere = join((await freshWorkspace()).root, 'store');
    const { truncate } = await freshWorkspace({ SPILLWAY_STORE: elsewhere });
    const { metadata } = await truncate(LONG);
    expect(metadata.saved_path?.startsWith(`${elsewhere}/cli/`)).toBe(true);
    expect(await readFile(metadata.saved_path ?? '', 'utf8')).toBe(LONG);
  });

  test.each([
    ['--tool', '../../x'],
    ['--tool', 'a\\b:c*?'],
    ['--tool', 'long '.repeat(99)],
    ['--session', '../../x'],
    ['--session', '..'],
    ['--session', 'store.db-journal'],
  ])('stays inside for %s %j, and the store stays usable', async (flag, name) => {
    const { root, artifacts, truncate, run, ids } = await freshWorkspace();
    const cut = await truncate(LONG, flag, name);
    if (cut.metadata.saved_path !== null) {
      const path = resolve(root, cut.metadata.saved_path);
      expect(relative(artifacts, path)).toMatch(/^[\w-][\w.-]*\/[\w-][\w.-]*\.txt$/);
      expect(await modeOf(path)).toBe('600');
      expect(await modeOf(dirname(path))).toBe('700');
    }
    // The home of the user is the same folder here, and has the mark of the store.
    const files = (await filesBelow(root)).filter((file) => !file.startsWith(join(root, '.local')));
    for (const file of files) expect(file.startsWith(artifacts), file).toBe(true);
    await truncate('another');
    expect(await ids()).toEqual([handleOf(cut)]);
    expect((await run(['artifacts', 'show', handleOf(cut), '--raw'])).stdout).toBe(LONG);
  });
});

test.concurrent('ten processes at once in a new workspace store ten intact outputs under ten ids', async () => {
  const { truncate, run, ids } = await freshWorkspace();
  const texts = Array.from({ length: 10 }, (_, i) => numberedLines(3_000, `process ${i} line`));
  const cuts = await Promise.all(texts.map((text) => truncate(text)));
  const handles = cuts.map(handleOf);
  expect(new Set(handles).size).toBe(10);
  expect((await ids()).toSorted()).toEqual(handles.toSorted());
  const bodies = await Promise.all(handles.map((id) => run(['artifacts', 'show', id, '--raw'])));
  expect(bodies.map(({ stdout }) => stdout)).toEqual(texts);
});

test.concurrent('a purge by another process costs nobody a projection', async () => {
  const { run } = await freshWorkspace();
  const stored = Array.from({ length: 8 }, (_, i) =>
    run(['truncate'], { input: numberedLines(3_000, `process ${i} line`) }),
  );
  const purged = Array.from({ length: 4 }, () => run(['artifacts', 'clean', '--purge']));
  for (const { code, stdout } of await Promise.all(stored)) {
    expect(code).toBe(0);
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stdout).toMatch(/line 3000\n$/);
  }
  for (const { code } of await Promise.all(purged)) expect(code).toBe(0);
});

describe.concurrent('a store that cannot be written', () => {
  /** What holds whenever the output could not be stored. */
  async function expectNotStored({ run }: Workspace, env: Record<string, string>) {
    const plain = await run(['truncate', '--limit', '1000'], { input: LONG, env });
    expect(plain.code).toBe(0);
    expect(plain.stdout.length).toBeLessThanOrEqual(1_000);
    expect(plain.stdout.slice(0, 300)).toMatch(/not stored/i);
    expect(plain.stdout).not.toMatch(/art_\d|artifacts show/);
    expect(plain.stdout.endsWith('line 3000\n')).toBe(true);
    expect(plain.stderr).toMatch(/^spillway: [^\n]*Not stored[^\n]*\n$/);
    const { stdout } = await run(['truncate', '--json'], { input: LONG, env });
    expect(JSON.parse(stdout)).toMatchObject({
      metadata: { artifact_id: null, saved_path: null, was_truncated: true },
      artifact: null,
    });
  }

  test('gives a bounded projection that says so and tells no handle; earlier artifacts elsewhere stay', async () => {
    const workspace = await freshWorkspace();
    const { root, run, truncate } = workspace;
    const earlier = handleOf(await truncate(LONG));
    await writeFile(join(root, 'a-file'), '');
    const env = { SPILLWAY_STORE: join(root, 'a-file', 'store') };
    await expectNotStored(workspace, env);
    const short = await run(['truncate'], { input: 'short', env });
    expect(short).toMatchObject({ code: 0, stdout: 'short' });
    expect(short.stderr).toMatch(/^spillway: [^\n]*Not stored[^\n]*\n$/);
    expect((await run(['artifacts', 'show', earlier, '--raw'])).stdout).toBe(LONG);
  });

  test('because its file is no database says so, leaves the file alone and refuses to list', async () => {
    const workspace = await freshWorkspace();
    const { artifacts, run } = workspace;
    await mkdir(artifacts, { recursive: true });
    const file = join(artifacts, 'store.db');
    await writeFile(file, 'this is not a database '.repeat(500));
    // Named by the user: in its usual place another one would be used.
    const env = { SPILLWAY_STORE: artifacts };
    await expectNotStored(workspace, env);
    expect(await readFile(file, 'utf8')).toBe('this is not a database '.repeat(500));
    const { code, stdout, stderr } = await run(['artifacts', 'list'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
  });

  test('because there is no room left keeps every earlier artifact', async () => {
    const { shell, run, truncate, ids } = await freshWorkspace();
    const earlier = handleOf(await truncate(LONG));
    // No file may grow past 512 KB: what a full disk looks like to one process.
    const full = await shell('ulimit -f 1024; spillway truncate --limit 1000', { input: LONG.repeat(100) });
    expect(full.code).toBe(0);
    expect(full.stdout.length).toBeLessThanOrEqual(1_000);
    expect(full.stdout.slice(0, 300)).toMatch(/not stored/i);
    expect(full.stdout).not.toMatch(/art_\d|artifacts show/);
    expect(await ids()).toEqual([earlier]);
    expect((await run(['artifacts', 'show', earlier, '--raw'])).stdout).toBe(LONG);
    expect(await truncate(LONG.repeat(2)).then(handleOf)).toMatch(/^art_/);
  });
});

describe.concurrent('another workspace', () => {
  test('does not find the handle', async () => {
    const [here, there] = [await freshWorkspace(), await freshWorkspace()];
    const id = handleOf(await here.truncate(LONG));
    await there.truncate('so that it has a store');
    const { code, stdout, stderr } = await there.run(['artifacts', 'show', id]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^spillway: There is no artifact /);
  });

  test('does not find, list or purge anything of a workspace with which it shares a store', async () => {
    const { here, there } = await sharingOneStore();
    const cut = await here.truncate(LONG);
    const other = await there.truncate(LONG);
    expect((await there.run(['artifacts', 'show', handleOf(cut)])).code).toBe(1);
    expect(await there.ids('--all')).toEqual([handleOf(other)]);
    await there.run(['artifacts', 'clean', '--purge']);
    expect((await here.run(['artifacts', 'show', handleOf(cut), '--raw'])).stdout).toBe(LONG);
    await expect(access(here.artifacts)).rejects.toThrow('ENOENT');
  });

  test('does not remove the plain copies of a workspace with which it shares a store', async () => {
    const { here, there } = await sharingOneStore();
    const { metadata } = await here.truncate(LONG);
    await there.run(['artifacts', 'clean']);
    expect(await readFile(metadata.saved_path ?? '', 'utf8')).toBe(LONG);
  });

  async function sharingOneStore() {
    const env = { SPILLWAY_STORE: join((await freshWorkspace()).root, 'store') };
    return { here: await freshWorkspace(env), there: await freshWorkspace(env) };
  }
});

describe.concurrent('artifacts list', () => {
  test('shows id, size and source of what was cut, the newest first', async () => {
    const { run, truncate } = await freshWorkspace();
    const first = handleOf(await truncate(LONG, '--tool', 'search_files'));
    const second = handleOf(await truncate(LONG.repeat(10)));
    await truncate('short');
    const { code, stdout, stderr } = await run(['artifacts', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = stdout.split('\n').filter((line) => line.includes('art_'));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain(second);
    expect(rows[1]).toContain(first);
    expect(rows[1]).toMatch(/\d KB.*search_files/);
  });

  test('prints nothing but an empty list, and says so, when there is nothing', async () => {
    const { run } = await freshWorkspace();
    expect(await run(['artifacts', 'list', '--json'])).toMatchObject({
      code: 0,
      stdout: '{"artifacts":[]}\n',
    });
    const { code, stdout, stderr } = await run(['artifacts', 'list']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/no artifacts/i);
  });

  test('keeps its table in one piece whatever a text or a tool is called', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate(`\x1b[31mred\x1b[0m\tand\u202e\u0007 so on\r\n${LONG}`);
    await truncate(LONG, '--tool', 'two\nlines\x1b[2J');
    await truncate(`漢字漢字 😀\n${LONG}`);
    const { stdout } = await run(['artifacts', 'list']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(9);
  });
});

describe.concurrent('artifacts clean', () => {
  test('reaches what came through a gateway in the workspace', async () => {
    const { run } = await freshWorkspace();
    const server = fileURLToPath(new URL('../gateway/raw-server.mjs', import.meta.url));
    const text = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'emit', arguments: { chars: 50_000 } } },
    ];
    const input = text.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
    const gateway = await run(['mcp', '--', process.execPath, server], { input });
    expect(gateway.stdout).toMatch(/art_\d/);
    expect((await run(['artifacts', 'clean', '--dry-run', '--purge'])).stderr).toContain('1 stored output');
    expect((await run(['artifacts', 'clean', '--purge', '--json'])).stdout).toContain('"outputs":1');
    expect((await run(['artifacts', 'clean', '--purge'])).stderr).toContain('0 stored outputs');
  });

  test('retires handles and removes plain copies, says so, and keeps the record', async () => {
    const { root, run, truncate, ids } = await freshWorkspace();
    const cut = await truncate(LONG);
    const id = handleOf(cut);
    await access(resolve(root, cut.metadata.saved_path ?? ''));
    const { code, stdout, stderr } = await run(['artifacts', 'clean']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/\b1 outputs?\b/);
    await expect(access(resolve(root, cut.metadata.saved_path ?? ''))).rejects.toThrow('ENOENT');
    expect(await ids()).toEqual([]);
    expect(await ids('--all')).toEqual([id]);
    for (const how of [[], ['--raw'], ['--lines', '1-2']]) {
      const shown = await run(['artifacts', 'show', id, ...how]);
      expect(shown).toMatchObject({ code: 1, stdout: '' });
      expect(shown.stderr).toMatch(
        /^spillway: Artifact art_\w+ can no longer be fetched: its handle was retired\. Do not retry\.\n$/,
      );
    }
  });

  test('--purge says how much goes and removes the record, also of what was cleaned before', async () => {
    const { run, truncate, ids } = await freshWorkspace();
    const id = handleOf(await truncate(LONG));
    await run(['artifacts', 'clean']);
    await truncate('short');
    const { code, stderr } = await run(['artifacts', 'clean', '--purge']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/\b2 stored outputs\b.*\d KB/);
    expect(await ids('--all')).toEqual([]);
    const shown = await run(['artifacts', 'show', id]);
    expect(shown).toMatchObject({ code: 1, stdout: '' });
    expect(shown.stderr).toMatch(/no longer kept/);
  });

  test('--purge leaves no text behind in any file: it cannot be brought back', async () => {
    const { artifacts, run, truncate } = await freshWorkspace();
    const secret = 'a text that must not stay behind';
    await truncate(`${secret}\n${LONG}`);
    await truncate(`${secret} either`);
    await run(['artifacts', 'clean', '--purge']);
    for (const file of await filesBelow(artifacts))
      expect((await readFile(file)).includes(secret), file).toBe(false);
  });

  test('touches no file that is not a copy of its own, wherever the store is', async () => {
    const { root, run, truncate } = await freshWorkspace({ SPILLWAY_STORE: 'documents' });
    const mine = join(root, 'documents', 'reports', 'sales-2024.txt');
    await mkdir(dirname(mine), { recursive: true });
    await writeFile(mine, 'mine');
    await truncate(LONG);
    await run(['artifacts', 'clean', '--purge']);
    expect(await readFile(mine, 'utf8')).toBe('mine');
  });

  test('speaks of one output as one', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate(LONG);
    expect((await run(['artifacts', 'clean', '--dry-run'])).stderr).toMatch(/\b1 output\b/);
    expect((await run(['artifacts', 'clean', '--purge'])).stderr).toMatch(/\b1 stored output\b/);
  });

  test('--dry-run says the same and touches nothing', async () => {
    const { root, run, truncate, ids } = await freshWorkspace();
    const cut = await truncate(LONG);
    const dry = await run(['artifacts', 'clean', '--purge', '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.stderr).toMatch(/\b1 stored outputs?\b.*\d KB/);
    expect(await ids()).toEqual([handleOf(cut)]);
    expect(await readFile(resolve(root, cut.metadata.saved_path ?? ''), 'utf8')).toBe(LONG);
  });

  test('leaves room for what comes next', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate(LONG);
    await run(['artifacts', 'clean', '--purge']);
    const id = handleOf(await truncate(LONG));
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe(LONG);
  });
});

describe.concurrent('plain copies', () => {
  const MUCH = numberedLines(4_000, 'bounded line');

  /** A workspace whose user has these settings. */
  async function withSettings(...lines: string[]): Promise<Workspace> {
    const workspace = await freshWorkspace();
    const folder = join(workspace.root, '.config', 'spillway');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'config.yml'),
      ['spillway:', ...lines.map((line) => `  ${line}`), ''].join('\n'),
    );
    return workspace;
  }

  function copyOf({ root }: Workspace, cut: Truncated | undefined): string {
    return resolve(root, cut?.metadata.saved_path ?? 'none');
  }

  async function copiesIn({ artifacts }: Workspace): Promise<string[]> {
    return (await filesBelow(artifacts)).filter((file) => file.endsWith('.txt'));
  }

  test('together stay below their bound: the oldest go first, and their outputs stay', async () => {
    const workspace = await withSettings(`max_copies_bytes: ${MUCH.length * 3}`);
    const cuts = [];
    for (let i = 0; i < 5; i++) cuts.push(await workspace.truncate(MUCH, '--session', `s${i}`));
    const sizes = await Promise.all((await copiesIn(workspace)).map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MUCH.length * 3);
    expect(existsSync(copyOf(workspace, cuts[0]))).toBe(false);
    expect(existsSync(copyOf(workspace, cuts[4]))).toBe(true);
    for (const cut of cuts)
      expect((await workspace.run(['artifacts', 'show', handleOf(cut), '--raw'])).stdout).toBe(MUCH);
  });

  test('are not made of larger outputs than the bound for one', async () => {
    const workspace = await withSettings(`max_copy_bytes: ${MUCH.length - 1}`);
    const { metadata } = await workspace.truncate(MUCH);
    expect(metadata.saved_path).toBeNull();
    expect(metadata.artifact_id).not.toBeNull();
    expect(await copiesIn(workspace)).toEqual([]);
    expect((await workspace.truncate(MUCH.slice(1))).metadata.saved_path).not.toBeNull();
  });

  test('can be turned off, and those that are there still go with their handles', async () => {
    const workspace = await withSettings('plain_copies: true');
    await workspace.truncate(MUCH);
    expect(await copiesIn(workspace)).toHaveLength(1);
    const file = join(workspace.root, '.config', 'spillway', 'config.yml');
    await writeFile(file, 'spillway:\n  plain_copies: false\n');
    expect((await workspace.truncate(MUCH)).metadata.saved_path).toBeNull();
    expect((await workspace.run(['artifacts', 'clean'])).code).toBe(0);
    expect(await copiesIn(workspace)).toEqual([]);
  });

  test('are bounded without any setting: an output of more than 10 MiB gets none', async () => {
    const workspace = await freshWorkspace();
    const { metadata } = await workspace.truncate(Buffer.alloc(10 * 1024 ** 2 + 1, MUCH));
    expect(metadata.artifact_id).not.toBeNull();
    expect(metadata.saved_path).toBeNull();
    expect(await copiesIn(workspace)).toEqual([]);
  });

  test('leave files alone that are none, whatever the bound', async () => {
    const workspace = await withSettings(`max_copies_bytes: ${MUCH.length}`);
    const copy = copyOf(workspace, await workspace.truncate(MUCH, '--session', 'mine'));
    const folder = dirname(copy);
    const own = [join(folder, 'notes.txt'), join(folder, 'a-b-1699234567.txt')];
    for (const file of own) await writeFile(file, MUCH, { mode: 0o644 });
    await workspace.truncate(MUCH, '--session', 'mine');
    for (const file of own) expect(existsSync(file), file).toBe(true);
    expect(existsSync(copy)).toBe(false);
  });

  test('are not set by a workspace', async () => {
    const workspace = await freshWorkspace();
    await mkdir(join(workspace.root, '.acode'));
    await writeFile(join(workspace.root, '.acode', 'config.yml'), 'spillway:\n  plain_copies: false\n');
    const { code, stderr } = await workspace.run(['truncate'], { input: MUCH });
    expect(code).toBe(0);
    expect(stderr).toContain('A file of the workspace must not decide that');
  });
});
