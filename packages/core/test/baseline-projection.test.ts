/**
 * A failing run is compared with the last time the same call ended well: what is new counts more.
 */
import type { Outcome, Spillway } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { openSpillway } from './opening.ts';

const FAILED: Outcome = { status: 'error', exitCode: 1 };
const GOOD: Outcome = { status: 'ok', exitCode: 0 };

/**
 * Twenty-six things are copied over and over; a quiet line of the same shape stands out by nothing.
 */
const NAMES = Array.from({ length: 26 }, (_, i) => `${String.fromCharCode(97 + i)}ook`);
const copied = (name: string) => `2026-01-01 10:00:00 INFO ${name} copied to the spare volume`;

/** Errors that are always there, and one quiet line that is not. */
const text = (news: string) =>
  Array.from({ length: 2_000 }, (_, i) =>
    i === 1_000
      ? news
      : i % 9 === 0
        ? `ERROR: probe ${i} refused, as always: reason ${i % 7}`
        : copied(NAMES[i % 26] ?? ''),
  ).join('\n');

async function run(
  spillway: Spillway,
  text: string,
  outcome: Outcome,
  input: unknown = { command: 'deploy' },
) {
  const call = { tool: 'execute_command', session: 's', scope: 's', input };
  const processed = await spillway.process(
    call,
    { kind: 'text', text },
    { outcome, policy: { inlineLimit: 3_000 } },
  );
  await spillway.sealed(processed);
  return processed.projection;
}

const QUIET = copied('harpoon');
const USUAL = copied('hook');

describe('a failing run', () => {
  it('shows a line that its baseline did not say, and says with which one it was compared', async () => {
    const spillway = openSpillway();
    expect((await run(spillway, text(QUIET), FAILED)).text).not.toContain('harpoon copied');
    const good = await run(spillway, text(USUAL), GOOD);
    const failing = await run(spillway, text(QUIET), FAILED);
    expect(failing.text).toContain('harpoon copied to the spare volume');
    expect(failing.text.length).toBeLessThanOrEqual(3_000);
    expect(failing.metadata.compared_with).toBe(good.metadata.artifact_id);
    const id = failing.metadata.artifact_id;
    if (id === null) throw new Error('nothing was cut');
    expect((await spillway.project({ scope: 's', id })).text).toBe(failing.text);
    const [{ blocks } = { blocks: [] }] = await spillway.reasons(
      { scope: 's', id },
      { policy: { inlineLimit: 3_000 } },
    );
    expect(blocks.flatMap(({ causes }) => causes.map(({ cause }) => cause))).toContain('new');
  });

  it('is not compared with another call, nor is a run that ended well', async () => {
    const spillway = openSpillway();
    await run(spillway, text(USUAL), GOOD);
    const other = await run(spillway, text(QUIET), FAILED, { command: 'test' });
    expect([other.metadata.compared_with, other.text.includes('harpoon copied')]).toEqual([undefined, false]);
    const good = await run(spillway, text(QUIET), GOOD);
    expect([good.metadata.compared_with, good.text.includes('harpoon copied')]).toEqual([undefined, false]);
  });
});
