/**
 * Twice as much of a hostile text takes about twice the steps, under every strategy that reads it.
 */
import type { Spillway } from '@spillway/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StepCounter } from './steps.ts';

const ESC = '\u001b';
const HOSTILE: readonly string[] = [
  '<a b="',
  '"',
  `${ESC}[2K${ESC}[1G`,
  `${ESC}]`,
  `${ESC}[31m`,
  'get 1%\r',
  '\n',
  'error: a',
  'error: a\n',
  '2026-01-01 10:00:00 \n',
  '((a|b)+',
  '\u0301',
];
/**
 * What is inside each other is looked into up to some depth, which takes as many steps for any
 * size: enough to pass that.
 */
const NESTED: readonly string[] = ['[', '{"a":', '<a>'];
/** Caches and first uses take a share of their own; a square would be 4. */
const MOST = 2.6;

const counter = new StepCounter();
let make: () => Spillway;

beforeAll(async () => {
  await counter.start();
  const core = await import('@spillway/core');
  make = () => new core.Spillway({ store: core.memoryStore() });
});

afterAll(() => counter.stop());

async function ratio(unit: string, bytes: number, strategy: string): Promise<number> {
  const project = (size: number) =>
    make().process(
      { tool: 'run', session: 's', scope: 's' },
      { kind: 'exec', stdout: unit.repeat(Math.ceil(size / unit.length)), stderr: '', exitCode: 1 },
      { policy: { strategy, inlineLimit: 1_000 } },
    );
  // The first of a kind loads what it needs.
  await project(bytes / 8);
  const once = await counter.of(() => project(bytes));
  const twice = await counter.of(() => project(2 * bytes));
  expect(once).toBeGreaterThan(1_000);
  return twice / once;
}

describe.each(['head_tail', 'smart_summary'])('%s', (strategy) => {
  it.each(HOSTILE)('takes steps in proportion to its text: %j', async (unit) => {
    expect(await ratio(unit, 12_000, strategy)).toBeLessThan(MOST);
  });
});

describe.each(['element', 'smart_summary'])('%s', (strategy) => {
  it.each(NESTED)('takes steps in proportion to its depth: %j', async (unit) => {
    expect(await ratio(unit, 150_000, strategy)).toBeLessThan(MOST);
  });
});
