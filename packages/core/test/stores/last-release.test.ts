// A store that the last release wrote (last-release/make.mjs) opens with today's code, and says
// what it said then: what was stored is exact, and what a model was shown stays as it was shown,
// byte for byte.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { History } from '../../src/history/index.ts';
import { type ArtifactId, memoryStore } from '../../src/index.ts';
import { sqliteStore, trustStore } from '../../src/stores/sqlite/index.ts';
import { temporaryFolder } from '../folders.ts';
import { openSpillway } from '../opening.ts';

const MADE = new URL('last-release/', import.meta.url);
const SCOPE = 'workspace';
const NAME = { scope: SCOPE, session: 'run-1' };

describe('a store of the last release', () => {
  it('is trusted once it was checked, and holds the outputs with their exact bytes', async () => {
    const { store, expected, checked } = await opened();
    expect(checked.outputs).toBe(expected.outputs.length);
    const { items } = await store.list({ scope: SCOPE, show: 'all', limit: 1_000 });
    expect(items).toEqual(expected.outputs.map(({ record }) => record));
    for (const { record, parts } of expected.outputs) {
      expect(await store.find({ scope: SCOPE, id: record.id })).toEqual(record);
      for (const [index, hash] of parts.entries())
        expect(await hashOf((await store.read(record.id, index, { bytes: 0 })).pieces)).toBe(hash);
    }
    expect(await store.find({ scope: SCOPE, id: expected.tombstone.id })).toEqual(expected.tombstone);
    await store.close();
  });

  it('keeps what a model was shown, also by an earlier renderer', async () => {
    const { store, spillway, expected } = await opened();
    const frozen = expected.outputs.filter((output) => output.frozen !== undefined);
    expect(frozen.length).toBeGreaterThan(5);
    for (const { record, frozen: then } of frozen) {
      const kept = await store.frozen(record.id, 'model');
      const { rendererVersion, at, projection } = kept ?? {};
      expect({ rendererVersion, at, ...projection }).toEqual(then);
      if (record.retiredAt !== undefined) continue;
      const shown = await spillway.project({ scope: SCOPE, id: record.id });
      expect(shown.text).toBe(then?.text);
    }
    await store.close();
  });

  it('resolves its handles', async () => {
    const { store, spillway, expected } = await opened();
    const page = await spillway.retrieve({ artifact_id: expected.page.of, lines: '20-24' }, SCOPE);
    expect(page.body).toBe(expected.page.body);
    await store.close();
  });

  it('loads its sessions, and makes the same request', async () => {
    const { store, session, expected } = await opened();
    expect((await store.sessions({ scope: SCOPE, show: 'all' })).items).toEqual(expected.sessions);
    expect((await store.events({ scope: SCOPE, limit: 1_000 })).items).toEqual(expected.events);
    expect((await store.messages({ ...NAME, limit: 1_000 })).items).toEqual(expected.messages);
    expect((await store.summaries(NAME)).items).toEqual(expected.summaries);
    expect((await session.request({ window: 20_000 })).messages).toEqual(expected.request);
    await store.close();
  });

  it('is exported, and what was exported is taken in elsewhere', async () => {
    const { store, session, expected } = await opened();
    const lines: string[] = [];
    for await (const line of session.exportLines()) lines.push(line);
    const elsewhere = memoryStore();
    const copy = new History({ spillway: openSpillway({ store: elsewhere }), store: elsewhere }).session(
      NAME,
    );
    await copy.importLines(lines);
    expect((await elsewhere.messages({ ...NAME, limit: 1_000 })).items).toEqual(expected.messages);
    expect((await copy.request({ window: 20_000 })).messages).toEqual(expected.request);
    await store.close();
  });
});

interface Expected {
  readonly outputs: readonly {
    readonly record: { readonly id: ArtifactId; readonly retiredAt?: number };
    readonly parts: readonly string[];
    readonly frozen?: { readonly text: string };
  }[];
  readonly tombstone: { readonly id: ArtifactId };
  readonly page: { readonly of: ArtifactId; readonly body: string };
  readonly events: readonly unknown[];
  readonly messages: readonly unknown[];
  readonly summaries: readonly unknown[];
  readonly sessions: readonly unknown[];
  readonly request: readonly unknown[];
}

/**
 * A copy of the store in a folder of its own: it was made elsewhere, so it is checked and marked
 * before it is opened.
 */
async function opened() {
  const folder = await temporaryFolder();
  const file = join(folder, 'store.db');
  const registry = [join(folder, 'marks')];
  await writeFile(file, await unpacked('store.db.gz'), { mode: 0o600 });
  const expected = underNewNames(JSON.parse((await unpacked('expected.json.gz')).toString()));
  const checked = await trustStore({ file, registry });
  const store = sqliteStore({ file, registry });
  const spillway = openSpillway({ store });
  return { store, spillway, session: new History({ spillway, store }).session(NAME), expected, checked };
}

/** The same under the names of this release: two fields are called otherwise since. */
function underNewNames(written: Expected): Expected {
  const renamed = (value: object, from: string, to: string) =>
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name === from ? to : name, one]));
  return {
    ...written,
    outputs: written.outputs.map((output) => ({
      ...output,
      record: renamed(output.record, 'revokedAt', 'retiredAt') as typeof output.record,
    })),
    messages: written.messages.map((message) => renamed(message as object, 'place', 'ordinal')),
  };
}

async function unpacked(name: string): Promise<Buffer> {
  return gunzipSync(await readFile(new URL(name, MADE)));
}

async function hashOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of pieces) hash.update(bytes);
  return hash.digest('hex');
}
