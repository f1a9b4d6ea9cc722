/** `spillway hook try` tells what does not work. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace } from '../program.ts';

describe.concurrent('hook try', () => {
  it.each([
    [
      'no longer there',
      '/no/such/spillway hook claude-code',
      '*',
      '✗ A long result would pass as it is, as the hook ended with 127: ',
    ],
    [
      'asked for another agent',
      'true spillway hook claude-code',
      '*',
      '✗ A long result would pass as it is.',
    ],
    [
      'matched to other tools',
      'true spillway hook claude-code',
      'Edit|Write',
      '✗ Its matcher leaves out the tool Bash: Edit|Write',
    ],
    [
      'one that blocks',
      'cat >&2; exit 2; spillway hook claude-code',
      '*',
      '✗ A short result does not pass, as the hook ended with 2',
    ],
  ])('says so if the command is %s', async (_, command, matcher, line) => {
    const workspace = await freshWorkspace();
    await mkdir(join(workspace.root, '.claude'));
    const hooks = { PostToolUse: [{ matcher, hooks: [{ type: 'command', command }] }] };
    await writeFile(join(workspace.root, '.claude', 'settings.json'), JSON.stringify({ hooks }));
    const { code, stdout } = await workspace.run(['hook', 'try', '--agent', 'claude-code']);
    expect(code).toBe(1);
    expect(stdout).toContain(`\n  ${line}`);
  });

  it('tries a command that fails through the script that commands run through', async () => {
    const workspace = await freshWorkspace();
    const env = { HOME: workspace.root, SHELL: '/bin/bash' };
    await workspace.run(['hook', 'install', '--agent', 'claude-code'], { env });
    const tried = () => workspace.run(['hook', 'try', '--agent', 'claude-code'], { env });
    expect((await tried()).stdout).toMatch(
      /✓ A command that fails keeps its exit code; 1\d\d,\d{3} chars of it/,
    );
    const script = join(workspace.root, '.claude', 'spillway-shell');
    await writeFile(script, '#!/bin/sh\nexec /bin/sh -c "$1"\n');
    const { code, stdout } = await tried();
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ A command that fails is not shown in part: ${script} ended with 3.`);
  });

  it('says what to do if there is no hook', async () => {
    const { code, stdout } = await (await freshWorkspace()).run(['hook', 'try', '--agent', 'pi']);
    expect([code, stdout]).toEqual([
      1,
      'pi has no hook of ours. To put it in: spillway hook install --agent pi\n',
    ]);
  });

  it('says so if what a plugin loads is gone', async () => {
    const workspace = await freshWorkspace();
    const folder = join(workspace.root, '.config', 'opencode', 'plugin');
    await mkdir(folder, { recursive: true });
    await workspace.run(['hook', 'install', '--agent', 'opencode']);
    const text = `// Written by \`spillway hook install\`; \`spillway hook uninstall\` removes it.\nawait import("file:///gone/opencode.js"); spillway(["true"])(context);\n`;
    await writeFile(join(folder, 'spillway.js'), text);
    const { code, stdout } = await workspace.run(['hook', 'try', '--agent', 'opencode']);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ What it loads is gone: /gone/opencode.js');
  });
});
