// A server with many agents, on the packed library: what they record comes back exactly, every
// request is one that a provider takes, stays in its window and repeats the one before, and no
// session sees another. And one agent over hundreds of turns; shorter ones are played by the tests of
// adapters.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openaiRefuses } from '../history/provider-rules.ts';
import { type PackedApp, packedApp } from './packed.ts';

interface ServerReport {
  readonly requests: number;
  readonly fullest: number;
  readonly outputs: number;
  readonly exact: number;
  readonly orphans: number;
  readonly facts: readonly number[];
  readonly crossed: number;
  readonly changed: number;
  readonly requestsSent: readonly (readonly Record<string, unknown>[])[];
}

let app: PackedApp;
beforeAll(async () => {
  app = await packedApp();
});
afterAll(() => app.remove());

describe('a server', () => {
  it('with 50 sessions on one SQLite file keeps them apart: nothing is lost, and no handle resolves for another', async () => {
    const job = { window: 8_000, turns: 4, facts: 8, chars: 12_000, sessions: 50 };
    const report = await app.run<ServerReport>('server-agents.mjs', job);
    expect(report.requests).toBe(400);
    expect(report.exact).toBe(report.outputs);
    expect(report.outputs).toBe(350);
    expect(report.orphans).toBe(0);
    expect(report.crossed).toBe(0);
    expect(report.changed).toBe(0);
    expect(report.fullest).toBeLessThanOrEqual(0.95);
    expect(report.facts).toEqual(Array.from({ length: 50 }, () => 8));
    expect(report.requestsSent.flatMap(openaiRefuses)).toEqual([]);
  });
});

interface LongReport {
  readonly requests: number;
  readonly over: number;
  readonly marks: number;
  readonly compactions: number;
  readonly cacheable: number;
  readonly medianError: number;
  readonly found: number;
  readonly firstMessage: string;
  readonly orphans: number;
  readonly missing: number;
}

describe('an agent of 300 turns', () => {
  it('stays in its window as its provider counts it, in its cache, and finds what was said with one call', async () => {
    const job = { window: 16_000, turns: 300, facts: 60, chars: 12_000 };
    const report = await app.run<LongReport>('long-agent.mjs', job);
    expect(report).toMatchObject({ requests: 600, over: 0, found: 60, orphans: 0, missing: 0 });
    expect(report.compactions).toBeGreaterThan(20);
    expect(report.marks).toBeLessThanOrEqual(4);
    expect(report.medianError).toBeLessThan(0.05);
    expect(report.cacheable).toBeGreaterThan(0.7);
    expect(report.firstMessage).toContain('[message 1, user]\nHave a look at the next part.');
  });
});
