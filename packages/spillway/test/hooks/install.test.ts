/** `spillway hook install` and `uninstall`: the hook in an agent's settings, and nothing else. */
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HookFormat, withHook, withoutHook } from '../../src/hook/install/hook-file.ts';
import { HOOK_TARGETS } from '../../src/hook/install/targets.ts';
import { freshWorkspace, PROGRAM, type Ran, type Workspace } from '../program.ts';

const COMMAND = 'spillway hook claude-code';
const LINE = { command: COMMAND, shell: '/home/me/.claude/spillway-shell' };
const format = HOOK_TARGETS['claude-code']?.format as HookFormat;

const LAYOUTS: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'an empty object on two lines': '{\n}\n',
  'other settings': '{\n  "model": "opus",\n  "env": { "TOKEN": "12345678901234567890" }\n}\n',
  'no line end': '{"model":"opus"}',
  'spaces inside': '{ "model": "opus" }',
  'tabs and CRLF': '{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}\r\n',
  'comments and a last comma': '{\n  // mine\n  "model": "opus", // the best\n  /* of all, */\n}\n',
  'a comment behind the last member': '{\n  "model": "opus" // the best, by far\n}\n',
  'only a comment': '{\n  // nothing yet, but soon\n}\n',
  'an empty list': '{\n  "hooks": {\n    "PostToolUse": []\n  }\n}\n',
  'an empty object of hooks': '{ "hooks": {} }\n',
  'hooks of others': `{
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "fmt" }] }
        ],
        "Stop": [{ "hooks": [] }]
    }
}`,
  'hooks of others on one line': '{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  'a mark at its beginning': '\uFEFF{\n  "model": "opus"\n}\n',
};

describe('the hook in a file with', () => {
  it.each(Object.entries(LAYOUTS))('%s: in once, however often; out again byte for byte', (_, before) => {
    const installed = withHook(before, format, LINE);
    expect(commandsIn(installed)).toContain(COMMAND);
    expect(withHook(installed, format, LINE)).toBe(installed);
    expect(withoutHook(installed, format, [before])).toBe(before);
  });

  it.each(Object.entries(LAYOUTS))('%s: out again although the file was edited since', (_, before) => {
    const installed = withHook(before, format, LINE);
    const edit = (text: string) => text.replace('{', '{\n  "added": true,').replace('true,\n}', 'true\n}');
    const edited = edit(installed);
    const after = withoutHook(edited, format, [before]) ?? '';
    expect(read(after)).toEqual({ added: true, ...read(before) });
    for (const comment of before.match(/\/\/.*|\/\*.*\*\//g) ?? []) expect(after).toContain(comment);
  });

  it.each(Object.entries(LAYOUTS))('%s: out again although nothing was kept', (_, before) => {
    const after = withoutHook(withHook(before, format, LINE), format, []);
    const { hooks = {}, ...rest } = read(before) as { hooks?: Record<string, unknown> };
    const left = Object.fromEntries(
      Object.entries(hooks).filter(([, list]) => JSON.stringify(list) !== '[]'),
    );
    expect(read(after ?? '{}')).toMatchObject(
      Object.keys(left).length === 0 ? rest : { ...rest, hooks: left },
    );
    expect(commandsIn(after ?? '{}')).not.toContain(COMMAND);
  });

  it('others before and behind it: theirs stay', () => {
    const installed = withHook('{"hooks":{"PostToolUse":[{"hooks":[{"command":"a"}]}]}}', format, LINE);
    const more = withHook(installed, { ...format, agent: 'other' }, { command: 'spillway hook other' });
    expect(commandsIn(more)).toEqual(['a', COMMAND, 'spillway hook other']);
    expect(commandsIn(withoutHook(more, format, []) ?? '')).toEqual(['a', 'spillway hook other']);
  });

  it('it beside another in a group of its user: only it goes', () => {
    const text = `{ "hooks": { "PostToolUse": [{ "matcher": "*", "hooks": [
      { "type": "command", "command": "mine" }, // first
      { "type": "command", "command": "/opt/node /opt/bin/spillway.js hook claude-code --tool-name x" }
    ] }] } }`;
    const after = withoutHook(text, format, []) ?? '';
    expect(commandsIn(after)).toEqual(['mine']);
    expect(after).toContain('// first');
  });
});

describe.concurrent('hook install', () => {
  it('writes the hook of Claude Code for its user, and finds none when it is gone', async () => {
    const workspace = await freshWorkspace();
    const file = join(workspace.root, '.claude', 'settings.json');
    const ran = await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const { hooks } = JSON.parse(await readFile(file, 'utf8'));
    expect(hooks.PostToolUse).toEqual([
      {
        matcher: 'Bash|PowerShell|Read|Grep|Glob|WebFetch|mcp__.*',
        hooks: [
          { type: 'command', command: expect.stringMatching(/spillway\.js hook claude-code$/), timeout: 60 },
        ],
      },
    ]);
    await workspace.run(['hook', 'uninstall', '--agent', 'claude-code']);
    const none = await workspace.run(['hook', 'uninstall', '--agent', 'claude-code']);
    expect([none.code, none.stdout]).toEqual([
      0,
      `${file}\n  There is no hook of ours. Nothing to change.\n`,
    ]);
  });

  it.each(Object.keys(HOOK_TARGETS))(
    'writes the hook of %s, which then works; uninstall leaves nothing',
    async (agent) => {
      const workspace = await freshWorkspace();
      const before = await readdir(workspace.root, { recursive: true });
      const tried = () => workspace.run(['hook', 'try', '--agent', agent, '--json']);
      expect(await tried()).toMatchObject({
        code: 1,
        stdout: `{"agent":"${agent}","ok":false,"hooks":[]}\n`,
      });
      expect((await workspace.run(['hook', 'install', '--agent', agent])).code).toBe(0);
      expect((await workspace.run(['hook', 'install', '--agent', agent])).stdout).toContain(
        'is there already',
      );
      const { code, stdout } = await tried();
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({
        code: 0,
        ok: true,
        // Claude Code runs its commands through a script of ours, which is tried as well.
        hooks: [{ findings: { length: agent === 'claude-code' ? 5 : 4 } }],
      });
      expect((await workspace.run(['hook', 'uninstall', '--agent', agent])).code).toBe(0);
      expect(await readdir(workspace.root, { recursive: true })).toEqual(before);
    },
    60_000,
  );

  it('leaves a plugin alone that another program wrote', async () => {
    const workspace = await freshWorkspace();
    const file = join(workspace.root, '.pi', 'agent', 'extensions', 'spillway.js');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'export default () => {};\n');
    const ran = await workspace.run(['hook', 'install', '--agent', 'pi']);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('another program wrote it')]);
    await workspace.run(['hook', 'uninstall', '--agent', 'pi']);
    expect(await readFile(file, 'utf8')).toBe('export default () => {};\n');
  });

  it('keeps the former file for its owner only, and the mode of the file', async () => {
    const { workspace, file } = await settings('{"model":"opus"}', 0o644);
    const ran = await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    const backup = /kept: (.*)\n/.exec(ran.stdout)?.[1] ?? '';
    expect(await readFile(backup, 'utf8')).toBe('{"model":"opus"}');
    expect([await modeOf(backup), await modeOf(file)]).toEqual(['600', '644']);
    await workspace.run(['hook', 'uninstall', '--agent', 'claude-code']);
    expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual(['{"model":"opus"}', '644']);
    expect(await readdir(dirname(file))).toEqual(['settings.json']);
  });

  it.each(['path', 'name'])(
    'keeps copies of a file that servers behind the gateway still need, which is named by its %s',
    async (by) => {
      const workspace = await freshWorkspace();
      const env = by === 'path' ? {} : { PATH: `${join(workspace.root, 'bin')}:${process.env.PATH}` };
      await mkdir(join(workspace.root, 'bin'));
      await symlink(PROGRAM, join(workspace.root, 'bin', 'spillway'));
      const run = (...args: string[]) => workspace.run(args, { env });
      const file = join(workspace.root, '.gemini', 'settings.json');
      const before = '{ "mcpServers": { "x": { "command": "npx" } } }';
      await mkdir(dirname(file));
      await writeFile(file, before);
      await run('mcp', 'install', '--client', 'gemini-cli');
      await run('hook', 'install', '--agent', 'gemini');
      await run('hook', 'uninstall', '--agent', 'gemini');
      expect((await readdir(dirname(file))).length).toBeGreaterThan(1);
      await run('mcp', 'uninstall', '--client', 'gemini-cli');
      expect([await readFile(file, 'utf8'), await readdir(dirname(file))]).toEqual([
        before,
        ['settings.json'],
      ]);
    },
  );

  it('runs commands of Claude Code through a script, which goes with the hook; another one stays', async () => {
    const { workspace, file } = await settings('{}');
    const script = join(dirname(file), 'spillway-shell');
    await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    expect(read(await readFile(file, 'utf8')).env).toEqual({ CLAUDE_CODE_SHELL_PREFIX: script });
    expect(await modeOf(script)).toBe('755');
    await workspace.run(['hook', 'uninstall', '--agent', 'claude-code']);
    expect(await readdir(dirname(file))).toEqual(['settings.json']);
    const theirs = await settings('{ "env": { "CLAUDE_CODE_SHELL_PREFIX": "/opt/log" } }');
    await theirs.workspace.run(['hook', 'install', '--agent', 'claude-code']);
    expect(read(await readFile(theirs.file, 'utf8')).env).toEqual({ CLAUDE_CODE_SHELL_PREFIX: '/opt/log' });
    expect(await readdir(dirname(theirs.file))).not.toContain('spillway-shell');
  });

  it('takes another command of ours in place of the former one', async () => {
    const { workspace, file } = await settings('{}');
    await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    const ran = await workspace.run([
      'hook',
      'install',
      '--agent',
      'claude-code',
      '--tool-name',
      'mcp__x__get_artifact',
    ]);
    expect(ran.stdout).toMatch(
      /\n {2}- .* hook claude-code\n {2}- commands run through .*\n {2}\+ .* hook claude-code --tool-name mcp__x__get_artifact\n {2}\+ commands run/,
    );
    expect(commandsIn(await readFile(file, 'utf8'))).toHaveLength(1);
  });

  it('shows what it would do and changes nothing when told so', async () => {
    const { workspace, file } = await settings('{}');
    for (const command of ['install', 'uninstall']) {
      const before = await readFile(file, 'utf8');
      const ran = await workspace.run(['hook', command, '--agent', 'claude-code', '--dry-run']);
      expect(ran.stdout).toContain('Nothing was changed (--dry-run).');
      expect(await readFile(file, 'utf8')).toBe(before);
      if (command === 'install') await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    }
  });

  it('writes no path of this machine into the file that a project shares', async () => {
    const [workspace, home] = [await freshWorkspace(), await freshWorkspace()];
    const env = { HOME: home.root, PATH: dirname(process.execPath) };
    const run = (...args: string[]) => workspace.run(['hook', ...args, '--agent', 'claude-code'], { env });
    expect((await run('install', '--scope', 'project')).stdout).toContain(
      'whoever uses it needs the program spillway on the path, where yours is not.',
    );
    expect((await run('install', '--scope', 'local')).stdout).not.toContain('whoever');
    const of = async (name: string) =>
      commandsIn(await readFile(join(workspace.root, '.claude', name), 'utf8'));
    expect(await of('settings.json')).toEqual(['spillway hook claude-code']);
    expect(await of('settings.local.json')).toEqual([expect.stringContaining(process.execPath)]);
  });

  it('names the program alone where it is on the path', async () => {
    const { workspace, file } = await settings('{}');
    await writeFile(join(workspace.root, 'spillway'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${workspace.root}:${process.env.PATH}` };
    await workspace.run(['hook', 'install', '--agent', 'claude-code'], { env });
    expect(commandsIn(await readFile(file, 'utf8'))).toEqual(['spillway hook claude-code']);
  });

  it('names what the project depends on, else what others have to have', async () => {
    const { workspace } = await settings('{}');
    await writeFile(join(workspace.root, 'spillway'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${workspace.root}:${process.env.PATH}` };
    const install = (agent: string) =>
      workspace.run(['hook', 'install', '--agent', agent, '--scope', 'project', '--dry-run'], { env });
    expect((await install('gemini')).stdout).toContain('+ spillway hook gemini\n');
    expect((await install('gemini')).stdout).toContain('needs the program spillway on the path.\n');
    const ofProject = 'needs spillway among the packages of the project (npm install).\n';
    expect((await install('pi')).stdout).toContain(ofProject);
    await mkdir(join(workspace.root, 'node_modules', 'spillway'), { recursive: true });
    expect((await install('gemini')).stdout).toContain('+ npx --no spillway hook gemini\n');
    expect((await install('gemini')).stdout).toContain(ofProject);
  });

  it('writes through a link', async () => {
    const workspace = await freshWorkspace();
    const [real, link] = [join(workspace.root, 'dot.json'), join(workspace.root, '.claude', 'settings.json')];
    await mkdir(dirname(link));
    await writeFile(real, '{}');
    await symlink(real, link);
    await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(commandsIn(await readFile(real, 'utf8'))).toHaveLength(1);
  });

  it.each([
    ['{"hooks":', 'it is not valid JSON'],
    ['{"hooks": []}', '"hooks" is something else there'],
    ['{"hooks": {"PostToolUse": {}}}', 'what should be a list is something else there'],
  ])('leaves %s alone, and says why', async (text, why) => {
    const { workspace, file } = await settings(text);
    const ran: Ran = await workspace.run(['hook', 'install', '--agent', 'claude-code']);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      `spillway: Cannot use ${JSON.stringify(file)}: ${why}. Nothing was changed.\n`,
    ]);
    expect([await readFile(file, 'utf8'), await readdir(dirname(file))]).toEqual([text, ['settings.json']]);
  });

  it('refuses an agent or a scope that it does not know', async () => {
    const { run } = await freshWorkspace();
    const agent = await run(['hook', 'install', '--agent', 'claud-code']);
    expect([agent.code, agent.stderr]).toEqual([2, expect.stringContaining('Did you mean claude-code?')]);
    const scope = await run(['hook', 'install', '--agent', 'claude-code', '--scope', 'all']);
    expect([scope.code, scope.stderr]).toEqual([2, expect.stringContaining('user, project, local')]);
    expect((await run(['hook', 'install', '--agent', 'pi', '--tool-name', 'x'])).code).toBe(2);
  });
});

function read(text: string): Record<string, unknown> {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/(?<!:)\/\/.*|\/\*.*?\*\//g, '')
    .replace(/,(\s*[}\]])/g, '$1');
  return JSON.parse(plain);
}

function commandsIn(text: string): string[] {
  const { hooks = {} } = read(text) as { hooks?: { PostToolUse?: { hooks?: { command: string }[] }[] } };
  return (hooks.PostToolUse ?? []).flatMap((group) => (group.hooks ?? []).map(({ command }) => command));
}

async function settings(text: string, mode = 0o600): Promise<{ workspace: Workspace; file: string }> {
  const workspace = await freshWorkspace();
  const file = join(workspace.root, '.claude', 'settings.json');
  await mkdir(dirname(file));
  await writeFile(file, text, { mode });
  return { workspace, file };
}

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8);
}
