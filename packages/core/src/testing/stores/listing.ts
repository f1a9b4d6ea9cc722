/** Lists: newest first, page by page, undisturbed by what is added meanwhile. */
import assert from 'node:assert/strict';
import { allItems } from '../../model/every-item.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { OutputQuery, OutputStore } from '../../model/store.ts';
import { type Checks, storeOutput } from './samples.ts';

export const listingChecks: Checks<OutputStore> = {
  async 'a list shows disclosed outputs, and all of them when asked'(store) {
    const hidden = await storeOutput(store, { parts: ['a'] });
    const listed = await storeOutput(store, { parts: ['b'], disclosed: true });
    assert.deepEqual((await store.list({ scope: 'scope-1' })).items, [listed.record]);
    const { items } = await store.list({ scope: 'scope-1', show: 'all' });
    assert.deepEqual(items, [listed.record, hidden.record]);
  },
  async 'a list is filtered by session, by tool and by both'(store) {
    for (const session of ['s1', 's2']) {
      for (const tool of ['t1', 't2']) await storeOutput(store, { session, tool, disclosed: true });
    }
    const found = async (query: Partial<OutputQuery>) => {
      const { items } = await store.list({ scope: 'scope-1', ...query });
      return items.map((record) => `${record.session} ${record.tool}`);
    };
    for (const show of ['all', 'disclosed'] as const) {
      assert.deepEqual(await found({ show }), ['s2 t2', 's2 t1', 's1 t2', 's1 t1']);
      assert.deepEqual(await found({ show, session: 's1' }), ['s1 t2', 's1 t1']);
      assert.deepEqual(await found({ show, tool: 't2' }), ['s2 t2', 's1 t2']);
      assert.deepEqual(await found({ show, session: 's2', tool: 't1' }), ['s2 t1']);
      assert.deepEqual(await found({ show, session: 's3' }), []);
    }
  },
  async 'outputs of calls alike are found by tool and input, the newest first, all or those that ended so'(
    store,
  ) {
    const input = (content: string) => ({
      content,
      spec: { role: 'input', kind: 'json', name: 'input' } as const,
    });
    const ended = (status: 'ok' | 'error') => ({ outcome: { status } });
    const stored = async (sample: Parameters<typeof storeOutput>[1]) =>
      (await storeOutput(store, sample)).record;
    const first = await stored({ tool: 't', parts: [input('{"a":1}'), 'one'], ...ended('ok') });
    const second = await stored({ tool: 't', parts: [input('{"a":1}'), 'two'], ...ended('error') });
    const other = await stored({ tool: 't', parts: [input('{"a":2}'), 'one'], ...ended('ok') });
    await stored({ tool: 'u', parts: [input('{"a":1}'), 'one'], ...ended('ok') });
    await stored({ tool: 't', scope: 'scope-2', parts: [input('{"a":1}'), 'one'], ...ended('ok') });
    await stored({ tool: 't', parts: ['{"a":1}'] });
    const hash = first.parts[0]?.hash ?? '';
    const found = async (query: Partial<OutputQuery>, scope = 'scope-1') =>
      (await store.list({ scope, show: 'all', ...query })).items.map(({ id }) => id);
    const call = { tool: 't', input: hash };
    assert.deepEqual(await found({ call }), [second.id, first.id]);
    assert.deepEqual(await found({ call: { ...call, status: 'ok' } }), [first.id]);
    assert.deepEqual(await found({ call: { ...call, status: 'timeout' } }), []);
    assert.deepEqual(await found({ call: { tool: 't', input: other.parts[0]?.hash ?? '' } }), [other.id]);
    assert.deepEqual(await found({ call, limit: 1 }), [second.id]);
    assert.deepEqual(await found({ call, session: 'another' }), []);
    assert.equal((await found({ call }, 'scope-2')).length, 1);
  },
  async 'pages follow each other without gap or repeat while outputs are added'(store) {
    const records: OutputRecord[] = [];
    for (let i = 0; i < 10; i++)
      records.push((await storeOutput(store, { parts: [`${i}`], disclosed: true })).record);
    const first = await store.list({ scope: 'scope-1', limit: 4 });
    assert.deepEqual(first.items, records.slice(6).reverse());
    await storeOutput(store, { parts: ['later'], disclosed: true });
    const next = { scope: 'scope-1', after: first.next ?? '' };
    const rest = await allItems((page) => store.list({ ...next, ...page, limit: 4 }));
    assert.deepEqual(rest, records.slice(0, 6).reverse());
  },
  async 'the last page has no next, also when it is full'(store) {
    for (let i = 0; i < 4; i++) await storeOutput(store, { disclosed: true });
    assert.equal((await store.list({ scope: 'scope-1', limit: 4 })).next, undefined);
    assert.equal((await store.list({ scope: 'empty', limit: 4 })).next, undefined);
  },
  async 'a limit that is no number of rows, and a cursor that is none, are refused'(store) {
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      await assert.rejects(store.list({ scope: 'scope-1', limit }), { code: 'invalid_argument' });
    }
    await assert.rejects(store.list({ scope: 'scope-1', after: "1' OR 1=1" }), {
      code: 'invalid_argument',
    });
  },
};
