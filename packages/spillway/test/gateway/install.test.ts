/** `spillway mcp install`: the servers of each client, wrapped in place. */
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

/** The wrapped words, without the program that starts them. */
const words = (args: readonly string[]) => args.slice(args.indexOf('mcp'));
const WRAPPED = ['mcp', '--name', 'x', '--env', 'TOKEN', '--', 'npx', '-y', 'server-x', '.'];

describe('mcp install', () => {
  it.each([
    ['claude-code', '.mcp.json', 'mcpServers'],
    ['claude-code', '.claude.json', 'mcpServers'],
    ['claude-desktop', '.config/Claude/claude_desktop_config.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['vscode', '.vscode/mcp.json', 'servers'],
    ['gemini-cli', '.gemini/settings.json', 'mcpServers'],
  ])('wraps the servers of %s in %s, and changes nothing else', async (client, file, key) => {
    const before = `{\n  // mine\n  "other": 12345678901234567890,\n  "${key}": { "x": ${ENTRY}, "far": { "url": "https://e/mcp" }, },\n}\n`;
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
    expect(stdout).toContain(
      'far: left as it is (not a process: put it behind `spillway mcp --url` by hand)',
    );
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

  it('wraps the servers of Codex in TOML, with lists over several lines and variables below', async () => {
    const before = `model = "m" # keep\n\n[mcp_servers.x]\ncommand = "npx" # run\nargs = [\n  "-y", # yes\n  'server-x',\n  ".",\n]\n\n[mcp_servers.x.env]\nTOKEN = "s"\n\n[mcp_servers.far]\nurl = "https://e"\n`;
    const { text } = await installed('codex', '.codex/config.toml', before);
    const args = /args = (\[.*\])/.exec(text)?.[1] ?? '[]';
    const command = /command = (".*") # run/.exec(text)?.[1] ?? '""';
    expect(words([JSON.parse(command), ...JSON.parse(args)])).toEqual(WRAPPED);
    expect(text).toContain('model = "m" # keep');
    expect(
      text.endsWith('\n\n[mcp_servers.x.env]\nTOKEN = "s"\n\n[mcp_servers.far]\nurl = "https://e"\n'),
    ).toBe(true);
  });

  it('passes on variables that Codex takes from outside', async () => {
    const before = `[mcp_servers."my server"]\ncommand = 'npx'\nargs = []\nenv_vars = ["FROM", 'OUTSIDE']\nstartup_timeout_sec = 20\n`;
    const { text } = await installed('codex', '.codex/config.toml', before);
    const args = JSON.parse(/args = (\[.*\])/.exec(text)?.[1] ?? '[]');
    expect(words(args)).toEqual([
      ...['mcp', '--name', 'my-server', '--env', 'FROM', '--env', 'OUTSIDE', '--', 'npx'],
    ]);
    expect(text).toContain(`env_vars = ["FROM", 'OUTSIDE']\nstartup_timeout_sec = 20\n`);
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

  it('leaves a server alone whose variables are in a file that the client reads', async () => {
    const text = '{"servers":{"x":{"type":"stdio","command":"npx","args":[],"envFile":".env"}}}';
    const { text: after, stdout } = await installed('vscode', '.vscode/mcp.json', text);
    expect(after).toBe(text);
    expect(stdout).toContain(
      'x: left as it is (its variables come from a file: name them with --env by hand)',
    );
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
    expect(text).toContain('"mcp","--name","x"');
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
      'spillway: The file is not valid JSON. Nothing was changed.\n',
    ]);
    expect(broken.files).toEqual(['mcp.json']);
    const missing = await (await freshWorkspace()).run(['mcp', 'install', '--client', 'cursor']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('There is no configuration of Cursor. Looked for: ');
    expect((await (await freshWorkspace()).run(['mcp', 'install', '--client', 'emacs'])).code).toBe(2);
  });
});
