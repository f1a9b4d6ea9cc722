/** What a gateway holds on to: calls that were cancelled, and servers that do not want to end. */
import { readFile } from 'node:fs/promises';
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { type Peer, PROGRAM, RAW_SERVER, textOf, through, workspace } from './peer.ts';
import { connected } from './recorded.ts';

async function residentMb({ child }: Peer): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

describe.skipIf(process.platform !== 'linux')('calls that were cancelled', () => {
  it('are not held: thousands with large arguments leave the gateway as small as it was', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const pad = 'x'.repeat(10_000);
    const cancelMany = async (from: number, count: number) => {
      for (let id = from; id < from + count; id++) {
        gateway.write(
          `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"hang","arguments":{"pad":"${pad}"}}}`,
        );
        gateway.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
      }
      await gateway.until((line) => line.includes(`"cancelled ${from + count - 1}"`));
    };
    await cancelMany(10_000, 500);
    const before = await residentMb(gateway);
    await cancelMany(20_000, 5_000);
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
    // 5,000 calls of 10 KB took 250 MB when each was remembered.
    expect((await residentMb(gateway)) - before).toBeLessThan(60);
  }, 60_000);
});

describe.skipIf(process.platform !== 'linux')(
  'a server that ignores the end of its input and SIGTERM',
  () => {
    it('has ended when a client has closed that kills after 4 s, also if a call was in flight', async () => {
      const root = await workspace();
      const server = [process.execPath, RAW_SERVER, '--stubborn'];
      const client = await connected([PROGRAM, 'mcp', '--', ...server], root);
      const { pid } = client.transport as StdioClientTransport;
      const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ');
      const inFlight = client.callTool({ name: 'hang', arguments: {} }).catch(() => undefined);
      await client.close();
      await inFlight;
      await expect.poll(() => isRunning(child)).toBe(false);
    });
  },
);

/** One that has ended and that nobody has asked about yet does not run. */
async function isRunning(pid = ''): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z');
  return !/^State:\s+Z/m.test(status);
}

describe('a workspace whose store cannot be opened', () => {
  it('passes results up to 1 MB on whole and says so once; larger ones are cut and say so', async () => {
    // Named by the user: in the workspace's own place another folder would be used.
    const gateway = through(await workspace(), [], [], { SPILLWAY_STORE: '/dev/null/store' });
    await gateway.initialize();
    for (let i = 0; i < 2; i++)
      expect(textOf(await gateway.call('emit', { chars: 50_000 }))).toHaveLength(50_000);
    expect(gateway.stderr.split('The store cannot be opened.')).toHaveLength(2);
    const large = await gateway.call('stream', { mb: 2 });
    expect(textOf(large)).toContain('not stored');
    expect(textOf(large).length).toBeLessThan(10_000);
  });
});
