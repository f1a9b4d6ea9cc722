// A later version of the program comes, made up here: what runs and what starts says that the store
// was written by a later version and leaves it as it is; afterwards it goes on as before.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newWorkspace, run } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { checkStored } from './stored.mjs';
import { someBytes, storeOf } from './stores.mjs';
import { gateway, throughGateway, WRITERS } from './writers.mjs';

/** A step that the next version of a store may bring. */
const LATER = "CREATE TABLE later (x); UPDATE meta SET value = value + 1 WHERE name = 'schema'";
const UNDONE = "DROP TABLE later; UPDATE meta SET value = value - 1 WHERE name = 'schema'";

export async function versions(scene) {
  const { check, smoke, store: kind } = scene;
  const workspace = newWorkspace(scene, `versions-${kind}`);
  const store = await storeOf(kind, workspace.root);
  const now = { ...workspace, env: store.env };
  const work = { ...scene, answers: new Map() };
  const rounds = smoke ? 1 : 5;
  if (kind !== 'postgres') for (let round = 0; round < rounds; round++) await beforeLater(work, now);
  const opened = store.open();
  const { bytes } = await checkStored(opened, work.answers, check);
  await opened.close();
  const { code, stdout, stderr } = await run(now, ['store', 'verify', '--json']);
  check(code === 0, `store verify: ${(stdout + stderr).slice(-300)}`);
  removeFolder(workspace.root);
  return {
    rounds,
    numbers: [`${work.answers.size} outputs are whole (${(bytes / 1e6).toFixed(0)} MB compared)`],
  };
}

/** The store becomes one of a later version while a gateway has it open. */
async function beforeLater({ store, random, check, answers }, now) {
  const client = gateway(now);
  const gatewayStores = async (name) => {
    const answer = await throughGateway(client, name, someBytes(store, random));
    check(answer?.id !== undefined, `${name}: not stored: ${answer?.text.slice(-300)}`);
    if (answer?.id !== undefined) answers.set(answer.id, answer);
  };
  await gatewayStores('earlier');
  change(now.root, LATER);
  const { code, stdout, stderr } = await run(now, ['artifacts', 'list']);
  check(
    code !== 0 && stderr.includes('written by a later version of Spillway'),
    `a store of a later version: exit code ${code}: ${stdout}${stderr}`,
  );
  const answer = await WRITERS.truncate(now, 'refused', 64_000).answer;
  check(
    answer.text.includes('later version of Spillway'),
    `truncate before a store of a later version does not say so: ${answer.text.slice(-300)}`,
  );
  change(now.root, UNDONE);
  await gatewayStores('again');
  await client.close();
}

function change(root, sql) {
  const database = new DatabaseSync(join(root, '.acode', 'artifacts', 'store.db'));
  database.exec('PRAGMA busy_timeout = 5000');
  database.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`);
  database.close();
}
