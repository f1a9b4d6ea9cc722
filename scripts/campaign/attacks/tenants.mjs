// A tenant of a server that attacks the others and the administrator by SQL: it becomes no
// superuser, nothing of another tenant is shown to it or purged by it, and its locks hold up one
// result of another, not each. What was answered to the other is whole.
import { setTimeout as pause } from 'node:timers/promises';
import { postgresStore } from 'spillway/store/postgres';
import { miscounts, STALLS, traps } from '../../../packages/spillway/test/attacks/tenant-attacks.ts';
import { newWorkspace, run } from '../program.mjs';
import { removeFolder } from '../remove-folder.mjs';
import { connected } from '../server/cluster.mjs';
import { checkStored } from '../stored.mjs';
import { storeOf } from '../stores.mjs';
import { gateway, throughGateway } from '../writers.mjs';
import { pick } from './shapes.mjs';

const CALLS_DURING_A_STALL = 5;
const PATIENCE_S = 60;

export async function hostileTenants(scene) {
  const { check, random, smoke, tell } = scene;
  const admin = newWorkspace(scene, 'hostile-tenants');
  const store = await storeOf('postgres', admin.root);
  const as = (role) => store.env.SPILLWAY_STORE.replace('user=postgres', `user=${role}`);
  Object.assign(admin, { env: store.env });
  await store.query('CREATE ROLE ours LOGIN');
  await store.query('CREATE ROLE theirs LOGIN');
  const attacker = await connected(as('theirs'));
  await trapAdmin({ admin, store, attacker, check });
  const victim = { ...newWorkspace(scene, 'hostile-tenants-victim') };
  Object.assign(victim, { env: { ...store.env, SPILLWAY_STORE: as('ours') } });
  const client = gateway(victim);
  const work = { client, attacker, store, random, check, answers: new Map(), unstored: 0 };
  const rounds = smoke ? 2 : 30;
  for (let round = 0; round < rounds; round++) {
    await storedAgain(work, `before-${round}`);
    await miscount(work);
    await look(work);
    await stall(work, round);
    tell(`${round + 1} of ${rounds}, ${work.answers.size} outputs stored`);
  }
  await storedAgain(work, 'after');
  await client.close();
  await attacker.end();
  const opened = postgresStore({ connectionString: as('ours') });
  await checkStored(opened, work.answers, check);
  await opened.close();
  for (const { root } of [admin, victim]) removeFolder(root);
  return {
    rounds,
    numbers: [
      `${rounds} rounds of a hostile tenant: ${work.answers.size} outputs of the other are whole, ${work.unstored} said not to be stored while it held locks`,
    ],
  };
}

/** Functions in a `public` that everybody may write, called by whatever the administrator does. */
async function trapAdmin({ admin, store, attacker, check }) {
  await store.query('GRANT CREATE ON SCHEMA public TO PUBLIC');
  await attacker.query(traps('theirs'));
  const migrate = ['store', 'migrate', '--tenants', 'ours,theirs'];
  check((await run(admin, migrate)).code === 1, 'tenants were admitted beside a writable public');
  const doctor = await run(admin, ['doctor']);
  check(doctor.stdout.includes('REVOKE CREATE ON SCHEMA public'), 'doctor finds a writable public well');
  for (const args of [['truncate'], ['stats'], ['artifacts', 'clean', '--purge'], ['store', 'vacuum']])
    await run(admin, args, { input: ['of the administrator\n'.repeat(1_000)] });
  const [role] = await store.query("SELECT rolsuper FROM pg_roles WHERE rolname = 'theirs'");
  check(role.rolsuper === false, 'the tenant is a superuser');
  await store.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  check((await run(admin, migrate)).code === 0, 'tenants were not admitted');
}

async function miscount({ attacker, store, check }) {
  const counted = () => store.query('SELECT sum(kept) AS kept FROM spillway.counter');
  const before = await counted();
  const refused = await attacker.query(miscounts('ours')).then(
    () => false,
    () => true,
  );
  await attacker.query('ROLLBACK; DROP TABLE IF EXISTS pg_temp.content');
  check(refused, 'content was counted for another tenant');
  check(JSON.stringify(await counted()) === JSON.stringify(before), 'the bytes of another tenant changed');
}

async function look({ attacker, store, check }) {
  const tables = await store.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'spillway' AND tablename <> 'meta'",
  );
  for (const { name } of tables) {
    const { rows } = await attacker.query(`SELECT 1 FROM spillway.${name} LIMIT 1`);
    check(rows.length === 0, `rows of another tenant are seen in ${name}`);
  }
}

/**
 * Every call is answered while a lock is held, which not each of them needs. Whatever stalls each of
 * them stalls the campaign.
 */
async function stall(work, round) {
  const { attacker, client, random, check, answers } = work;
  await attacker.query(`BEGIN; ${pick(random, STALLS)}`);
  for (let i = 0; i < CALLS_DURING_A_STALL; i++) {
    const answer = await throughGateway(client, `stalled-${round}-${i}`, 64_000);
    if (answer?.id !== undefined) {
      answers.set(answer.id, answer);
      continue;
    }
    check(/not stored/i.test(answer?.text), `neither stored nor said: ${answer?.text.slice(-200)}`);
    work.unstored++;
  }
  await attacker.query('ROLLBACK');
}

async function storedAgain({ client, check, answers }, name) {
  let answer;
  for (let i = 0; answer?.id === undefined && i < PATIENCE_S; i++) {
    answer = await throughGateway(client, `${name}-${i}`, 64_000);
    if (answer?.id === undefined) await pause(1_000);
  }
  check(answer?.id !== undefined, `not stored though no lock is held: ${answer?.text.slice(-200)}`);
  if (answer?.id !== undefined) answers.set(answer.id, answer);
}
