// A server with many agents, on the packed library: what they record comes back exactly, every
// request is one that a provider takes, stays in its window and repeats the one before, and no
// session sees another. Single agents are played by the adapters' tests.
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
