/** What must hold after each scenario, whatever the framework. */
import { expect } from 'vitest';
import { factsIn, reachable } from '../agents/conversation.mjs';
import { FACTS, type Facts, type Given, type Scenario, storedTexts } from './scenarios.ts';

type Rules = { readonly [S in Scenario]: (given: Given, facts: Facts[S]) => Promise<void> | void };

/** A result is at most 8,000 chars; a failed one, or one with notices around it, a little more. */
const MOST_SHOWN = 13_000;
const HANDLE = /art_\d+_\w+/;

export const rules: { readonly [S in Scenario]: (given: Given, facts: never) => Promise<void> | void } = {
  async longResult(given, { shown, again }) {
    expectBounded(shown);
    expect(again).toBe(shown);
    await expectStored(given, given.text);
  },
  async thrownError(given, { shown, isError }) {
    expectBounded(shown);
    expect(shown).toContain('ERROR: the build stopped');
    expect(isError).toBe(true);
    expect(await expectStored(given, given.error)).toBe('error');
  },
  async parallelCalls(given, { shown }) {
    expect(shown).toHaveLength(3);
    for (const [i, text] of shown.entries()) {
      expectBounded(text);
      await expectStored(given, given.other(i));
    }
    // Three results at their own limits would fill more than half of the window.
    const chars = shown.reduce((sum, text) => sum + text.length, 0);
    expect(chars).toBeLessThan((given.window / 2) * 4);
  },
  async image(given, { shown, images }) {
    expectBounded(shown);
    expect(images).toEqual([given.image]);
    await expectStored(given, given.text);
  },
  async streamingTool(given, { shown, early }) {
    expectBounded(shown);
    expect(early).toBeGreaterThan(0);
    await expectStored(given, given.text);
  },
  async abort({ agent }, { rejected }) {
    expect(rejected).toBe(true);
    // A stream tells that it was given up before the tool's end is stored.
    const statuses = async () => (await storedTexts(agent)).map(({ record }) => record.outcome.status);
    await expect.poll(statuses).toEqual(['cancelled']);
    const { orphans, missing } = await agent.session.report();
    expect({ orphans, missing }).toEqual({ orphans: 0, missing: 0 });
  },
  secondProcess(_, { first, second }) {
    expect(first.length).toBeGreaterThan(2);
    expect(second.length).toBeGreaterThan(first.length);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(first.some((message) => HANDLE.test(message))).toBe(true);
  },
  async fortyTurns({ agent, plan, window }, { prompts }) {
    expect(prompts.length).toBeGreaterThanOrEqual(2 * plan.length);
    const { repeated, changed } = prefixes(prompts);
    expect(repeated).toBeGreaterThan(prompts.length / 2);
    expect(changed).toBeGreaterThanOrEqual(5);
    const { spillway, session } = agent;
    const longest = Math.max(...prompts.map((prompt) => spillway.countTokens(prompt.join(''))));
    // Quotes and escapes of JSON are counted here as well.
    expect(longest).toBeLessThanOrEqual(window * 1.25);
    // Whatever was said in small talk is in the last request, or can be fetched from there.
    const found = await reachable(spillway, session.name.scope, prompts.at(-1)?.join('\n') ?? '');
    expect(factsIn(found, FACTS)).toBe(FACTS);
    const stored = new Set((await storedTexts(agent)).map(({ text }) => text));
    const outputs = plan.flatMap(({ calls }) => calls.map(({ output }) => output));
    expect(outputs.filter((output) => !stored.has(output))).toEqual([]);
    const { orphans, missing } = await agent.session.report();
    expect({ orphans, missing }).toEqual({ orphans: 0, missing: 0 });
  },
  retrieval({ text }, { text: read, pages }) {
    expect(pages).toBeGreaterThan(5);
    expect(read === text).toBe(true);
  },
} satisfies Rules;

function expectBounded(shown: string): void {
  expect(shown).toMatch(HANDLE);
  expect(shown.length).toBeLessThan(MOST_SHOWN);
}

/** An output holds exactly this text: how its call ended. */
async function expectStored({ agent }: Given, text: string): Promise<string | undefined> {
  const found = (await storedTexts(agent)).filter((each) => each.text === text);
  expect(found).toHaveLength(1);
  return found[0]?.record.outcome.status;
}

/** Requests that begin with the one before, and those that a compaction changed. */
function prefixes(prompts: readonly (readonly string[])[]): { repeated: number; changed: number } {
  let [repeated, changed] = [0, 0];
  for (const [i, prompt] of prompts.entries()) {
    const before = prompts[i - 1] ?? [];
    if (before.every((message, n) => message === prompt[n])) repeated++;
    else changed++;
  }
  return { repeated, changed };
}
