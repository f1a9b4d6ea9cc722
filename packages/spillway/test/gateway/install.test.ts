/** `spillway mcp install`: the servers of each client, wrapped in place. */
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from '@decimalturn/toml-patch';
import { describe, expect, it } from 'vitest';
import { freshWorkspace } from '../program.ts';

const ENTRY = '{ "command": "npx", "args": ["-y", "server-x", "."], "env": { "TOKEN": "secret" } }';

async function installed(client: string, file: string, text: string, ...flags: string[]) {
  const workspace = await freshWorkspace();
  const path = join(workspace.root, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o600 });
  const ran = await workspace.run(['mcp', 'install', '--client', client, ...flags]);
  return { ...ran, path, text: await readFile(path, 'utf8'), files: await readdir(dirname(path)) };
}

interface Codex {
  readonly model: string;
  readonly mcp_servers: Record<
    string,
    { command: string; args: string[]; env?: object; enabled_tools?: string[]; startup_timeout_sec?: number }
  >;
}

/** The wrapped words, without the program that starts them. */
const words = (args: readonly string[]) => args.slice(args.indexOf('mcp'));
const WRAPPED = ['mcp', '--name', 'x', '--', 'npx', '-y', 'server-x', '.'];

describe('mcp install', () => {
  it.each([
    ['claude-code', '.mcp.json', 'mcpServers'],
    ['claude-code', '.claude.json', 'mcpServers'],
    ['claude-desktop', '.config/Claude/claude_desktop_config.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['vscode', '.vscode/mcp.json', 'servers'],
    ['gemini-cli', '.gemini/settings.json', 'mcpServers'],
  ])('wraps the servers of %s in %s, and changes nothing else', async (client, file, key) => {
    const before = `{\n  // mine\n  "other": 12345678901234567890,\n  "${key}": { "x": ${ENTRY}, "far": { "url": "\${input:server}" }, },\n}\n`;
    const { text, stdout, code, files, path } = await installed(client, file, before);
    expect(code).toBe(0);
    const command = /"command": ("[^"]*"), "args": (\[.*?\]), "env"/.exec(text);
    expect(words([JSON.parse(command?.[1] ?? ''), ...JSON.parse(command?.[2] ?? '')])).toEqual(WRAPPED);
    expect(
      text.replace(
        /"command": "[^"]*", "args": \[.*?\]/,
        '"command": "npx", "args": ["-y", "server-x", "."]',
      ),
    ).toBe(before);
    expect(stdout).toContain('far: left as it is (neither a command nor a URL that can be used)');
    const backup = files.find((name) => name.includes('.backup-'));
    expect(await readFile(join(dirname(path), backup ?? ''), 'utf8')).toBe(before);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('wraps the servers of opencode, whose command is a list', async () => {
    const before =
      '{ "mcp": { "x": { "type": "local", "command": ["npx", "-y", "server-x", "."], "environment": { "TOKEN": "s" } } } }';
    const { text } = await installed('opencode', 'opencode.json', before);
    expect(words(JSON.parse(text).mcp.x.command)).toEqual(WRAPPED);
    expect(JSON.parse(text).mcp.x.environment).toEqual({ TOKEN: 's' });
  });

  it('wraps the servers of Codex in TOML, however they are written, and keeps comments', async () => {
    const before = [
      'model = "m" # keep',
      '[mcp_servers.x]',
      'command = """npx""" # run',
      'args = [',
      '  "-y", # a comment with "quotes" and \'more\'',
      "  'server-x',",
      '  ".",',
      ']',
      'env = { TOKEN = "}", OTHER = "#" }',
      'startup_timeout_sec = 20',
      '',
      '[mcp_servers."my server"]',
      "command = 'uvx'",
      'env.FOO = "1"',
      '',
      '[mcp_servers.far]',
      'url = "https://e"',
      '',
      '[mcp_servers]',
      'inline = { command = "deno", args = ["run", "a.ts"], enabled_tools = ["one"] }',
      '',
    ].join('\n');
    const { text, code } = await installed('codex', '.codex/config.toml', before);
    expect(code).toBe(0);
    const { model, mcp_servers: servers } = parse(text) as unknown as Codex;
    const wrapped = (name: string) => words([servers[name]?.command ?? '', ...(servers[name]?.args ?? [])]);
    const own = (name: string) => [
      'mcp',
      '--name',
      name,
      '--uncut',
      '--tool-name',
      `get_artifact_${name}`,
      '--',
    ];
    expect(wrapped('far')).toEqual([...own('far').slice(0, -1), '--url', 'https://e']);
    expect(wrapped('x')).toEqual([...own('x'), 'npx', '-y', 'server-x', '.']);
    expect(wrapped('inline')).toEqual([...own('inline'), 'deno', 'run', 'a.ts']);
    expect(wrapped('my server').slice(-2)).toEqual(['--', 'uvx']);
    expect(servers.x?.env).toEqual({ TOKEN: '}', OTHER: '#' });
    expect(servers['my server']?.env).toEqual({ FOO: '1' });
    expect(servers.inline?.enabled_tools).toEqual(['one', 'get_artifact_inline']);
    expect([model, servers.x?.startup_timeout_sec]).toEqual(['m', 20]);
    expect(text).toContain('model = "m" # keep');
    expect(text).toContain('# run');
  });

  it('writes a list with a line for each word where the list was written so', async () => {
    const before = JSON.stringify({ mcpServers: { x: { command: 'npx', args: ['-y', 's'] } } }, null, 2);
    const { text } = await installed('cursor', '.cursor/mcp.json', before);
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  it.each([
    ['claude-code', '.mcp.json', { type: 'http' }, 'stdio'],
    ['vscode', '.vscode/mcp.json', { type: 'http' }, 'stdio'],
    ['cursor', '.cursor/mcp.json', {}, undefined],
    ['copilot', '.copilot/mcp-config.json', { type: 'http', tools: ['*'] }, 'local'],
    ['opencode', 'opencode.json', { type: 'remote', enabled: true }, 'local'],
  ])(
    'puts a remote server of %s behind the gateway, its secrets in variables, and takes it out',
    async (client, file, more, type) => {
      const workspace = await freshWorkspace();
      const path = join(workspace.root, file);
      await mkdir(dirname(path), { recursive: true });
      const far = { ...more, url: 'https://e/mcp', headers: { Authorization: 'Bearer s3cret', 'X-A': '1' } };
      const key = client === 'vscode' ? 'servers' : client === 'opencode' ? 'mcp' : 'mcpServers';
      const before = JSON.stringify({ [key]: { far } }, null, 2);
      await writeFile(path, before);
      const { stdout } = await workspace.run(['mcp', 'install', '--client', client]);
      const written = JSON.parse(await readFile(path, 'utf8'))[key].far;
      expect(await readFile(path, 'utf8')).toBe(JSON.stringify({ [key]: { far: written } }, null, 2));
      const command = Array.isArray(written.command) ? written.command : [written.command, ...written.args];
      expect(words(command)).toEqual([
        ...['mcp', '--name', 'far', '--url', 'https://e/mcp'],
        ...['--header', 'Authorization: ${MCP_HEADER_AUTHORIZATION}'],
        ...['--header', 'X-A: ${MCP_HEADER_X_A}'],
      ]);
      expect(written[client === 'opencode' ? 'environment' : 'env']).toEqual({
        MCP_HEADER_AUTHORIZATION: 'Bearer s3cret',
        MCP_HEADER_X_A: '1',
      });
      expect(written.type).toBe(type);
      expect(written).not.toHaveProperty('url');
      expect(stdout).not.toContain('s3cret');
      // Changed since: what is written back is made anew.
      await writeFile(path, `${await readFile(path, 'utf8')}\n`);
      await workspace.run(['mcp', 'uninstall', '--client', client]);
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ [key]: { far } });
    },
  );

  it('says that others need spillway for a file that a project shares, and offers a file of one’s own', async () => {
    const workspace = await freshWorkspace();
    const project = join(workspace.root, 'project');
    await mkdir(project);
    const shared = `{ "mcpServers": { "x": ${ENTRY} } }`;
    await writeFile(join(project, '.mcp.json'), shared);
    await writeFile(join(workspace.root, '.claude.json'), '{ "theme": "dark" }');
    const run = (...flags: string[]) =>
      workspace.run(['mcp', 'install', '--client', 'claude-code', ...flags], { cwd: project });
    expect((await run('--dry-run')).stdout).toContain(
      '  This file is shared with the project: whoever uses it needs the program spillway on the path, where yours is not;\n  to keep it to yourself: spillway mcp install --client claude-code --local\n',
    );
    expect((await run('--local')).stdout).not.toContain('This file is shared');
    expect(await readFile(join(project, '.mcp.json'), 'utf8')).toBe(shared);
    const { theme, projects } = JSON.parse(await readFile(join(workspace.root, '.claude.json'), 'utf8'));
    expect(theme).toBe('dark');
    const { x } = projects[project].mcpServers;
    expect(words([x.command, ...x.args])).toEqual(WRAPPED);
    expect(x.env).toEqual(JSON.parse(ENTRY).env);
    expect((await run('--local')).stdout).toContain('x: left as it is (already there for this project)');
  });

  it('takes them out again: every client starts what it started before', async () => {
    const toml = '# mine\n[mcp_servers.x]\ncommand = "npx"\nargs = ["-y", "s"]\nenabled_tools = ["a"]\n';
    const json = `{ "mcpServers": { "x": { "command": "npx", "args": ["-y"], "includeTools": ["a"] }, "y": ${ENTRY} } }`;
    for (const [client, file, before] of [
      ['codex', '.codex/config.toml', toml],
      ['gemini-cli', '.gemini/settings.json', json],
    ] as const) {
      const workspace = await freshWorkspace();
      const path = join(workspace.root, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, before);
      for (const command of ['install', 'uninstall'])
        expect((await workspace.run(['mcp', command, '--client', client])).code, command).toBe(0);
      const after = await readFile(path, 'utf8');
      const read = client === 'codex' ? parse : JSON.parse;
      expect(read(after)).toEqual(read(before));
      const again = await workspace.run(['mcp', 'uninstall', '--client', client]);
      expect(again.stdout).toContain('x: left as it is (not behind the gateway)');
      expect((await readdir(dirname(path))).filter((name) => name.includes('.backup-'))).toEqual([]);
    }
  });

  it('takes them out byte for byte where nothing else was changed; copies are for the owner only, and go', async () => {
    const toml = '# mine\n[mcp_servers.x]\ncommand = \'npx\' # run\nargs = [\n  "-y", # yes\n  "s",\n]\n';
    const json =
      '{\n  // mine\n  "mcpServers": { "x": { "command": "npx" }, "y": {\n    "command": "uvx", "args": [ "a",  "b" ]\n } }\n}\n';
    for (const [client, file, before] of [
      ['codex', '.codex/config.toml', toml],
      ['cursor', '.cursor/mcp.json', json],
    ] as const) {
      const workspace = await freshWorkspace();
      const path = join(workspace.root, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, before, { mode: 0o644 });
      const copies = async () => (await readdir(dirname(path))).filter((name) => name.includes('.backup-'));
      await workspace.run(['mcp', 'install', '--client', client]);
      expect(await copies()).toHaveLength(1);
      for (const copy of await copies())
        expect((await stat(join(dirname(path), copy))).mode & 0o777).toBe(0o600);
      await workspace.run(['mcp', 'uninstall', '--client', client]);
      expect(await readFile(path, 'utf8')).toBe(before);
      expect(await copies()).toEqual([]);
      expect((await stat(path)).mode & 0o777).toBe(0o644);
    }
  });

  it('offers its tool where a client lists the tools it offers, and names it where there are several', async () => {
    const before = `{ "mcpServers": { "x": { "command": "npx", "args": [], "includeTools": ["a"] } } }`;
    const one = JSON.parse((await installed('gemini-cli', '.gemini/settings.json', before)).text);
    expect(one.mcpServers.x.includeTools).toEqual(['a', 'get_artifact']);
    const two = `{ "mcpServers": { "x": { "command": "npx", "includeTools": ["a"] }, "日本": { "command": "uvx" } } }`;
    const { mcpServers } = JSON.parse((await installed('gemini-cli', '.gemini/settings.json', two)).text);
    expect(mcpServers.x.includeTools).toEqual(['a', 'get_artifact_x']);
    expect(mcpServers.日本.args.join(' ')).toMatch(
      /mcp --name server-[0-9a-f]{6} --tool-name get_artifact_server-[0-9a-f]{6} -- uvx$/,
    );
  });

  it('writes no path of this machine into a file that a project shares', async () => {
    const workspace = await freshWorkspace();
    const home = await freshWorkspace();
    await writeFile(join(workspace.root, '.mcp.json'), `{"mcpServers":{"x":${ENTRY}}}`);
    const ran = await workspace.run(['mcp', 'install', '--client', 'claude-code'], {
      env: { HOME: home.root, PATH: dirname(process.execPath) },
    });
    expect(ran.code).toBe(0);
    const { x } = JSON.parse(await readFile(join(workspace.root, '.mcp.json'), 'utf8')).mcpServers;
    expect([x.command, ...x.args]).toEqual(['spillway', ...WRAPPED]);
  });

  it('names servers that are there when one is asked for that is not, and changes nothing', async () => {
    const text = `{"mcpServers":{"github":${ENTRY}}}`;
    const ran = await installed('cursor', '.cursor/mcp.json', text, 'gihtub');
    expect([ran.code, ran.text, ran.files]).toEqual([1, text, ['mcp.json']]);
    expect(ran.stderr).toContain('no server of the name "gihtub". Did you mean github? It has: github.');
  });

  it('leaves a read-only file as it is, and says so', async () => {
    const workspace = await freshWorkspace();
    const path = join(workspace.root, '.cursor', 'mcp.json');
    await mkdir(dirname(path));
    await writeFile(path, `{"mcpServers":{"x":${ENTRY}}}`, { mode: 0o400 });
    const ran = await workspace.run(['mcp', 'install', '--client', 'cursor']);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('it is read-only');
    expect(await readdir(dirname(path))).toEqual(['mcp.json']);
  });

  it('wraps what Claude Code keeps for this project alone, and leaves other projects', async () => {
    const workspace = await freshWorkspace();
    const path = join(workspace.root, '.claude.json');
    const before = {
      mcpServers: { x: JSON.parse(ENTRY) },
      projects: {
        [workspace.root]: { mcpServers: { x: JSON.parse(ENTRY) } },
        '/else': { mcpServers: { x: JSON.parse(ENTRY) } },
      },
    };
    await writeFile(path, JSON.stringify(before));
    expect((await workspace.run(['mcp', 'install', '--client', 'claude-code'])).code).toBe(0);
    const { mcpServers, projects } = JSON.parse(await readFile(path, 'utf8'));
    for (const { command, args } of [mcpServers.x, projects[workspace.root].mcpServers.x])
      expect(words([command, ...args])).toEqual(WRAPPED);
    expect(projects['/else']).toEqual(before.projects['/else']);
  });

  it('writes through a link, and keeps the mark at the beginning of a file', async () => {
    const workspace = await freshWorkspace();
    const [real, link] = [join(workspace.root, 'dotfiles.json'), join(workspace.root, '.cursor', 'mcp.json')];
    await mkdir(dirname(link));
    await writeFile(real, `\uFEFF{"mcpServers":{"x":${ENTRY}}}`);
    await symlink(real, link);
    const { code } = await workspace.run(['mcp', 'install', '--client', 'cursor']);
    expect([code, (await lstat(link)).isSymbolicLink()]).toEqual([0, true]);
    const text = await readFile(real, 'utf8');
    expect(text.startsWith('\uFEFF{"mcpServers":{"x":{ "command": ')).toBe(true);
    expect(text).toContain('"mcp", "--name", "x"');
  });

  it('shows what it would do and changes nothing when told so, and never wraps twice', async () => {
    const text = `{"mcpServers":{"x":${ENTRY}}}`;
    const dry = await installed('cursor', '.cursor/mcp.json', text, '--dry-run');
    expect(dry.text).toBe(text);
    expect(dry.files).toEqual(['mcp.json']);
    expect(dry.stdout).toContain('- npx -y server-x .');
    expect(dry.stdout).toContain('Nothing was changed (--dry-run).');
    expect(dry.stdout).not.toContain('secret');
    const once = await installed('cursor', '.cursor/mcp.json', text);
    const twice = await installed('cursor', '.cursor/mcp.json', once.text);
    expect(twice.text).toBe(once.text);
    expect(twice.stdout).toContain('x: left as it is (already behind the gateway)');
  });

  it('leaves a file alone that it cannot read, and says where it looked for one that is not there', async () => {
    const broken = await installed('cursor', '.cursor/mcp.json', '{"mcpServers":');
    expect([broken.code, broken.stderr]).toEqual([
      2,
      `spillway: Cannot use ${JSON.stringify(broken.path)}: it is not valid JSON. Nothing was changed.\n`,
    ]);
    expect(broken.files).toEqual(['mcp.json']);
    const missing = await (await freshWorkspace()).run(['mcp', 'install', '--client', 'cursor']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('There is no configuration of Cursor. Looked for: ');
    expect((await (await freshWorkspace()).run(['mcp', 'install', '--client', 'emacs'])).code).toBe(2);
  });
});
