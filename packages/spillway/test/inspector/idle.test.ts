/** The inspector ends by itself: when nobody comes, and some time after the last page was closed. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Inspected } from '../../src/inspector/inspected.ts';
import { InspectorServer } from '../../src/inspector/server.ts';
import { freshWorkspace } from '../program.ts';
import { visit } from './visiting.ts';

async function started(idle: { readonly firstMs: number; readonly laterMs: number }) {
  const { root } = await freshWorkspace();
  const inspected = await Inspected.open({ cwd: root, env: { HOME: root }, version: '0.0.0' });
  const options = { inspected, names: [], announce: () => {}, command: 'test', ownerToken: 'test', idle };
  const server = new InspectorServer(options);
  onTestFinished(() => server.close());
  await server.listen(0);
  const url = server.startUrl();
  return { server, url, base: new URL(url).origin };
}

it('ends if nobody comes', async () => {
  const { server } = await started({ firstMs: 40, laterMs: 3_600_000 });
  await server.idle(new AbortController().signal);
});

it('stays while a page listens, and ends some time after it was closed', async () => {
  const { server, url, base } = await started({ firstMs: 3_600, laterMs: 400 });
  const person = await visit({ url, base });
  const closed = new AbortController();
  const stream = await person.send('/api/live', { signal: closed.signal });
  expect(stream.status).toBe(200);
  const ended = server.idle(new AbortController().signal).then(() => 'ended');
  expect(await Promise.race([ended, delay(1_500, 'stays')])).toBe('stays');
  closed.abort();
  expect(await ended).toBe('ended');
});

it('ends when it is told to', async () => {
  const { server } = await started({ firstMs: 3_600_000, laterMs: 3_600_000 });
  const order = new AbortController();
  const ended = server.idle(order.signal);
  order.abort();
  await ended;
});
