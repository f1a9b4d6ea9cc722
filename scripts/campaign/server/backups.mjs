// Backups that are taken while the program writes, and restored: a dump into another database, and
// a copy of all files in place of a server that is lost. What was answered before the backup began
// is whole in it, and `spillway store verify` finds nothing damaged.
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newWorkspace, run } from '../program.mjs';
import { removeFolder } from '../remove-folder.mjs';
import { checkStored } from '../stored.mjs';
import { someBytes, storeOf } from '../stores.mjs';
import { WRITERS } from '../writers.mjs';
import { Cluster } from './cluster.mjs';

export async function backups(scene) {
  const { check, smoke, tell } = scene;
  const workspace = newWorkspace(scene, 'backups');
  const cluster = await Cluster.make();
  const store = await storeOf('postgres', workspace.root, { onServer: cluster });
  Object.assign(workspace, { env: store.env });
  const work = { ...scene, workspace, cluster, store, answers: new Map() };
  const rounds = smoke ? 1 : 3;
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    await write(work, `r${round}`, 4);
    for (const way of [dumped, copied]) bytes += await restored(work, way, `r${round}-${way.name}`);
    tell(`${round + 1} of ${rounds} rounds`);
  }
  check(work.answers.size >= 6, 'too little was written to tell anything');
  await cluster.remove();
  removeFolder(workspace.root);
  return {
    rounds: 2 * rounds,
    numbers: [
      `${rounds} dumps and ${rounds} base backups, taken while the program wrote and restored: ${(bytes / 1e6).toFixed(0)} MB compared, all verified`,
    ],
  };
}

/** A backup while others write, restored and looked at. Returns the bytes that were compared. */
async function restored(work, way, name) {
  const { workspace, check } = work;
  const before = new Map(work.answers);
  const writing = write(work, name, 3);
  const restore = await way(work, name);
  await writing;
  const { env, open } = await restore();
  const verified = await run({ ...workspace, env }, ['store', 'verify', '--json']);
  check(verified.code === 0, `${name}: store verify: ${verified.stderr}${verified.stdout}`.slice(0, 300));
  const opened = open();
  const counts = await checkStored(opened, before, check);
  await opened.close();
  // What was answered later may be lost with the server: that is what a backup is.
  if (way === copied) work.answers = before;
  return counts.bytes;
}

/** `pg_dump`, and `pg_restore` into another database. */
async function dumped({ cluster, store, workspace }, name) {
  const file = join(workspace.root, `${name}.dump`);
  await cluster.run('pg_dump', ['-Fc', '-f', file, store.database]);
  return async () => {
    const other = await storeOf('postgres', name, { onServer: cluster });
    await cluster.run('pg_restore', ['--exit-on-error', '-d', other.database, file]);
    // The same workspace, in another database.
    const { SPILLWAY_WORKSPACE } = store.env;
    return { ...other, env: { ...other.env, SPILLWAY_WORKSPACE } };
  };
}

/** `pg_basebackup`; then the server crashes, its files are lost, and the copy takes their place. */
async function copied({ cluster, store }, name) {
  const { folder } = cluster;
  const { uid, gid } = statSync(folder);
  const copy = join(folder, name);
  await cluster.run('pg_basebackup', ['-D', copy, '-X', 'stream', '-c', 'fast'], { uid, gid });
  return async () => {
    await cluster.crash();
    removeFolder(join(folder, 'data'));
    renameSync(copy, join(folder, 'data'));
    await cluster.start();
    return store;
  };
}

async function write({ workspace, answers, random, check }, name, count) {
  const commands = Object.keys(WRITERS);
  for (let i = 0; i < count; i++) {
    const bytes = someBytes('postgres', random);
    const answer = await WRITERS[commands[i % commands.length]](workspace, `${name}-${i}`, bytes).answer;
    check(answer.id !== undefined, `${name}: not stored: ${answer.text.slice(-200)}`);
    if (answer.id !== undefined) answers.set(answer.id, answer);
  }
}
