// Agents as people build them, on the packed library: what they record comes back exactly, every
// request is one that a provider takes, stays in its window and repeats the one before, and of what
// was said nothing is out of reach after many compactions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aiPromptRefuses, anthropicRefuses, openaiRefuses } from '../history/provider-rules.ts';
import { type PackedApp, packedApp } from './packed.ts';

interface RunReport {
  readonly requests: number;
  readonly compactions: number;
  readonly longestResult: number;
  readonly fullest: number;
  readonly outputs: number;
  readonly exact: number;
  readonly orphans: number;
  readonly requestsSent: readonly (readonly Record<string, unknown>[])[];
}

interface AgentReport extends RunReport {
  readonly facts: number;
  readonly prefix: { readonly repeated: number; readonly compacted: number; readonly changed: number };
  readonly sentBytes: number;
  readonly reusedBytes: number;
}

const FACTS = 40;
const JOB = { window: 10_000, turns: 40, facts: FACTS, chars: 30_000 };
/** Pages may have more than results. */
const PAGE_LIMIT = 16_000;

let app: PackedApp;
beforeAll(async () => {
  app = await packedApp();
});
afterAll(() => app.remove());

/** What holds for each of them. */
function mustHold(report: AgentReport): void {
  expect(report.exact).toBe(report.outputs);
  expect(report.outputs).toBe(79);
  expect(report.orphans).toBe(0);
  expect(report.compactions).toBeGreaterThanOrEqual(12);
  expect(report.facts).toBe(FACTS);
  expect(report.fullest).toBeLessThanOrEqual(0.95);
  expect(report.longestResult).toBeLessThanOrEqual(PAGE_LIMIT);
  expect(report.prefix.changed).toBe(0);
  expect(report.prefix.repeated).toBeGreaterThan(report.requests / 2);
  expect(report.reusedBytes / report.sentBytes).toBeGreaterThan(0.5);
  expect(report.requestsSent).toHaveLength(report.requests);
}

describe('an agent', () => {
  it("on Anthropic's client forgets nothing in 40 turns, also where its model goes on reading by hints", async () => {
    const report = await app.run<AgentReport & { fetchedPages: number }>('anthropic-agent.mjs', JOB);
    mustHold(report);
    expect(report.fetchedPages).toBeGreaterThan(5);
    expect(report.requestsSent.flatMap(anthropicRefuses)).toEqual([]);
  });

  it('on the AI SDK, by hand, forgets nothing in 40 turns', async () => {
    const report = await app.run<AgentReport>('ai-sdk-agent.mjs', JOB);
    mustHold(report);
    expect(report.requestsSent.flatMap(aiPromptRefuses)).toEqual([]);
  });

  it('on LangChain, by hand, forgets nothing in 40 turns', async () => {
    const report = await app.run<AgentReport>('langchain-agent.mjs', JOB);
    mustHold(report);
    expect(report.requestsSent.flatMap(openaiRefuses)).toEqual([]);
  });
});

describe('a server', () => {
  it('with 50 sessions on one SQLite file keeps them apart: nothing is lost, and no handle resolves for another', async () => {
    const job = { window: 8_000, turns: 4, facts: 8, chars: 12_000, sessions: 50 };
    const report = await app.run<RunReport & { facts: number[]; crossed: number; changed: number }>(
      'server-agents.mjs',
      job,
    );
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
