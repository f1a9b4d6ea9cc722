/** Old content may be made smaller; whoever reads it cannot tell. */
import assert from 'node:assert/strict';
import type { ContractCase } from './contract-case.ts';
import { bytesOf, storeOutput, textOf } from './samples.ts';

const LOG = 'a line of a log that compresses well – 漢字 😀\r\n'.repeat(9_000);
const NOISE = Uint8Array.from({ length: 200_000 }, (_, i) => (Math.imul(i + 1, 2_654_435_761) >>> 13) & 255);
const ORDER = { scope: 'scope-1', before: 5_000 } as const;

export const archivingCases: readonly ContractCase[] = [
  {
    name: 'archived outputs are read as before, from every place, and can be purged',
    async run(open) {
      const store = await open();
      const image = { content: NOISE, spec: { kind: 'binary', name: 'image' } } as const;
      const { record } = await storeOutput(store, { parts: [LOG, image, 'short', ''], endedAt: 1_000 });
      const young = await storeOutput(store, { parts: [`${LOG}young`], endedAt: 9_000 });
      const before = await store.usage();
      const whole = new TextEncoder().encode(LOG);
      for (let again = 0; again < 2; again++) {
        const archived = await store.archive(ORDER);
        assert.equal(archived.outputs, 1);
        assert.ok(archived.bytesAfter <= archived.bytesBefore);
        assert.equal(await textOf(store, record.id, 0), LOG);
        assert.deepEqual(await bytesOf(store, record.id, 1), NOISE);
        assert.equal(await textOf(store, record.id, 2), 'short');
        assert.equal(await textOf(store, record.id, 3), '');
        for (const from of [{ bytes: 300_000 }, { chars: 123_456 }, { breaks: 8_000 }] as const) {
          const { at } = await store.read(record.id, 0, from);
          assert.deepEqual(await bytesOf(store, record.id, 0, from), whole.slice(at.bytes));
        }
      }
      assert.deepEqual(await store.usage(), before);
      assert.equal(await textOf(store, young.record.id), `${LOG}young`);
      const same = await storeOutput(store, { parts: [LOG], endedAt: 9_500 });
      await store.retire({ how: 'purge', scope: 'scope-1', at: 9_600, ids: [record.id] });
      assert.equal(await textOf(store, same.record.id), LOG);
      await store.retire({ how: 'purge', scope: 'scope-1', at: 9_700 });
      assert.equal((await store.usage()).bytes, 0);
    },
  },
  {
    name: 'only old outputs of the scope, or of the session named, are archived',
    async run(open) {
      const store = await open();
      await storeOutput(store, { parts: [`${LOG}1`], endedAt: 1_000, session: 's1' });
      await storeOutput(store, { parts: [`${LOG}2`], endedAt: 1_000, session: 's2' });
      await storeOutput(store, { parts: [`${LOG}3`], endedAt: 1_000, scope: 'scope-2' });
      await storeOutput(store, { parts: [`${LOG}4`], endedAt: 5_000, session: 's1' });
      assert.equal((await store.archive({ ...ORDER, session: 's1' })).outputs, 1);
      assert.equal((await store.archive(ORDER)).outputs, 2);
      assert.equal((await store.archive({ scope: 'nobody', before: 1e15 })).outputs, 0);
    },
  },
];
