// A store of outputs only: Spillway works with it, and what needs history or upkeep is refused with
// what to do.
import { describe, expect, it } from 'vitest';
import { History } from '../../src/history/index.ts';
import { memoryStore } from '../../src/index.ts';
import type { OutputStore } from '../../src/model/store.ts';
import { completeStore, hasUpkeep } from '../../src/stores/assembling.ts';
import { outputContract } from '../../src/testing/index.ts';
import { openSpillway } from '../opening.ts';

const SCOPE = 'workspace';
const LONG = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1}\n`).join('');

function outputsOnly(): OutputStore {
  const { create, find, read, list, freeze, frozen, close, [Symbol.asyncDispose]: dispose } = memoryStore();
  return { create, find, read, list, freeze, frozen, close, [Symbol.asyncDispose]: dispose };
}

describe('a store of outputs only', () => {
  for (const { name, run } of outputContract) it(name, () => run(async () => completeStore(outputsOnly())));

  it('is all that Spillway needs to store, project and fetch, also in strict mode', async () => {
    for (const strict of [false, true]) {
      const events: string[] = [];
      const onEvent = ({ type }: { type: string }) => events.push(type);
      const spillway = openSpillway({ store: outputsOnly(), strict, onEvent });
      const call = { tool: 'build', session: 'run-1', scope: SCOPE };
      const { projection } = await spillway.process(call, { kind: 'text', text: LONG });
      expect(projection.metadata.stored).toBe(true);
      const { artifact_id } = projection.metadata;
      const page = await spillway.retrieve({ artifact_id, lines: '1500-1501' }, SCOPE);
      expect(page.body).toBe('line 1500\nline 1501\n');
      await spillway.close();
      expect(events).toEqual(['captured', 'projected', 'fetched']);
    }
  });

  it('refuses what needs upkeep, and names what would do', async () => {
    const spillway = openSpillway({ store: outputsOnly() });
    await expect(spillway.endSession(SCOPE, 'run-1')).rejects.toMatchObject({
      code: 'unsupported',
      message:
        'This store keeps no ledger, and ends nothing: `retire` needs one that implements UpkeepStore, such as memoryStore or sqliteStore.',
    });
  });

  it('refuses a conversation, and names what would do', async () => {
    const session = new History({ spillway: openSpillway({ store: outputsOnly() }) }).session({
      scope: SCOPE,
      session: 'run-1',
    });
    const text = session.say({ role: 'user', parts: [{ type: 'text', text: 'hello' }] });
    await expect(text).rejects.toMatchObject({
      code: 'unsupported',
      message:
        'This store keeps no messages and no summaries: `addMessages` needs one that implements HistoryStore, such as memoryStore or sqliteStore.',
    });
  });

  it('is completed once, and a whole store stays itself', () => {
    const store = outputsOnly();
    expect(completeStore(store)).toBe(completeStore(store));
    expect(hasUpkeep(completeStore(store))).toBe(false);
    const whole = memoryStore();
    expect(completeStore(whole)).toBe(whole);
    expect(hasUpkeep(whole)).toBe(true);
  });
});
