// What a tool was given and said is in the store and in projections, and nowhere else: not in
// errors, events or what a dying process prints.
import { spawnSync } from 'node:child_process';
import { inspect } from 'node:util';
import { type LedgerEvent, memoryStore, type Store } from '@spillway/core';
import { expect, test } from 'vitest';
import { storeFile } from '../folders.ts';
import { openSpillway, temporaryStore } from '../opening.ts';

const SECRET = 'sk-planted-4242';
const call = {
  tool: 'tool',
  session: 'session',
  scope: 'scope',
  input: { token: SECRET, path: `/${SECRET}` },
};
const text = `${SECRET}\n`.repeat(3_000);
const source = new URL('../../src/', import.meta.url);

test('a secret in content or input is in no event, whether it is stored or not', async () => {
  const events: LedgerEvent[] = [];
  const onEvent = (event: LedgerEvent) => events.push(event);
  const broken = (change: Partial<Store>): Store =>
    new Proxy(memoryStore(), { get: (store, name) => Reflect.get(change, name) ?? bound(store, name) });
  const throwing = () => Promise.reject(new Error(`cannot store ${SECRET}`));
  for (const store of [
    memoryStore(),
    await temporaryStore(),
    broken({ create: throwing }),
    broken({ note: throwing }),
    null,
  ]) {
    const spillway = openSpillway({ store, onEvent });
    const answer = await spillway.process(call, { kind: 'text', text });
    const record = await spillway.sealed(answer);
    if (record !== null) await spillway.retrieve({ artifact_id: record.id, lines: '1-2' }, 'scope');
    await spillway.process(call, { kind: 'exec', stdout: failing(), exitCode: 1 });
    if (store !== null) await spillway.endSession('scope', 'session').catch(() => undefined);
    await spillway.close();
  }
  expect(events.length).toBeGreaterThan(8);
  expect(inspect(events, { depth: null })).not.toContain(SECRET);
});

test('a secret in names of tools and sessions is in no error, and in events only as that name', async () => {
  const store = await temporaryStore();
  const events: LedgerEvent[] = [];
  const spillway = openSpillway({ store, onEvent: (event) => events.push(event) });
  const named = { ...call, tool: SECRET, session: SECRET };
  const record = await spillway.sealed(await spillway.process(named, { kind: 'text', text }));
  const wrong: Promise<unknown>[] = [
    spillway.retrieve({ artifact_id: record?.id, lines: '9-1' }, 'scope'),
    spillway.retrieve({ artifact_id: record?.id, part: SECRET }, 'scope'),
    spillway.retrieve({ artifact_id: SECRET }, 'scope'),
    spillway.retrieve({ artifact_id: record?.id, cursor: SECRET }, 'scope'),
    spillway.retrieve({ artifact_id: record?.id, pattern: SECRET }, 'scope'),
    spillway.retrieve({ artifact_id: record?.id }, SECRET),
    spillway.process(named, { kind: 'text', text }, { policy: { inlineLimit: 1 } }),
  ];
  const errors = await Promise.all(
    wrong.map((promise) =>
      promise.then(
        () => null,
        (error: unknown) => inspect(error),
      ),
    ),
  );
  for (const error of errors) {
    expect(error).not.toBeNull();
    expect(error).not.toContain(SECRET);
  }
  for (const { tool: _tool, session: _session, ...rest } of events)
    expect(inspect(rest)).not.toContain(SECRET);
  await spillway.close();
});

test('under strict the error says why in words of its own', async () => {
  const store: Store = new Proxy(memoryStore(), {
    get: (target, name) => (name === 'create' ? () => Promise.reject(new Error('no')) : bound(target, name)),
  });
  const spillway = openSpillway({ store, strict: true });
  const error = await spillway.process(call, { kind: 'text', text }).catch((reason: unknown) => reason);
  expect(inspect(error)).not.toContain(SECRET);
});

test.each(['a full disk', 'a damaged store', 'an unhandled error'])(
  'a process that dies of %s does not print it',
  async (why) => {
    const file = await storeFile();
    const script = `
    import { Spillway } from ${JSON.stringify(new URL('index.ts', source).href)};
    import { sqliteStore } from ${JSON.stringify(new URL('stores/sqlite/index.ts', source).href)};
    import { DatabaseSync } from 'node:sqlite';
    const why = ${JSON.stringify(why)};
    const driver = (path) => { const db = new DatabaseSync(path); if (why === 'a full disk') db.exec('PRAGMA max_page_count = 60'); return db; };
    const spillway = new Spillway({ store: sqliteStore({ file: ${JSON.stringify(file)}, driver }), strict: true });
    const secret = process.env.SECRET;
    const call = { tool: 'tool', session: 'session', scope: 'scope', input: { token: secret } };
    const text = (secret + '\\n').repeat(why === 'a full disk' ? 100_000 : 3_000);
    const answer = await spillway.process(call, { kind: 'text', text });
    const { id } = await spillway.sealed(answer);
    await spillway.close();
    const again = new Spillway({ store: sqliteStore({ file: ${JSON.stringify(file)} }) });
    if (why === 'a damaged store') {
      const db = new DatabaseSync(${JSON.stringify(file)});
      db.exec("UPDATE output SET record = substr(record, 1, 300), model = '[' || model");
      db.close();
      await again.project({ scope: 'scope', id });
    }
    setImmediate(() => { throw Object.assign(new Error('unhandled'), { while: again }); });
    await new Promise(() => {});
  `;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', script],
      { encoding: 'utf8', timeout: 30_000, env: { PATH: process.env.PATH, SECRET } },
    );
    expect(status).toBeGreaterThan(0);
    expect(stderr).toMatch(/Error/);
    expect(stdout + stderr).not.toContain(SECRET);
  },
);

async function* failing(): AsyncGenerator<string> {
  yield text;
  throw new Error(`the pipe broke after ${SECRET}`);
}

function bound(store: Store, name: string | symbol): unknown {
  const value: unknown = Reflect.get(store, name);
  return typeof value === 'function' ? value.bind(store) : value;
}
