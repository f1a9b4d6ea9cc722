// The program is ended while it reads a pipe: what had arrived is kept, marked, and said.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, parsed, started } from '../program.ts';

describe.concurrent('truncate', () => {
  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ended by %s shows and keeps what had arrived, and exits with %i', async (signal, code) => {
    const { root, run, ids } = await freshWorkspace();
    const text = numberedLines(30_000);
    const { child, ended } = started(root, ['truncate', '--json']);
    // More than a pipe holds: once it is written, the program is reading. Standard input stays
    // open.
    await new Promise((resolve) => child.stdin.write(text, resolve));
    await pause(1_000);
    child.kill(signal);
    const { stdout, stderr, ...end } = await ended;
    expect(end).toEqual({ code });
    expect(stderr).toBe(`spillway: ended by ${signal}; what had arrived is kept, marked incomplete.\n`);
    const { content, metadata } = JSON.parse(stdout);
    expect(metadata).toMatchObject({
      complete: false,
      outcome: { status: 'cancelled', signal },
      original_size: text.length,
    });
    expect(content.length).toBeLessThanOrEqual(8_000);
    const [id = ''] = await ids();
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
    const listed: { artifacts: { complete: boolean }[] } = parsed(await run(['artifacts', 'list', '--json']));
    expect(listed.artifacts.map(({ complete }) => complete)).toEqual([false]);
  });
});
