/**
 * The PostgreSQL store on a real server: the whole contract, and what the contract cannot know.
 * Without a server installed everything here is skipped, and says so.
 */
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@spillway/core';
import { History } from '@spillway/core/history';
import {
  bytesOf,
  draft,
  historyContract,
  piecesOf,
  type SampleOutput,
  storeContract,
  storeOutput,
  textOf,
  upkeepContract,
} from '@spillway/core/testing';
import pg from 'pg';
import { type PostgresStoreOptions, postgresStore } from 'spillway/store/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';
import { openSpillway } from '../../../core/test/opening.ts';
import { begin } from '../../src/stores/postgres/schema.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
if (programs === undefined)
  console.warn(
    'SKIPPED: the PostgreSQL store was not tested, no server is installed. Install one (apt-get install postgresql) and run this file again.',
  );

let server: PostgresServer;
let schemas = 0;
const opened: Store[] = [];

/** A store in a schema of its own, unless told which. */
function open(options: Partial<PostgresStoreOptions> = {}): Store {
  const { connectionString } = server;
  const store = postgresStore({
    ...(options.pool === undefined ? { connectionString } : {}),
    schema: `store "${++schemas}"`,
    ...options,
  });
  opened.push(store);
  return store;
}

describe.skipIf(programs === undefined)('the PostgreSQL store', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => server?.stop());

  for (const { name, run } of storeContract) {
    test(name, () => run(async (options) => open(options)));
  }

  test('touches no server before its first use, and says which one it cannot reach without its address', async () => {
    const store = open({ connectionString: 'postgresql:///none?host=/nowhere/secret-folder' });
    const error = await store.usage().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'store_unavailable' });
    expect(`${error}`).toContain('ENOENT');
    expect(`${error}`).not.toContain('secret-folder');
  });

  test('wants a connection string or a pool, not both and not neither', () => {
    expect(() => postgresStore({})).toThrow('Give either `connectionString` or `pool`.');
  });

  test('answers every call while its connections are ended under it, and goes on afterwards', async () => {
    // A pool without a listener of its own, as most hosts make it: nothing may end the process.
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const killer = new pg.Client({ connectionString: server.connectionString });
    await killer.connect();
    for (const store of [open({ schema: 'cut off' }), open({ pool, schema: 'cut off' })]) {
      const spillway = openSpillway({ store });
      const call = { tool: 't', session: 's', scope: 'p' };
      const results: Promise<string>[] = [];
      for (let round = 0; round < 12; round++) {
        for (let i = 0; i < 4; i++) {
          const text = `${round} ${i}\n`.repeat(3_000);
          results.push(
            spillway.process(call, { kind: 'text', text }).then(({ projection }) => projection.text),
          );
        }
        await killer.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = $1',
          ['client backend'],
        );
      }
      for (const text of await Promise.all(results)) {
        expect(text.length).toBeLessThanOrEqual(8_000);
        expect(text).toMatch(/art_\d+_|not stored/);
      }
      const answer = await spillway.process(call, { kind: 'text', text: 'after' });
      expect(await spillway.sealed(answer)).not.toBeNull();
    }
    await killer.end();
    for (const store of opened.splice(0)) await store.close();
    await pool.end();
  });

  test('gives up on a server that stops answering, and says that the output was not stored', async () => {
    const folder = await temporaryFolder();
    const real = join(new URL(server.connectionString).searchParams.get('host') ?? '', '.s.PGSQL.5432');
    let isOpen = true;
    const sockets: Socket[] = [];
    // Forwards to the server until it is told not to; from then on it swallows what it is sent.
    const hole = createServer((client) => {
      const upstream = connect(real);
      sockets.push(client, upstream);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
      upstream.on('close', () => isOpen && client.destroy());
      client.on('close', () => upstream.destroy());
      client.on('data', (chunk) => isOpen && upstream.write(chunk));
      upstream.on('data', (chunk) => isOpen && client.write(chunk));
    });
    await new Promise<void>((resolve) => hole.listen(join(folder, '.s.PGSQL.5432'), resolve));
    const connectionString = `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres`;
    const store = postgresStore({ connectionString, schema: 'hole', timeoutMs: 2_000 });
    const spillway = openSpillway({ store });
    const call = { tool: 't', session: 's', scope: 'p' };
    const long = { kind: 'text', text: 'a line\n'.repeat(3_000) } as const;
    expect((await spillway.process(call, long)).projection.metadata.artifact_id).not.toBeNull();
    isOpen = false;
    const { projection } = await spillway.process(call, long);
    expect(projection.text).toContain('not stored');
    expect(projection.metadata.artifact_id).toBeNull();
    // It is asked again when it answers, and not by every result before: they make no connection.
    const connections = sockets.length;
    for (let i = 0; i < 20; i++)
      expect((await spillway.process(call, long)).projection.metadata.artifact_id).toBeNull();
    await expect(store.usage()).rejects.toThrow('The PostgreSQL server stalls: it did not answer in time');
    expect(sockets.length).toBeLessThanOrEqual(connections + 2);
    isOpen = true;
    await expect
      .poll(async () => (await spillway.process(call, long)).projection.metadata.artifact_id, {
        timeout: 20_000,
      })
      .not.toBeNull();
    await store.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => hole.close(resolve));
  });

  test('gets a session that another writer locked which then stopped', async () => {
    const store = open({ schema: 'stopped' });
    await storeOutput(store);
    const stopped = new pg.Client({ connectionString: server.connectionString });
    const ended = new Promise<Error>((resolve) => stopped.on('error', resolve));
    await stopped.connect();
    await stopped.query(begin(30_000));
    await stopped.query('UPDATE stopped.session SET seen_at = seen_at');
    expect((await storeOutput(store)).existing).toBe(false);
    expect(await ended).toMatchObject({ code: '25P03' });
  });

  test('stays away from a lock that somebody holds, whichever it is, until it is free', async () => {
    await storeOutput(open({ schema: 'kept' }));
    const store = open({ schema: 'kept', limits: { maxBytes: 1_000_000 }, timeoutMs: 2_000 });
    await storeOutput(store);
    const holder = new pg.Client({ connectionString: server.connectionString });
    await holder.connect();
    await holder.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('spillway upkeep "kept"', 0))`);
    const failure = () =>
      storeOutput(store).then(
        () => 'stored',
        ({ message }: Error) => message,
      );
    expect(await failure()).toContain('The PostgreSQL store cannot be reached, read or written');
    for (let i = 0; i < 10; i++) {
      expect(await failure()).toContain('The PostgreSQL server stalls');
      await sleep(300);
    }
    await holder.query('ROLLBACK');
    await expect.poll(failure, { timeout: 20_000 }).toBe('stored');
    await holder.end();
  });

  test('leaves a pool that was given to it open', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const store = open({ pool });
    await storeOutput(store);
    await store.close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('is the same store for everybody who names its schema, and for nobody else', async () => {
    const { record } = await storeOutput(open({ schema: 'shared' }), { parts: ['for all'] });
    expect(await textOf(open({ schema: 'shared' }), record.id)).toBe('for all');
    expect(await open().find({ scope: 'scope-1', id: record.id })).toBeUndefined();
  });

  test('numbers the versions of a call id without gap or repeat when several machines seal at once', async () => {
    const stores = [1, 2, 3].map(() => open({ schema: 'versions' }));
    const call: SampleOutput = { callId: 'call-1' };
    const sealed = await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const store = stores[i % stores.length];
        return store && storeOutput(store, { ...call, parts: [`version ${i}`] });
      }),
    );
    const versions = sealed.map((each) => each?.record.version ?? 0).sort((a, b) => a - b);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('takes equal outputs of one call id that are sealed at once for one', async () => {
    const stores = [1, 2, 3].map(() => open({ schema: 'equal' }));
    const sealed = await Promise.all(
      stores.map((store) => storeOutput(store, { callId: 'call-1', parts: ['same'] })),
    );
    expect(sealed.filter(({ existing }) => !existing)).toHaveLength(1);
    expect(new Set(sealed.map(({ record }) => record.id)).size).toBe(1);
  });

  test('shows a reader of the ledger every event while several machines note', async () => {
    const stores = [1, 2, 3].map(() => open({ schema: 'ledger' }));
    let noting = true;
    const noted = Promise.all(
      stores.map(async (store, machine) => {
        for (let i = 0; i < 30; i++)
          await store.note([{ type: 'captured', at: i, scope: 'scope-1', data: { machine, i } }]);
      }),
    ).finally(() => {
      noting = false;
    });
    const reader = open({ schema: 'ledger' });
    const seen: unknown[] = [];
    // A page of one: its `next` is the place behind it, so whatever comes to lie before that place
    // later would be missed.
    for (let after: string | undefined, more = true; more; ) {
      const last = !noting;
      const { items, next } = await reader.events({ limit: 1, ...(after === undefined ? {} : { after }) });
      if (next !== undefined || last) seen.push(...items.map(({ data }) => JSON.stringify(data)));
      after = next ?? after;
      more = next !== undefined || !last;
    }
    await noted;
    expect(seen).toHaveLength(90);
    expect(new Set(seen).size).toBe(90);
  });

  test('takes names longer than a key of an index may be', async () => {
    const store = open();
    const long = Array.from({ length: 5_000 }, (_, i) =>
      String.fromCharCode(0x4e00 + ((i * 7919) % 20_000)),
    ).join('');
    const { record } = await storeOutput(store, { scope: long, session: long, tool: long, callId: long });
    expect(await store.find({ scope: long, session: long, callId: long })).toEqual(record);
    expect((await store.list({ scope: long, tool: long, show: 'all' })).items).toEqual([record]);
  });

  test('ends a reading with `corrupt` at bytes that fail their checksum', async () => {
    const store = open({ schema: 'damaged' });
    const { record } = await storeOutput(store, { parts: ['x'.repeat(100_000)] });
    const pool = new pg.Pool({ connectionString: server.connectionString });
    await pool.query(
      "UPDATE damaged.piece SET data = overlay(data placing 'y'::bytea from 10) WHERE start_bytes > 0",
    );
    await pool.end();
    await expect(bytesOf(store, record.id)).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('makes old content small on the server, which is read as before by every machine, also while it happens', async () => {
    const schema = 'archived';
    const store = open({ schema });
    const log = 'a line of a log that compresses well\n'.repeat(30_000);
    const { record } = await storeOutput(store, { parts: [log], endedAt: 1_000 });
    const order = { scope: 'scope-1', before: 5_000 };
    const reading = bytesOf(open({ schema }), record.id);
    const [archived, other] = await Promise.all([store.archive(order), open({ schema }).archive(order)]);
    expect((await reading).length).toBe(log.length);
    expect(archived.outputs).toBe(1);
    expect(archived.bytesBefore + other.bytesBefore).toBe(log.length);
    expect(archived.bytesAfter + other.bytesAfter).toBeLessThan(log.length / 20);
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const { rows } = await pool.query(
      'SELECT sum(length(data))::int AS stored, sum(bytes)::int AS bytes, min(codec) AS codec FROM archived.piece',
    );
    expect(rows[0]).toMatchObject({ bytes: log.length, codec: expect.stringMatching(/^(zstd|deflate)$/) });
    expect(rows[0].stored).toBe(archived.bytesAfter + other.bytesAfter);
    expect(await textOf(open({ schema }), record.id)).toBe(log);
    await pool.query(
      "UPDATE archived.piece SET data = overlay(data placing 'y'::bytea from 3) WHERE start_bytes > 0",
    );
    await expect(bytesOf(store, record.id)).rejects.toMatchObject({ code: 'corrupt' });
    await pool.query("UPDATE archived.piece SET codec = 'brotli-9'");
    await expect(bytesOf(store, record.id)).rejects.toThrow('compressed with "brotli-9"');
    await pool.end();
  });

  test('stores a small result in one round trip', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString });
    let statements = 0;
    const counted = Object.assign(Object.create(pool), {
      async connect() {
        const client = await pool.connect();
        const query = client.query.bind(client);
        return Object.assign(Object.create(client), {
          query(...args: Parameters<typeof query>) {
            statements++;
            return query(...args);
          },
        });
      },
    });
    const store = open({ pool: counted });
    await storeOutput(store);
    statements = 0;
    const parts = ['out\n'.repeat(10_000), 'err\n'.repeat(5_000)];
    const event = { type: 'captured', at: 1, scope: 'scope-1' } as const;
    const { record } = await storeOutput(store, { callId: 'c', parts, shown: 'shown', events: [event] });
    expect(statements).toBe(1);
    expect(await textOf(store, record.id)).toBe(parts[0]);
    await store.close();
    await pool.end();
  });

  test('says where names are looked up in each transaction, and outside of them only calls its functions', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const outside = new Set<string>();
    let begun = 0;
    const watched = Object.assign(Object.create(pool), {
      async connect() {
        const client = await pool.connect();
        let isPinned = false;
        return Object.assign(Object.create(client), {
          query(text: string, values: unknown[]) {
            if (/^BEGIN\b.*;\nSET LOCAL search_path = pg_catalog, pg_temp;/.test(text)) {
              isPinned = true;
              begun++;
            } else if (!isPinned) outside.add(text.replace(/\(.*/, ''));
            if (/^(COMMIT|ROLLBACK)$/.test(text)) isPinned = false;
            return client.query(text, values);
          },
        });
      },
    });
    let contracts = 0;
    for (const { run } of [...historyContract, ...upkeepContract]) {
      await run(async ({ limits = {} } = {}) =>
        open({ pool: watched, limits, schema: `watched${++contracts}` }),
      );
      for (const store of opened.splice(0)) await store.close();
    }
    expect(begun).toBeGreaterThan(100);
    expect([...new Set([...outside].map((text) => text.replace(/"watched\d+"/, '@')))].sort()).toEqual([
      'SELECT * FROM @.seal',
      'SELECT @.decided',
    ]);
    await pool.end();
  });

  test('finds what a seal made whose answer was lost', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString });
    let isLost = false;
    const losing = Object.assign(Object.create(pool), {
      async connect() {
        const client = await pool.connect();
        return Object.assign(Object.create(client), {
          async query(text: string, values: unknown[]) {
            const answer = await client.query(text, values);
            if (isLost && text.startsWith('SELECT * FROM')) {
              isLost = false;
              throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
            }
            return answer;
          },
        });
      },
    });
    const store = open({ pool: losing });
    for (const callId of [undefined, 'call-1']) {
      isLost = true;
      const { record, existing } = await storeOutput(store, {
        parts: [`of ${callId}`],
        ...(callId === undefined ? {} : { callId }),
      });
      expect({ existing, isLost, version: record.version }).toEqual({
        existing: false,
        isLost: false,
        version: 1,
      });
      expect(await textOf(store, record.id)).toBe(`of ${callId}`);
    }
    expect((await store.list({ scope: 'scope-1', show: 'all' })).items).toHaveLength(2);
    await store.close();
    await pool.end();
  });

  test('removes what a dead writer left, a day later', async () => {
    const schema = 'abandoned';
    const store = open({ schema });
    await storeOutput(store);
    const large = 'x'.repeat(1_200_000);
    const dead = await store.create(draft());
    const part = dead.part({ role: 'content', kind: 'text', name: 'stdout' });
    for (const piece of piecesOf(large).pieces) await dead.append(part, piece);
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const left = async () => {
      const { rows } = await pool.query(
        'SELECT count(*)::int AS n FROM abandoned.content WHERE hash IS NULL',
      );
      return rows[0].n;
    };
    // A step is written while the next is taken in.
    await expect.poll(left).toBe(1);
    await pool.query("UPDATE abandoned.content SET written_at = now() - interval '25 hours'");
    await storeOutput(open({ schema }), { parts: [large] });
    await expect.poll(left).toBe(0);
    await pool.end();
  });

  test('counts the bytes it holds in the transactions that change them', async () => {
    const schema = 'counted';
    const store = open({ schema });
    const large = 'x'.repeat(1_200_000);
    const { record } = await storeOutput(store, { parts: [large, 'small'] });
    await Promise.all([1, 2, 3].map(() => storeOutput(open({ schema }), { parts: [large, 'other'] })));
    await store.retire({ how: 'purge', scope: 'scope-1', at: 9, ids: [record.id] });
    const written = await store.create(draft());
    const part = written.part({ role: 'content', kind: 'text', name: 'stdout' });
    for (const piece of piecesOf(`y${large}`).pieces) await written.append(part, piece);
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const counted = async () =>
      (await pool.query('SELECT sum(kept)::int AS kept, sum(open)::int AS open FROM counted.counter'))
        .rows[0];
    const kept = large.length + 'other'.length;
    await expect.poll(async () => (await counted()).open).toBeGreaterThan(1_000_000);
    expect((await counted()).kept).toBe(kept);
    await written.discard();
    expect(await counted()).toEqual({ kept, open: 0 });
    expect((await store.usage()).bytes).toBe(kept);
    await pool.end();
  });

  test('makes room in the scope that needs it, never in another', async () => {
    const store = open({ limits: { maxBytes: 100_000 } });
    const other = await storeOutput(store, { scope: 'other', parts: ['x'.repeat(90_000)] });
    await store.retire({ how: 'retire', scope: 'other', session: 'session-1', endSession: true, at: 5 });
    await expect(storeOutput(store, { parts: ['y'.repeat(50_000)] })).rejects.toMatchObject({
      code: 'store_full',
    });
    expect((await textOf(store, other.record.id)).length).toBe(90_000);
  });

  test('ends a reading with `not_found` when the output is purged meanwhile', async () => {
    const store = open();
    const { record } = await storeOutput(store, { parts: ['x'.repeat(200_000)] });
    const { pieces } = await store.read(record.id, 0, { bytes: 0 });
    const reading = pieces[Symbol.asyncIterator]();
    await reading.next();
    await store.retire({ how: 'purge', scope: 'scope-1', at: 9, ids: [record.id] });
    await expect(reading.next()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('keeps pieces in order that a producer appends without waiting', async () => {
    const store = open();
    const made = draft();
    const writer = await store.create(made);
    const part = writer.part({ role: 'content', kind: 'text', name: 'stdout' });
    const text = 'no line is like another: 漢字\n'.repeat(20_000);
    const { pieces, totals } = piecesOf(text);
    await Promise.all(pieces.map((piece) => writer.append(part, piece)));
    await writer.seal({
      outcome: { status: 'ok' },
      complete: true,
      sourceTruncated: false,
      endedAt: 1,
      summary: '',
      parts: [totals],
    });
    expect(await textOf(store, made.id)).toBe(text);
  });

  test('fails with `store_unavailable` while its server is gone, and goes on when it is back', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString });
    const store = open({ schema: 'lost' });
    await storeOutput(store);
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = $1',
      ['client backend'],
    );
    await pool.end();
    const outcomes = await Promise.allSettled([storeOutput(store), storeOutput(store)]);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'store_unavailable' });
    expect((await storeOutput(store)).existing).toBe(false);
  });

  test('carries a history that several machines write to: one order, requests that stay the same, summaries that do not overtake each other', async () => {
    const schema = `history ${++schemas}`;
    const name = { scope: 'scope-1', session: 'shared' };
    const machines = [open({ schema }), open({ schema }), open({ schema })].map((store) => {
      const spillway = openSpillway({ store });
      return new History({ spillway, store }).session(name);
    });
    const [first, second] = machines;
    if (first === undefined || second === undefined) throw new Error('two machines');
    const text = 'a line of what a tool said\n'.repeat(2_000);
    await Promise.all(
      machines.map(async (session, i) => {
        for (let turn = 0; turn < 5; turn++) {
          const callId = `c${i}.${turn}`;
          await session.say({
            role: 'assistant',
            parts: [{ type: 'call', callId, tool: 't', input: '{}' }],
          });
          await session.result({ callId, tool: 't' }, { kind: 'text', text: `${callId} ${text}` });
        }
      }),
    );
    const request = await first.prepare({ window: 200_000 });
    expect(request).toMatchObject({ verdict: 'fits', missing: [], orphans: [] });
    expect(await second.prepare({ window: 100_000 })).toMatchObject({
      messages: 'messages' in request && request.messages,
    });
    const positions: number[] = [];
    for await (const { ordinal } of second.messages()) positions.push(ordinal);
    expect(positions).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    const made = await Promise.allSettled(machines.map((session) => session.compact({ keepTokens: 100 })));
    expect(made.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const one of made)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    await second.undoCompaction();
    const lines: string[] = [];
    for await (const line of first.exportLines()) lines.push(line);
    const other = open();
    const taken = new History({ spillway: openSpillway({ store: other }), store: other }).session(name);
    await taken.importLines(lines);
    expect(await taken.prepare({ window: 200_000 })).toEqual(await first.prepare({ window: 200_000 }));
  });
});
