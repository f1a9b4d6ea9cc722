/** The store as the owner of a workspace sees it: what principals stored is there too. */

import { memoryStore, Spillway } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { ownerStore } from '../src/folder-store.ts';

const TEXT = 'a line of an output\n'.repeat(2_000);

async function stored(scopes: readonly string[]) {
  const store = memoryStore();
  const spillway = new Spillway({ store });
  const ids = new Map<string, string>();
  for (const scope of scopes) {
    const done = await spillway.process(
      { tool: 't', session: `of ${scope}`, scope },
      { kind: 'text', text: TEXT },
    );
    ids.set(scope, done.projection.metadata.artifact_id ?? '');
  }
  const seen = ownerStore(store, 'workspace');
  return { ids, seen, spillway: new Spillway({ store: seen }) };
}

const OWN = ['workspace', 'workspace:principal:alice', 'workspace:principal:bob'];

describe('the owner of a workspace', () => {
  it('lists and reads everything of it, page by page, and nothing of another', async () => {
    const { ids, seen, spillway } = await stored([...OWN, 'elsewhere']);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await seen.list({
        scope: 'workspace',
        show: 'all',
        limit: 1,
        ...(after === undefined ? {} : { after }),
      });
      found.push(...page.items.map(({ scope }) => scope));
      after = page.next;
    } while (after !== undefined);
    expect(found.sort()).toEqual([...OWN].sort());
    for (const scope of OWN) {
      const page = await spillway.retrieve({ artifact_id: ids.get(scope), lines: '1' }, 'workspace');
      expect(page.text, scope).toContain('a line of an output');
    }
    await expect(spillway.retrieve({ artifact_id: ids.get('elsewhere') }, 'workspace')).rejects.toThrow(
      'There is no artifact',
    );
    const sessions = await seen.sessions({ scope: 'workspace', show: 'all' });
    expect(sessions.items).toHaveLength(OWN.length);
  });

  it('removes everything of it, and nothing of another', async () => {
    const { seen, spillway } = await stored([...OWN, 'elsewhere']);
    const { outputs } = await spillway.retire({ how: 'purge', scope: 'workspace' });
    expect(outputs).toBe(OWN.length);
    expect((await seen.list({ scope: 'elsewhere', show: 'all' })).items).toHaveLength(1);
  });
});
