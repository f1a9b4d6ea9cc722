// Versions of what is stored: tables of another version are refused, and a projection stays what it
// was, whichever renderer froze it.
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Spillway } from '../../src/index.ts';
import { parseProjectionRecord } from '../../src/model/records.ts';
import { STORE_VERSION } from '../../src/stores/sql/schema.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { projectionOf, storeOutput, textOf } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';

it('a store of an earlier or later version is refused with what to do, and left as it is', async () => {
  for (const version of [5, 99]) {
    const file = await storeFile();
    const before = sqliteStore({ file });
    const { record } = await storeOutput(before, { parts: ['kept since then'] });
    await before.close();
    const setVersion = (value: number) => {
      const database = new DatabaseSync(file);
      database.exec(`UPDATE meta SET value = ${value} WHERE name = 'schema'`);
      database.close();
    };
    setVersion(version);
    const bytes = await readFile(file);
    const refused = sqliteStore({ file });
    await expect(refused.usage()).rejects.toThrow(
      /version of Spillway \(store \d+, this one reads \d+\), and was left as it is. Go on with that version, or move the file away/,
    );
    await refused.close();
    expect((await readFile(file)).equals(bytes)).toBe(true);
    setVersion(STORE_VERSION);
    const store = sqliteStore({ file });
    expect(await textOf(store, record.id)).toBe('kept since then');
    await store.close();
  }
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

  it('is kept with its text once, and given back with all its blocks', async () => {
    const file = await storeFile();
    const store = sqliteStore({ file });
    const text = 'shown once '.repeat(100);
    const { record } = await storeOutput(store, { shown: text });
    const frozen = projectionOf(record.id, { text });
    const other = projectionOf(record.id, { text: 'of its own' }).projection.blocks;
    const blocks = [...frozen.projection.blocks, ...other, { type: 'part', part: 1 } as const];
    const several = { ...frozen, projection: { ...frozen.projection, blocks } };
    await store.freeze({ ...several, audience: 'screen' });
    expect(await store.frozen(record.id, 'model')).toEqual(frozen);
    expect(await store.frozen(record.id, 'screen')).toEqual({ ...several, audience: 'screen' });
    await store.close();
    const database = new DatabaseSync(file);
    const kept = database.prepare('SELECT model, screen FROM output').get() as Record<string, string>;
    database.close();
    for (const one of Object.values(kept)) expect(one.split(text)).toHaveLength(2);
  });

  it('has selections only in a form that is known: a later one is left unread, any other is damage', () => {
    const { output } = projectionOf('art_1767225600_aaaaaaaaaaaaaaaa' as never);
    const record = { ...projectionOf(output), selections: { as: 'a later version has them' } };
    expect(parseProjectionRecord({ ...record, rendererVersion: 2 }).selections).toEqual([]);
    expect(() => parseProjectionRecord(record)).toThrow('`selections` must be a list.');
  });
});
