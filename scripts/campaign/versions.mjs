// Two versions of the program at one store. The other one (`--before DIR`: a checkout that is built)
// makes the store and goes on with a gateway and commands while this one comes, brings the store up
// to date and writes beside it. Whatever either told is whole for both. Then a later version comes,
// made up here: gateways that run go on, and a program that starts says that it must be updated.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { textRange } from './content.mjs';
import { newWorkspace, run } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { checkStored } from './stored.mjs';
import { someBytes, storeOf } from './stores.mjs';
import { gateway, throughGateway, WRITERS } from './writers.mjs';

/** A step that the next version of a store may bring. */
const LATER = "CREATE TABLE later (x); UPDATE meta SET value = value + 1 WHERE name = 'schema'";
const UNDONE = "DROP TABLE later; UPDATE meta SET value = value - 1 WHERE name = 'schema'";

export async function versions(scene) {
  const { before, check, store: kind, smoke } = scene;
  const workspace = newWorkspace(scene, `versions-${kind}`);
  const store = await storeOf(kind, workspace.root);
  const now = { ...workspace, env: store.env };
  const other = { ...now, program: before && join(before, 'packages', 'spillway', 'bin', 'spillway.js') };
  if (before !== undefined && !existsSync(other.program)) throw new Error(`There is no ${other.program}.`);
  const work = { ...scene, answers: new Map(), rounds: smoke ? 2 : 10 };
  const numbers = [];
  if (before === undefined) numbers.push('two versions not run: none was named (--before DIR)');
  else await together(work, other, now);
  const byBoth = work.answers.size;
  if (kind !== 'postgres') await beforeLater(work, now);
  const opened = store.open();
  const { bytes } = await checkStored(opened, work.answers, check);
  await opened.close();
  for (const version of before === undefined ? [now] : [now, other]) {
    const { code, stdout, stderr } = await run(version, ['store', 'verify', '--json']);
    check(code === 0, `store verify: ${(stdout + stderr).slice(-300)}`);
  }
  removeFolder(workspace.root);
  if (before !== undefined) numbers.push(`${byBoth} outputs of two versions at once, each read by the other`);
  numbers.push(`${work.answers.size} outputs are whole (${(bytes / 1e6).toFixed(0)} MB compared)`);
  return { rounds: work.rounds, numbers };
}

/** The other version first and alone, then both: a gateway and commands of each. */
async function together(work, other, now) {
  const gateways = [gateway(other)];
  await write(work, other, 'made', gateways[0]);
  gateways.push(gateway(now));
  const lanes = [other, now].map(async (version, i) => {
    for (let round = 0; round < work.rounds; round++)
      await write(work, version, `v${i}r${round}`, gateways[i]);
  });
  await Promise.all(lanes);
  for (const client of gateways) await client.close();
  for (const [i, [id, { name, bytes }]] of [...work.answers].entries()) {
    const { code, sha256, stderr } = await run(i % 2 ? other : now, ['artifacts', 'show', id, '--raw']);
    const expected = createHash('sha256')
      .update(textRange(name, 0, bytes))
      .digest('hex');
    work.check(code === 0 && sha256 === expected, `${id} is another for the other version: ${stderr}`);
  }
}

/** One output by each door. */
async function write({ store, random, check, answers }, version, name, client) {
  const writes = [
    ...Object.entries(WRITERS).map(([command, writer]) => [
      command,
      writer(version, `${name}-${command}`, someBytes(store, random)).answer,
    ]),
    ['mcp', throughGateway(client, `${name}-mcp`, someBytes(store, random))],
  ];
  for (const [command, writing] of writes) {
    const answer = await writing;
    check(answer?.id !== undefined, `${name}, ${command}: not stored: ${answer?.text.slice(-300)}`);
    if (answer?.id !== undefined) answers.set(answer.id, answer);
  }
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
  await gatewayStores('later');
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
