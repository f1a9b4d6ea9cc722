// Versions of what is stored: tables of an earlier version are brought up to date, and a projection
// stays what it was, whichever renderer froze it.
import { describe, expect, it } from 'vitest';
import { Spillway } from '../../src/index.ts';
import { parseProjectionRecord } from '../../src/model/records.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { projectionOf, storeOutput, textOf } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';
import { downgrade } from './downgrade.ts';

describe('a store of an earlier version', () => {
  for (const version of [1, 2, 3, 4])
    it(`(${version}) is brought up to date when it is opened, with what is in it`, async () => {
      const file = await storeFile();
      const before = sqliteStore({ file });
      const { record } = await storeOutput(before, { parts: ['kept since then'], shown: 'shown then' });
      await before.close();
      downgrade(file, version);
      const store = sqliteStore({ file });
      expect(await textOf(store, record.id)).toBe('kept since then');
      const name = { scope: 'scope-1', session: 'session-1' };
      const message = { id: 'm1', role: 'user', at: 1, parts: [{ type: 'text', text: 'hello' }] } as const;
      expect(await store.addMessages({ ...name, messages: [message] })).toHaveLength(1);
      expect(await store.list({ scope: 'scope-1', call: { tool: 't', input: 'none' } })).toEqual({
        items: [],
      });
      await store.close();
    });
});

describe('a frozen projection', () => {
  it('of another renderer is kept as it was frozen, and sent again byte for byte', async () => {
    for (const rendererVersion of [0, 99]) {
      const file = await storeFile();
      const store = sqliteStore({ file });
      const { record } = await storeOutput(store, { parts: ['whole text'] });
      const frozen = { ...projectionOf(record.id, { text: 'as it was shown' }), rendererVersion };
      await store.freeze(frozen);
      expect((await store.frozen(record.id, 'model'))?.rendererVersion).toBe(rendererVersion);
      const spillway = new Spillway({ store });
      expect((await spillway.project({ scope: 'scope-1', id: record.id })).text).toBe('as it was shown');
      const again = await spillway.reproject({ scope: 'scope-1', id: record.id });
      expect(again.text).toBe('whole text');
      expect((await store.frozen(record.id, 'model'))?.rendererVersion).toBe(1);
      await store.close();
    }
  });

  it('has selections only in a form that is known: a later one is left unread, any other is damage', () => {
    const { output } = projectionOf('art_1767225600_aaaaaaaaaaaaaaaa' as never);
    const record = { ...projectionOf(output), selections: { as: 'a later version has them' } };
    expect(parseProjectionRecord({ ...record, rendererVersion: 2 }).selections).toEqual([]);
    expect(() => parseProjectionRecord(record)).toThrow('`selections` must be a list.');
  });
});
