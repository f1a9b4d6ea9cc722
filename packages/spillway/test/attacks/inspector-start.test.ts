/**
 * The start code of the inspector opens everything it shows: no other account and no process that
 * took over the port of a killed inspector gets it, or what could ask for one.
 */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startInspector } from '../inspector/visiting.ts';
import { freshWorkspace, passingFolder } from '../program.ts';
import { onTerminal } from '../terminal.ts';

describe('the start code of the inspector', () => {
  it('stands in no argument of a process, but in a page that only its owner can read', async () => {
    const { root } = await freshWorkspace();
    const bin = await passingFolder();
    const opener = join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open');
    await writeFile(
      opener,
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(bin, 'arguments')}; echo opened > /dev/tty\n`,
    );
    await chmod(opener, 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const terminal = onTerminal(['inspect', '--port', '0'], { cwd: root, env });
    await terminal.until(/\/start\/[\w-]+/);
    const [url = ''] = /http:\/\/\S+\/start\/[\w-]+/.exec(terminal.seen()) ?? [];
    let given = '';
    while (given === '')
      try {
        given = readFileSync(join(bin, 'arguments'), 'utf8').trim();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    expect(given).not.toContain('/start/');
    expect(readFileSync(given, 'utf8')).toContain(`content="0;url=${url}"`);
    expect(statSync(given).mode & 0o777).toBe(0o600);
    expect(statSync(join(given, '..')).mode & 0o777).toBe(0o700);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
    expect(() => statSync(given)).toThrow('ENOENT');
  });
});

describe('the note of an inspector that was killed', () => {
  it('makes nobody ask, believe or open what listens on its port now', async () => {
    const workspace = await freshWorkspace();
    const killed = await startInspector(workspace, ['inspect']);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    const requests: unknown[] = [];
    const port = Number(new URL(killed.base).port);
    const stranger = createServer((request, response) => {
      requests.push(request.headers['x-spillway-owner']);
      response.end(JSON.stringify({ url: 'file:///etc/passwd' }));
    });
    await once(stranger.listen(port, '127.0.0.1'), 'listening');
    const second = await startInspector(workspace, ['inspect']);
    expect(second.base).not.toBe(killed.base);
    expect(requests).toEqual([]);
    stranger.close();
  });

  it('and one that a living process answers for leads to a start address only', async () => {
    const workspace = await freshWorkspace();
    const answers = [
      'http://127.0.0.1:1/start/x',
      'file:///etc/passwd',
      '--help',
      'http://127.0.0.1:PORT/start/"><x',
    ];
    const stranger = createServer((_, response) => {
      const url = answers.pop()?.replace('PORT', String((stranger.address() as AddressInfo).port));
      response.end(JSON.stringify({ url }));
    });
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    const { port } = stranger.address() as AddressInfo;
    const first = await startInspector(workspace, ['inspect']);
    const folder = join(workspace.root, '.local/share/spillway/inspectors');
    const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.json'));
    while (answers.length > 0) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, name), JSON.stringify({ port, pid: process.pid, token: 'x' }));
      const started = await startInspector(workspace, ['inspect']);
      expect(started.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]{32}$/);
      expect(started.base).not.toBe(`http://127.0.0.1:${port}`);
    }
    expect(first.child.exitCode).toBeNull();
    stranger.close();
  });
});
