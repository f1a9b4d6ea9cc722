// Makes the store that `last-release.test.ts` opens, and `expected.json.gz`: what the release that
// wrote it said of it. Run it once a release, in a checkout of that release with a build and a
// bundle: `node make.mjs FOLDER-FOR-THE-TWO-FILES`. Every text is made up here.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { deflateRawSync, gzipSync, inflateRawSync } from 'node:zlib';
import { Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { sqliteStore } from '@spillway/core/store/sqlite';

const PROGRAM = fileURLToPath(new URL('../../../../spillway/bin/spillway.js', import.meta.url));
const SCOPE = 'workspace';
const NAME = { scope: SCOPE, session: 'run-1' };
const to = resolve(process.argv[2] ?? '.');
const root = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-release-')));
mkdirSync(join(root, '.git'));
const file = join(root, '.acode', 'artifacts', 'store.db');

const purged = makeByProgram();
await makeByLibrary();
const expected = await describe();
shrink();
write('store.db.gz', readFileSync(file));
write('expected.json.gz', JSON.stringify(expected));
rmSync(root, { recursive: true });

function write(name, content) {
  writeFileSync(join(to, name), gzipSync(content, { level: 9 }));
}

/** The id of the output that it purged. */
function makeByProgram() {
  const cut = truncate(lines(120, 'step'), '--limit', '600');
  truncate('three words only\n');
  truncate(Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 37) % 256)));
  truncate(JSON.stringify({ rows: lines(40, 'row').split('\n') }), '--limit', '500', '--tool', 'fetch_rows');
  const script =
    'for i in 1 2 3 4 5 6 7 8 9; do echo "out $i of nine, and some more words"; echo "warning $i: odd" >&2; done; exit 3';
  run(['exec', '--limit', '400', '--session', 'build', '--', 'sh', '-c', script], '', 3);
  run(['artifacts', 'show', cut, '--lines', '40-50']);
  run(['artifacts', 'clean', truncate(lines(80, 'revoked'), '--limit', '400')]);
  const gone = truncate(lines(80, 'purged'), '--limit', '400');
  run(['artifacts', 'clean', '--purge', gone]);
  truncate('said in a session that has ended\n', '--session', 'over');
  run(['sessions', 'end', 'over']);
  return gone;
}

async function makeByLibrary() {
  const { store, spillway, session } = open();
  await session.say({ role: 'system', parts: [{ type: 'text', text: 'You look after a small build.' }] });
  for (let turn = 1; turn <= 6; turn++) await say(session, turn);
  await session.compact({ keepTokens: 300 });
  await say(session, 7);
  const image = {
    type: 'media',
    mediaType: 'image/png',
    data: Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 0),
  };
  await session.say({ role: 'user', parts: [{ type: 'text', text: 'And this picture?' }, image] });
  await session.request({ window: 20_000 });
  const call = {
    tool: 'read_file',
    callId: 'twice',
    session: 'versions',
    scope: SCOPE,
    input: { path: 'a.txt' },
  };
  await spillway.process(call, { kind: 'text', text: 'the first version\n' });
  await spillway.process(call, { kind: 'text', text: lines(90, 'second') }, { policy: { inlineLimit: 500 } });
  await store.archive({ scope: SCOPE, session: 'cli', before: Date.now() + 1 });
  await store.close();
}

async function say(session, turn) {
  const callId = `call-${turn}`;
  const of = { callId, tool: 'build', input: { part: turn } };
  await session.say({ role: 'user', parts: [{ type: 'text', text: `Build part ${turn}, please.` }] });
  const part = { type: 'call', callId, tool: 'build', input: JSON.stringify(of.input) };
  await session.say({ role: 'assistant', parts: [{ type: 'text', text: `Part ${turn}:` }, part] });
  const stderr = turn === 3 ? 'error: part 3 does not link\n' : '';
  await session.result(of, {
    kind: 'exec',
    stdout: lines(turn === 7 ? 600 : 20 * turn, `part ${turn}`),
    stderr,
    exitCode: turn === 3 ? 1 : 0,
  });
}

/** What the release that wrote the store says of it, through the same doors that the tests use. */
async function describe() {
  const { store, spillway, session } = open();
  const records = (await store.list({ scope: SCOPE, show: 'all', limit: 1_000 })).items;
  const outputs = [];
  for (const record of records) {
    const parts = [];
    for (const { index } of record.parts)
      parts.push(await sha256((await store.read(record.id, index, { bytes: 0 })).pieces));
    const kept = await store.frozen(record.id, 'model');
    const frozen = kept && { rendererVersion: kept.rendererVersion, at: kept.at, ...kept.projection };
    outputs.push({ record, parts, ...(frozen && { frozen }) });
  }
  const [cut] = records.filter(
    ({ tool, disclosed, revokedAt }) => tool === 'read_file' && disclosed && revokedAt === undefined,
  );
  const page = await spillway.retrieve({ artifact_id: cut.id, lines: '20-24' }, SCOPE);
  const events = (await store.events({ scope: SCOPE, limit: 1_000 })).items;
  const messages = (await store.messages({ ...NAME, limit: 1_000 })).items;
  const summaries = (await store.summaries(NAME)).items;
  const sessions = (await store.sessions({ scope: SCOPE, show: 'all' })).items;
  const tombstone = await store.find({ scope: SCOPE, id: purged });
  const request = (await session.request({ window: 20_000 })).messages;
  await store.close();
  const stats = JSON.parse(run(['stats', '--json'])).total;
  return {
    outputs,
    tombstone,
    page: { of: cut.id, body: page.body },
    events,
    messages,
    summaries,
    sessions,
    request,
    stats,
  };
}

function open() {
  const codec = {
    name: 'deflate',
    compress: (bytes) => deflateRawSync(bytes),
    decompress: (bytes) => inflateRawSync(bytes),
  };
  const store = sqliteStore({ file, codec });
  const spillway = new Spillway({ store });
  return { store, spillway, session: new History({ spillway, store }).session(NAME) };
}

/** The id of an output that was cut. */
function truncate(input, ...flags) {
  return JSON.parse(run(['truncate', '--json', ...flags], input)).artifact?.id;
}

function run(args, input = '', code = 0) {
  const options = {
    cwd: root,
    input,
    env: { PATH: process.env.PATH, HOME: root },
    stdio: ['pipe', 'pipe', 'ignore'],
  };
  try {
    return execFileSync(process.execPath, [PROGRAM, ...args], options).toString();
  } catch (error) {
    if (error.status !== code) throw error;
    return error.stdout.toString();
  }
}

async function sha256(pieces) {
  const hash = createHash('sha256');
  for await (const bytes of pieces) hash.update(bytes);
  return hash.digest('hex');
}

/** One file, without a log beside it. */
function shrink() {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA journal_mode = DELETE');
  db.close();
}

function lines(count, word) {
  return Array.from({ length: count }, (_, i) => `${word} ${i + 1} says ${(i * 7) % 11}\n`).join('');
}
