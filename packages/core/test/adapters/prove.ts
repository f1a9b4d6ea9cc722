/**
 * Plays the scenarios on an adapter of the packed package, holds each to the rules, and compares
 * the adapter's row in docs/guides/README.md with what ran.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { memoryStore, openAgent } from '../../src/index.ts';
import { conversation } from '../agents/conversation.mjs';
import { type PackedApp, packedApp } from '../agents/packed.ts';
import { type IntegrationRow, keepRow } from './integrations.ts';
import { rules } from './rules.ts';
import {
  type AdapterProof,
  FACTS,
  type Given,
  type Proof,
  SCENARIOS,
  type Scenario,
  type Turn,
} from './scenarios.ts';

const WINDOW = 10_000;

/** Plays every scenario, holds it to the rules, and compares the row of the table. */
export function prove({ scenarios, variants = {}, ...adapter }: AdapterProof): void {
  const proven: IntegrationRow['proven'] = {};
  let app: PackedApp;
  beforeAll(async () => {
    app = await packedApp(fileURLToPath(new URL('programs/', import.meta.url)));
  });
  const play = (title: string, scenario: Scenario, proof: Proof<never>, done: () => void) => {
    if ('cannot' in proof) return;
    it(`holds${title}: ${SCENARIOS[scenario]}`, async () => {
      const given = await givenFor(app);
      await rules[scenario](given, await proof(given));
      await given.agent.close();
      done();
    });
  };
  describe(adapter.name, () => {
    for (const scenario of Object.keys(SCENARIOS) as Scenario[]) {
      const proof = scenarios[scenario] as Proof<never>;
      if ('cannot' in proof) proven[scenario] = proof.cannot;
      play('', scenario, proof, () => {
        proven[scenario] = true;
      });
      for (const [name, others] of Object.entries(variants))
        if (others[scenario] !== undefined)
          play(` with ${name}`, scenario, others[scenario] as Proof<never>, () => {});
    }
  });
  afterAll(() => {
    app.remove();
    keepRow({ ...adapter, proven });
  });
}

async function givenFor(app: PackedApp): Promise<Given> {
  const core = await app.load<{ openAgent: typeof openAgent; memoryStore: typeof memoryStore }>(
    '@spillway/core',
  );
  const agent = await core.openAgent({ session: 'run-1', store: core.memoryStore() });
  return {
    app,
    agent,
    text: logOf(0),
    other: (number) => logOf(number + 1),
    error: `ERROR: the build stopped\n${logOf(9)}`.slice(0, 50_000),
    image: PICTURE,
    window: WINDOW,
    plan: conversation({ turns: 40, facts: FACTS, chars: 30_000 }) as readonly Turn[],
  };
}

function logOf(number: number): string {
  let text = '';
  for (let i = 1; text.length < 200_000; i++)
    text += `run ${number}: step ${i} took ${(i * 37) % 1_000} ms\n`;
  return text.slice(0, 200_000);
}

/** One red pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
