/** What a command that succeeded says it made stays in sight. */
import { Spillway } from '@spillway/core';
import { describe, expect, it } from 'vitest';

async function summary(text: string, inlineLimit = 4_000): Promise<string> {
  const spillway = new Spillway({ store: null });
  const call = { tool: 'bash', session: 's', scope: 's' };
  const policy = { strategy: 'smart_summary', inlineLimit };
  return (await spillway.process(call, { kind: 'text', text }, { policy })).projection.text;
}

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');
const modules = lines(600, (i) => `transforming module src/part-${i}/index-${i * 7}.ts ${i * 13} bytes`);

describe('a line that says what was made', () => {
  it.each([
    '  ➜  Local:   http://127.0.0.1:5199/',
    'Server is listening on http://localhost:8080',
    'Deployed to https://shop-web.example.app',
    'https://github.com/acme/shop/pull/482',
    'Successfully tagged registry.example/shop:1.4.2',
  ])('is shown wherever it stands: %s', async (line) => {
    expect(await summary(`${modules}${line}\n${modules}`)).toContain(line);
  });

  it('is the commit, above what changed, before a hook that prints errors of tests that passed', async () => {
    const errors = lines(
      90,
      (i) => `error: item ${i} failed as it should\n    at run (src/run.test.ts:${i}:5)`,
    );
    const commit = '[main 7238eaa] Add the import of reports\n 13 files changed, 489 insertions(+)\n';
    const text = await summary(`${commit}$ bun test\n${errors}\n 1219 pass\n 0 fail\n`);
    expect(text).toContain('[main 7238eaa] Add the import of reports');
  });

  it('does not take the place of a failure', async () => {
    const text = await summary(
      `${lines(200, (i) => `https://a.example/${i}`)}${modules}ERROR: disk full\n${modules}`,
    );
    expect(text).toContain('ERROR: disk full');
    expect(text.match(/https:\/\/a\.example/g)?.length ?? 0).toBeLessThan(20);
  });
});
