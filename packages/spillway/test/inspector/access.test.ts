/**
 * Who may look: the attacks that a page or a process on the same machine can try, on a real one.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../src/inspector/api.ts';
import { freshWorkspace } from '../program.ts';
import { rawRequest, type Started, startInspector, type Visit, visit } from './visiting.ts';

let inspector: Started;
let person: Visit;
let id: string;

beforeAll(async () => {
  const workspace = await freshWorkspace();
  await workspace.run(['exec', '--', 'sh', '-c', 'seq 1 5000; echo "secret-word" >&2']);
  inspector = await startInspector(workspace);
  person = await visit(inspector);
  id = (await person.get<Answer<'GET /api/outputs'>>('/api/outputs')).items[0]?.id ?? '';
});

const raw = (path: string, headers: Readonly<Record<string, string>>, method = 'GET') =>
  rawRequest(inspector.base, path, headers, method);
const own = () => ({ cookie: person.cookie, 'x-spillway-key': person.key });
const host = () => new URL(inspector.base).host;

describe('a start code', () => {
  it('works once: who comes second gets the page without a key, and no cookie', async () => {
    const again = await fetch(inspector.url);
    expect(again.status).toBe(403);
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(await again.text()).not.toContain('spillway-key');
  });

  it('that was never issued opens nothing', async () => {
    expect((await fetch(`${inspector.base}/start/${'x'.repeat(32)}`)).status).toBe(403);
  });

  it('is not used up by a browser that looks ahead', async () => {
    await fetch(`${inspector.base}/api/code`, { method: 'POST', headers: { origin: inspector.base } });
    const url = (await inspector.nextLine()).replace('Inspector: ', '');
    const ahead = await fetch(url, { headers: { 'sec-purpose': 'prefetch;prerender' } });
    expect([ahead.status, ahead.headers.get('set-cookie')]).toEqual([503, null]);
    expect((await fetch(url)).status).toBe(200);
  });

  it('can be asked for by a page without one: it appears in the terminal, and not too often', async () => {
    const other = await startInspector(await freshWorkspace());
    const ask = () => fetch(`${other.base}/api/code`, { method: 'POST', headers: { origin: other.base } });
    const first = await ask();
    expect(first.status).toBe(202);
    expect((await first.json()) as { readonly printed: true; readonly command: string }).toEqual({
      printed: true,
      command: 'spillway inspect',
    });
    const line = await other.nextLine();
    expect(line).toMatch(/^Inspector: http:\/\/127\.0\.0\.1:\d+\/start\/\S+$/);
    expect((await visit({ ...other, url: line.replace('Inspector: ', '') })).key).not.toBe('');
    expect((await ask()).status).toBe(429);
  });
});

describe('a request', () => {
  it('with cookie and key is answered', async () => {
    expect((await raw('/api/outputs', { ...own(), host: host() })).status).toBe(200);
  });

  it.each([
    ['without the key', () => ({ cookie: person.cookie }), 401],
    ['without the cookie', () => ({ 'x-spillway-key': person.key }), 401],
    ['with another key', () => ({ ...own(), 'x-spillway-key': 'x'.repeat(32) }), 401],
    ['with a stale cookie', () => ({ ...own(), cookie: `${person.cookie}x` }), 401],
    ['from a page of another port', () => ({ ...own(), 'sec-fetch-site': 'same-site' }), 403],
    ['from a page of another site', () => ({ ...own(), 'sec-fetch-site': 'cross-site' }), 403],
    ['with the origin of another port', () => ({ ...own(), origin: 'http://127.0.0.1:1' }), 403],
    ['by a name that was made to point here', () => ({ ...own(), host: 'evil.example:8809' }), 403],
    ['by our name and another port', () => ({ ...own(), host: '127.0.0.1:1' }), 403],
    ['by no port', () => ({ ...own(), host: '127.0.0.1' }), 403],
  ])('%s is refused', async (_, headers, status) => {
    const answer = await raw('/api/outputs', { host: host(), ...headers() });
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain('art_');
  });

  it('that changes something is refused without our origin', async () => {
    for (const origin of [undefined, 'null', 'http://127.0.0.1:1', 'https://evil.example']) {
      const headers = { ...own(), host: host(), 'content-type': 'application/json' };
      const answer = await raw(
        '/api/sessions/cli/end',
        { ...headers, ...(origin === undefined ? {} : { origin }) },
        'POST',
      );
      expect([origin, answer.status]).toEqual([origin, 403]);
    }
    const plain = { ...own(), host: host(), origin: inspector.base, 'content-type': 'text/plain' };
    expect((await raw('/api/sessions/cli/end', plain, 'POST')).status).toBe(400);
  });

  it('cannot leave the folder of the page', async () => {
    for (const path of [
      '/../package.json',
      '/..%2fpackage.json',
      '/assets/../../package.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '//etc/passwd',
      '/index.html/../../package.json',
    ]) {
      const { body, status } = await raw(path, { host: host() });
      expect([path, body.includes('"name": "spillway"') || body.includes('root:')]).toEqual([path, false]);
      expect([200, 404]).toContain(status);
    }
  });

  it('gets headers under which nothing foreign can run, be sniffed or be kept', async () => {
    for (const path of ['/', '/sessions', '/api/outputs', '/start/none', '/nothing.js']) {
      const { headers } = await raw(path, { ...own(), host: host() });
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect([headers['x-content-type-options'], headers['cache-control']]).toEqual(['nosniff', 'no-store']);
    }
  });
});

it('files whose names hold a hash are compressed and may be kept; they hold nothing of a workspace', async () => {
  const page = await (await fetch(`${inspector.base}/sessions`)).text();
  const [path = ''] = /\/assets\/[\w-]+\.js/.exec(page) ?? [];
  const { status, headers } = await raw(path, { host: host(), 'accept-encoding': 'gzip' });
  expect([status, headers['content-encoding']]).toEqual([200, 'gzip']);
  expect(headers['cache-control']).toBe('private, max-age=31536000, immutable');
  expect((await raw(path, { host: host() })).headers['content-encoding']).toBeUndefined();
});

describe('the cookie', () => {
  it('cannot be read by scripts, and is not sent from other sites', async () => {
    await fetch(`${inspector.base}/api/code`, { method: 'POST', headers: { origin: inspector.base } });
    const other = await startInspector(await freshWorkspace());
    const cookie = (await fetch(other.url)).headers.get('set-cookie');
    const { port } = new URL(other.base);
    expect(cookie).toMatch(new RegExp(`^spillway-${port}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/$`));
  });
});

describe('a link to raw bytes', () => {
  const link = () =>
    person.post<Answer<'POST /api/outputs/:id/raw'>>(`/api/outputs/${id}/raw`, { part: null });

  it('gives the exact bytes once, as a file to be saved', async () => {
    const { url, bytes } = await link();
    const first = await raw(url, { cookie: person.cookie, host: host() });
    expect([first.status, first.body.length]).toEqual([200, bytes]);
    expect(first.body).toContain('secret-word');
    expect(first.headers['content-type']).toBe('application/octet-stream');
    expect(String(first.headers['content-disposition'])).toMatch(/^attachment; filename="art_[\w-]+\.txt"$/);
    expect((await raw(url, { cookie: person.cookie, host: host() })).status).toBe(410);
  });

  it('is nothing without the cookie, nor for a page of another port', async () => {
    expect((await raw((await link()).url, { host: host() })).status).toBe(401);
    const headers = { cookie: person.cookie, host: host(), 'sec-fetch-site': 'same-site' };
    expect((await raw((await link()).url, headers)).status).toBe(403);
  });
});

it('nothing that was captured, and no secret, is printed beside the address', async () => {
  await person.get(`/api/outputs/${id}`);
  await person.send(`/api/outputs/${id}/search?q=secret-word`);
  expect(inspector.errors()).toBe('');
});
