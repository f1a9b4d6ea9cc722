/** Results of very many blocks: answered in linear time, with few blocks, and stored as they came. */
import { readFileSync } from 'node:fs';
import { open, originalMessage } from 'spillway';
import { describe, expect, it } from 'vitest';
import { direct, textOf, through, workspace } from '../gateway/peer.ts';

describe('a result of very many blocks', () => {
  it('of one char each costs the gateway seconds and little memory, not minutes and gigabytes', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const { result } = await gateway.call('many', { blocks: 100_000 });
    expect(result.content.length).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify(result).length).toBeLessThan(100_000);
    const { pid } = gateway.child;
    const [, peakKb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    expect(Number(peakKb)).toBeLessThan(400_000);
  });

  it.each([
    [1, '90123'],
    [2, 'aGVsbG8'],
    [3, '19997'],
  ] as const)(
    'is kept as the exact message, and can be fetched, with %i kinds of them',
    async (kinds, pattern) => {
      const root = await workspace();
      const [server, gateway] = [direct(root), through(root)];
      for (const peer of [server, gateway]) await peer.initialize();
      const args = { name: 'many', arguments: { blocks: 20_000, kinds } };
      const line = await server.line('tools/call', args, 'one');
      const answer = JSON.parse(await gateway.line('tools/call', args, 'one'));
      expect(answer.result.content.length).toBeLessThanOrEqual(1_000);
      const id = /art_\w+/.exec(textOf(answer))?.[0];
      const page = await gateway.call('get_artifact', { artifact_id: id, pattern });
      expect(textOf(page)).toContain(pattern);
      await gateway.close();
      const opened = await open({ workspace: root, env: { HOME: root } });
      const items = (await opened.store?.list({ scope: 'workspace', show: 'all' }))?.items ?? [];
      const chunks: Uint8Array[] = [];
      for await (const chunk of originalMessage(opened, items[0] as never)) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString() === line).toBe(true);
      await opened.spillway.close();
    },
  );
});
