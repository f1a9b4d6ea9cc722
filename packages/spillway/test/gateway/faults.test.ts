/**
 * Servers that crash, hang, print what is no message, never finish or say too much: the call fails,
 * what had come is kept, the rest goes on.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'spillway';
import { describe, expect, it } from 'vitest';
import { type Answer, Peer, PROGRAM, textOf, through, workspace } from './peer.ts';

const artifactIn = (answer: Answer) => /art_\d+_\w+/.exec(textOf(answer))?.[0] ?? '';

/** Long beside what a busy machine takes to start a server, short beside what a test may take. */
const TIMEOUT = ['--timeout', '5'];

async function started(...flags: string[]): Promise<Peer> {
  const gateway = through(await workspace(), flags);
  await gateway.initialize();
  return gateway;
}

// Servers that hang or are started again are waited for: together rather than one after the other.
describe.concurrent('a server that crashes', () => {
  it('fails every call that waits, is started again and introduced to the client, and goes on', async () => {
    const gateway = await started();
    const [crashed, waiting, other] = await Promise.all([
      gateway.call('crash'),
      gateway.call('hang'),
      gateway.call('hang'),
    ]);
    for (const { result } of [crashed, waiting, other])
      expect(result).toEqual({
        content: [{ type: 'text', text: 'The server ended (exit code 3) before it answered.' }],
        isError: true,
      });
    expect(textOf(await gateway.call('emit', { chars: 20 }))).toBe('line 1 of what was s');
    await gateway.untilStderr('it is started again in 250 ms');
  });

  it('leaves what the gateway answers itself at hand while it is away', async () => {
    const gateway = await started();
    const cut = await gateway.call('emit', { chars: 9_000 });
    await writeFile(join(gateway.cwd, 'away'), '');
    await gateway.call('crash');
    const waiting = gateway.call('emit', { chars: 4 });
    const page = await gateway.call('get_artifact', { artifact_id: artifactIn(cut), lines: '1' });
    expect(textOf(page)).toContain('line 1 of what was said');
    await rm(join(gateway.cwd, 'away'));
    expect(textOf(await waiting)).toBe('line');
  });

  it('while a call waits to be passed on does not hold that call back for ever', async () => {
    const gateway = await started();
    const [lost] = await Promise.all([gateway.call('crash', { truncation: { max_chars: 500 } })]);
    expect(lost.result.isError).toBe(true);
    expect(textOf(await gateway.call('emit', { chars: 4, truncation: { max_chars: 500 } }))).toBe('line');
  });

  it.each([
    ['crash-inside', 'what came before the crash'],
    ['crash-large', 'begin xxxxx'],
  ])('in the middle of its result (%s): what had come is shown, stored and marked', async (tool, shown) => {
    const gateway = await started();
    const answer = await gateway.call(tool);
    expect(answer.result.isError).toBe(true);
    expect(answer.result.content[0].text).toBe('The server ended before its result was complete.');
    expect(textOf(answer)).toContain(shown);
    if (tool === 'crash-large') {
      const page = await gateway.call('get_artifact', { artifact_id: artifactIn(answer), chars: '3000000-' });
      expect(textOf(page)).toContain('of 3,000,006]');
    }
  });

  it('before it ever spoke ends the gateway too, which says why', async () => {
    const root = await workspace();
    const gateway = new Peer(
      process.execPath,
      [PROGRAM, 'mcp', '--', process.execPath, '-e', 'process.exit(7)'],
      root,
    );
    gateway.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
    expect(await gateway.ended()).toBe(1);
    expect(gateway.stderr).toContain('The server ended (exit code 7) before it said anything.');
    const missing = new Peer(process.execPath, [PROGRAM, 'mcp', '--', 'no-such-program-here'], root);
    expect(await missing.ended()).toBe(1);
    expect(missing.stderr).toContain(
      'The server ended (it could not be started: there is no program "no-such-program-here", or no such folder) before it said anything.',
    );
  });
});

describe.concurrent('a server that hangs', () => {
  it('is told to stop after the time that was set, and the call fails; others go on', async () => {
    const gateway = await started(...TIMEOUT);
    const { result } = await gateway.call('hang');
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe('The server gave no sign for 5 s and was told to stop.');
    await gateway.until((line) => line.includes('"cancelled 2"'));
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
  });

  it('in the middle of its result is started again, and what had come is stored', async () => {
    const gateway = await started(...TIMEOUT);
    const answer = await gateway.call('hang-inside');
    expect(answer.result.content[0].text).toBe(
      'The server stopped in the middle of its result and gave no sign for 5 s.',
    );
    const page = await gateway.call('get_artifact', { artifact_id: artifactIn(answer), chars: '1-9' });
    expect(textOf(page)).toContain('begin xxx');
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
  });

  it.each([
    ['under the size that is held', { chars: 50 }],
    ['before its id', { chars: 50, idLast: true }],
  ])('in the middle of a small result (%s) is started again, and what had come is shown', async (_, args) => {
    const gateway = await started(...TIMEOUT);
    const answer = await gateway.call('hang-inside', args);
    expect(answer.result.content[0].text).toBe(
      'The server stopped in the middle of its result and gave no sign for 5 s.',
    );
    expect(textOf(answer)).toContain('begin xxx');
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
  });

  it('in the middle of a message whose call is not known yet is started again', async () => {
    const gateway = await started(...TIMEOUT);
    const [first, second] = await Promise.all([
      gateway.call('hang'),
      gateway.call('hang-inside', { chars: 50, idLast: true }),
    ]);
    for (const { result } of [first, second]) expect(result.isError).toBe(true);
    await gateway.untilStderr('it is started again in 250 ms');
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
  });

  it('is not given up while it tells of its progress', async () => {
    const gateway = await started(...TIMEOUT);
    expect(textOf(await gateway.call('progress', {}, { progressToken: 'p' }))).toBe('done in time');
  });
});

describe.concurrent('what is no message', () => {
  it('is left out, however long, and counted on standard error without a word of it', async () => {
    const gateway = await started();
    expect(textOf(await gateway.call('garbage'))).toBe('after the garbage');
    expect(gateway.lines.every((line) => line.startsWith('{"'))).toBe(true);
    await gateway.untilStderr('The server printed 22 bytes that are no message; they were left out.');
    expect(gateway.stderr).not.toContain('Listening');
  });
});

describe.concurrent('two results that are written into each other', () => {
  it('are no message and not passed on; the gateway goes on', async () => {
    const gateway = await started();
    const waiting = gateway.call('hang');
    expect(textOf(await gateway.call('tangled'))).toBe('after the tangle');
    await gateway.untilStderr('The server sent a message of 1,500,');
    expect(gateway.lines.every((line) => line.length < 10_000)).toBe(true);
    void waiting;
  });
});

describe.concurrent('cancellation', () => {
  it('reaches the server', async () => {
    const gateway = await started();
    gateway.write('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"hang"}}');
    gateway.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}');
    await gateway.until((line) => line.includes('"cancelled 77"'));
  });
});

describe.concurrent('a result of many megabytes', () => {
  /** Runs with a heap that could not hold the result. */
  async function small(...flags: string[]): Promise<Peer> {
    const root = await workspace();
    await mkdir(join(root, 'tmp'));
    const server = new URL('raw-server.mjs', import.meta.url).pathname;
    const args = ['--max-old-space-size=48', PROGRAM, 'mcp', ...flags, '--', process.execPath, server];
    const gateway = new Peer(process.execPath, args, root, { TMPDIR: join(root, 'tmp') });
    await gateway.initialize();
    return gateway;
  }

  it.each([
    ['with its id in front', { mb: 64 }],
    ['with its id at the end', { mb: 64, idLast: true }],
  ])('%s is stored while it arrives and projected like any other', async (_how, args) => {
    const gateway = await small();
    const answer = await gateway.call('stream', args);
    expect(answer.result._meta['spillway/projection'].original_size).toBeGreaterThan(60_000_000);
    expect(textOf(answer).length).toBeLessThanOrEqual(8_000);
    const page = await gateway.call('get_artifact', { artifact_id: artifactIn(answer), lines: '1200000' });
    expect(textOf(page)).toContain('an ordinary line of a long log');
  });

  it('finds its call by an id at the end also where several calls wait, without leaving a file', async () => {
    const gateway = await small();
    const slow = gateway.call('held');
    const answer = await gateway.call('stream', { mb: 8, idLast: true });
    expect(answer.result._meta['spillway/projection'].original_size).toBeGreaterThan(8_000_000);
    await gateway.call('release');
    expect(textOf(await slow)).toBe('released');
    const left = await readdir(join(gateway.cwd, 'tmp'));
    expect(left.filter((name) => /^spillway-\w{6}$/.test(name))).toEqual([]);
  });

  it('is projected also where no file can be made for it', async () => {
    const gateway = through(await workspace(), [], [], { TMPDIR: '/no/such/folder' });
    await gateway.initialize();
    const answer = await gateway.call('stream', { mb: 4 });
    expect(answer.result._meta['spillway/projection'].original_size).toBeGreaterThan(4_000_000);
    expect(textOf(answer).length).toBeLessThanOrEqual(8_000);
  });

  it('goes on beside a flood of notifications, all of which arrive', async () => {
    const gateway = await small();
    const [flooded, answer] = await Promise.all([
      gateway.call('flood', { count: 5_000 }),
      gateway.call('emit', { chars: 9_000 }),
    ]);
    expect(textOf(flooded)).toBe('flooded');
    expect(answer.result._meta['spillway/projection'].was_truncated).toBe(true);
    expect(gateway.lines.filter((line) => line.includes('notifications/message'))).toHaveLength(5_000);
  });
});

describe.concurrent('the end of a client', () => {
  it('ends server and gateway, with everything stored', async () => {
    const gateway = await started();
    await Promise.all(Array.from({ length: 50 }, (_, i) => gateway.call('emit', { chars: 100 + i })));
    expect(await gateway.close()).toBe(0);
  });

  it('that goes away without a word ends them too, with everything stored that had come', async () => {
    const gateway = await started();
    const calls = Array.from({ length: 20 }, (_, i) => gateway.call('emit', { chars: 100 + i }));
    await Promise.all(calls);
    void gateway.call('flood', { count: 20_000 });
    await gateway.until((line) => line.includes('note 10'));
    gateway.child.stdout.destroy();
    expect([await gateway.ended(), gateway.stderr]).toEqual([0, '']);
    const { store, spillway } = await open({ workspace: gateway.cwd, env: { HOME: gateway.cwd } });
    const { items } = (await store?.list({ scope: 'workspace', show: 'all', limit: 100 })) ?? {
      items: [],
    };
    expect(items.filter(({ tool }) => tool === 'emit')).toHaveLength(20);
    await spillway.close();
  });
});
