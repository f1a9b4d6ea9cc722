// What a repository puts into the place of a store, and what somebody does to a store while a
// gateway uses it. Results stay bounded, every handle that was told leads back to the whole output,
// also in the next process, and a result without a handle says that it was not stored.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { between, chunks } from '../content.mjs';
import { mcpClient } from '../mcp.mjs';
import { newWorkspace, run } from '../program.mjs';
import { removeFolder } from '../remove-folder.mjs';
import { pick } from './shapes.mjs';

const LIMIT = 8_000;
/** More than the limit, and less than what passes where nothing can be stored; or in files. */
const BYTES = { sqlite: 900_000, files: 1_200_000 };
const NAMES = ['', '-wal', '-shm', '-journal', '-content', '-reserve', '-new'].map((end) => `store.db${end}`);

/** What lies under one of the names; each is given its path. */
const SHAPES = [
  (path) => mkdirSync(join(path, 'folder'), { recursive: true }),
  (path) => symlinkSync('/etc', path),
  (path) => symlinkSync('nowhere', path),
  (path) => symlinkSync(path, path),
  (path) => execFileSync('mkfifo', [path]),
  (path) => writeFileSync(path, ''),
  (path) => writeFileSync(path, 'garbage'.repeat(2_000)),
  (path) => blankDatabase(path),
];

/**
 * What is done to a live store; each is given the path of its database, and may return what undoes
 * it.
 */
const CHANGES = [
  (file) => rmSync(`${file}-wal`),
  (file) => rmSync(`${file}-shm`),
  (file) => {
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`);
  },
  (file) =>
    changed(file, 'CREATE TRIGGER t AFTER INSERT ON output BEGIN DELETE FROM output; END', 'TRIGGER t'),
  (file) => changed(file, 'CREATE TRIGGER t BEFORE UPDATE ON meta BEGIN DELETE FROM piece; END', 'TRIGGER t'),
  (file) => changed(file, 'CREATE TABLE other (x)', 'TABLE other'),
];

export async function obstructedStores(scene) {
  const { smoke, random } = scene;
  const rounds = smoke ? 3 : 150;
  for (let round = 0; round < rounds; round++) {
    const workspace = newWorkspace(scene, `obstructed-${scene.store}-${round}`);
    const [name, shape] = [pick(random, [...NAMES, '.gitignore', '.']), pick(random, SHAPES)];
    const path = join(workspace.root, '.acode', 'artifacts', name);
    mkdirSync(dirname(path), { recursive: true });
    if (name === '.') removeFolder(path);
    shape(path);
    await throughGateway(workspace, [`obstructed ${round} (${name})`], scene);
    removeFolder(workspace.root);
  }
  return { rounds, numbers: [`${rounds} things in the place of a store`] };
}

export async function changedStores(scene) {
  const { smoke, random } = scene;
  const rounds = smoke ? 3 : 100;
  let unstored = 0;
  for (let round = 0; round < rounds; round++) {
    const workspace = newWorkspace(scene, `changed-${scene.store}-${round}`);
    const file = join(workspace.root, '.acode', 'artifacts', 'store.db');
    const change = pick(random, CHANGES);
    const steps = [`changed ${round}`, () => change(file)];
    unstored += await throughGateway(workspace, steps, scene);
    removeFolder(workspace.root);
  }
  return {
    rounds,
    numbers: [`${rounds} changes of a live store, ${unstored} results told as not stored, none lost`],
  };
}

/** Some results before and after a change; how many of them were told as not stored. */
async function throughGateway(workspace, [label, change = () => {}], { random, check, store }) {
  const gateway = mcpClient(workspace);
  const hashes = new Map();
  let unstored = 0;
  const emit = async (name) => {
    const bytes = BYTES[store] + between(random, 0, 1_000);
    const answer = await gateway.call('emit', { name, bytes });
    const text = (answer?.result?.content ?? []).map((block) => block.text ?? '').join('');
    const [id] = /art_\d+_\w+/.exec(text) ?? [];
    check(text !== '' && text.length <= LIMIT, `${label}: ${text.length} chars of a result`);
    check(id !== undefined || /not stored/i.test(text), `${label}: neither a handle nor a word of it`);
    if (id === undefined) unstored += 1;
    else
      hashes.set(
        id,
        createHash('sha256')
          .update(Buffer.concat([...chunks(name, bytes)]))
          .digest('hex'),
      );
  };
  for (const name of ['first', 'second']) await emit(name);
  const undo = change();
  for (const name of ['third', 'fourth', 'fifth']) await emit(name);
  undo?.();
  await emit('last');
  await gateway.close();
  check(hashes.size >= 3, `${label}: only ${hashes.size} results were stored`);
  for (const [id, hash] of hashes) {
    const { code, sha256 } = await run(workspace, ['artifacts', 'show', id, '--raw']);
    check(code === 0 && sha256 === hash, `${label}: ${id} does not come back`);
  }
  return unstored;
}

function changed(file, sql, what) {
  const db = new DatabaseSync(file);
  db.exec(sql);
  return () => {
    db.exec(`DROP ${what}`);
    db.close();
  };
}

function blankDatabase(path) {
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE t (x); DROP TABLE t');
  db.close();
}
