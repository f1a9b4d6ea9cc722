/** `spillway inspect` as people and programs start it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Answer, OutputAnswer } from '../../src/inspector/api.ts';
import { freshWorkspace } from '../program.ts';
import { rawRequest, startInspector, visit } from './visiting.ts';

describe('spillway inspect', () => {
  it('says its address first, serves until SIGTERM, and exits with 0', async () => {
    const inspector = await startInspector(await freshWorkspace());
    expect(inspector.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]{32}$/);
    const person = await visit(inspector);
    const { has_store } = await person.get<Answer<'GET /api/workspace'>>('/api/workspace');
    expect(has_store).toBe(false);
    inspector.child.kill('SIGTERM');
    expect(await once(inspector.child, 'exit')).toEqual([0, null]);
  });

  it('prints address, port and process as JSON', async () => {
    const inspector = await startInspector(await freshWorkspace(), ['inspect', '--port', '0', '--json']);
    const printed = JSON.parse(inspector.first) as { url: string; port: number; pid: number };
    expect(printed).toEqual({
      url: inspector.url,
      port: Number(new URL(inspector.url).port),
      pid: inspector.child.pid,
    });
  });

  it('is found again by its workspace: a second one prints a new address of the first', async () => {
    const workspace = await freshWorkspace();
    const first = await startInspector(workspace, ['inspect']);
    const second = await workspace.run(['inspect', '--json']);
    const { url, pid } = JSON.parse(second.stdout) as { url: string; pid: number };
    expect([second.code, new URL(url).origin, pid]).toEqual([0, first.base, first.child.pid]);
    expect((await visit({ url, base: first.base })).key).not.toBe('');
    expect(second.stderr).toContain("This workspace's inspector already runs");
  });

  it('of another workspace takes the next free port, and says so', async () => {
    const first = await startInspector(await freshWorkspace(), ['inspect']);
    const second = await startInspector(await freshWorkspace(), ['inspect']);
    expect(second.base).not.toBe(first.base);
    expect(second.errors()).toMatch(/Port 8809 is in use, so this is port \d+\./);
  });

  it('ends with 1 and the remedy where the port that was asked for is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const ran = await (await freshWorkspace()).run(['inspect', '--port', String(port)]);
    taken.close();
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain(`Port ${port} is in use: give another with --port`);
  });

  it('is known by the name of a tunnel that was given, and by no other', async () => {
    const args = ['inspect', '--port', '0', '--host', 'dev.example:9000'];
    const inspector = await startInspector(await freshWorkspace(), args);
    const status = async (host: string) => (await rawRequest(inspector.base, '/sessions', { host })).status;
    expect([await status('dev.example:9000'), await status('dev.example:9001')]).toEqual([200, 403]);
  });

  it('opens at an output, and refuses a name that is not there', async () => {
    const workspace = await freshWorkspace();
    await workspace.run(['exec', '--', 'seq', '1', '5000']);
    const [id = ''] = await workspace.ids();
    const inspector = await startInspector(workspace, ['inspect', id, '--port', '0']);
    expect(await (await fetch(inspector.url)).text()).toContain(
      `<meta name="spillway-open" content="/o/${id}">`,
    );
    for (const short of ['last', id.slice(0, -3)]) {
      const { url } = await startInspector(workspace, ['inspect', short, '--port', '0']);
      expect(await (await fetch(url)).text()).toContain(`content="/o/${id}"`);
    }
    for (const name of ['no-such-session', 'art_1699234567_a1b2c3d4']) {
      const wrong = await workspace.run(['inspect', name, '--port', '0']);
      expect([wrong.code, wrong.stdout]).toEqual([1, '']);
    }
  });

  it('sees a store that is made after it was started', async () => {
    const workspace = await freshWorkspace();
    const inspector = await startInspector(workspace);
    const person = await visit(inspector);
    await person.get('/api/workspace');
    await workspace.run(['exec', '--', 'seq', '1', '5000']);
    const [id = ''] = await workspace.ids();
    const { output } = await person.get<OutputAnswer>(`/api/outputs/${id}`);
    expect(output.lines).toBe(5_000);
  });
});

describe('spillway serve', () => {
  it('without an upstream is the inspector alone', async () => {
    const inspector = await startInspector(await freshWorkspace(), ['serve', '--port', '0']);
    expect(await (await visit(inspector)).get('/api/workspace')).toMatchObject({ has_store: false });
    expect(
      (await rawRequest(inspector.base, '/mcp', { host: new URL(inspector.base).host }, 'POST')).status,
    ).toBe(403);
  });

  it('with an upstream is both: clients need a token at /mcp, people a start code elsewhere', async () => {
    const server = fileURLToPath(new URL('../gateway/raw-server.mjs', import.meta.url));
    const workspace = await freshWorkspace();
    const args = ['serve', '--port', '0', '--', process.execPath, server];
    const inspector = await startInspector(workspace, args, { SPILLWAY_TOKEN: 'a-token-of-some-length' });
    const host = new URL(inspector.base).host;
    expect((await rawRequest(inspector.base, '/mcp', { host }, 'POST')).status).toBe(401);
    expect((await rawRequest(inspector.base, '/api/outputs', { host })).status).toBe(401);
    expect(await (await visit(inspector)).get('/api/outputs')).toMatchObject({ items: [] });
  });
});
