// kill -9 of the program at random moments of `truncate`, `exec`, `hook` and `mcp`, over and over in
// one workspace, two at a time: every output whose handle was told is whole, and of the others an
// exact prefix is there, the whole, or nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { newWorkspace, run } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { checkStored, checkSwept } from './stored.mjs';
import { someBytes, storeOf } from './stores.mjs';
import { gateway, throughGateway, WRITERS } from './writers.mjs';

const COMMANDS = [...Object.keys(WRITERS), 'mcp'];
const KILLS = { sqlite: 250, files: 1_000, postgres: 500 };
const AT_ONCE = 2;
/** A gateway, which never ends by itself, has lived when it has given so many answers. */
const FIRST_ANSWERS = 3;
/** How often it is looked whether the store opens, in kills. */
const LOOK_EVERY = 25;

export async function programKills(scene) {
  const { check, tell, smoke, random } = scene;
  const workspace = newWorkspace(scene, `program-kills-${scene.store}`);
  const store = await storeOf(scene.store, workspace.root);
  Object.assign(workspace, { env: store.env });
  const most = smoke ? 6 : KILLS[scene.store];
  const done = { kills: 0, begun: 0, answers: new Map(), lives: new Map() };
  const lane = async () => {
    while (done.kills < most) {
      const command = COMMANDS[done.begun % COMMANDS.length];
      const name = `k${done.begun++}`;
      const bytes = () => someBytes(scene.store, random);
      if (
        !(await (command === 'mcp' ? killGateway : killWriter)({
          workspace,
          command,
          name,
          bytes,
          random,
          done,
        }))
      )
        continue;
      if (++done.kills % LOOK_EVERY !== 0) continue;
      const listed = await run(workspace, ['artifacts', 'list', '--json']);
      check(
        listed.code === 0,
        `after ${done.kills} kills the store does not open: ${listed.stderr.slice(-200)}`,
      );
      tell(`${done.kills} of ${most} kills, ${done.answers.size} handles told`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const numbers = await look(workspace, store, done, check);
  check(done.answers.size >= most / 8, 'the kills came too early to tell anything');
  removeFolder(workspace.root);
  return { rounds: done.kills, numbers };
}

/** Whether it was killed, rather than over before. */
async function killWriter({ workspace, command, name, bytes, random, done }) {
  const began = performance.now();
  const { child, answer } = WRITERS[command](workspace, name, bytes());
  const life = done.lives.get(command);
  if (life !== undefined) {
    await Promise.race([pause(momentOf(random, life)), answer]);
    child.kill('SIGKILL');
  }
  const { id, signal, ...output } = await answer;
  if (id !== undefined) done.answers.set(id, output);
  const isKilled = signal === 'SIGKILL';
  learn(done.lives, command, isKilled, performance.now() - began);
  return isKilled;
}

async function killGateway({ workspace, command, name, bytes, random, done }) {
  const began = performance.now();
  const client = gateway(workspace);
  const life = done.lives.get(command);
  if (life !== undefined) pause(momentOf(random, life)).then(() => client.child.kill('SIGKILL'));
  let answered = 0;
  for (;;) {
    const answer = await throughGateway(client, `${name}-${answered}`, bytes());
    if (answer === null) break;
    if (answer.id !== undefined) done.answers.set(answer.id, answer);
    if (++answered === FIRST_ANSWERS && life === undefined) client.child.kill('SIGKILL');
  }
  await client.ended;
  learn(done.lives, command, answered < FIRST_ANSWERS, performance.now() - began);
  return true;
}

/**
 * Kills follow the speed of the machine: they come later after one that came too early, and earlier
 * after one that came too late, so that most fall where something is being written.
 */
function learn(lives, command, isEarly, lasted) {
  const life = lives.get(command);
  lives.set(command, life === undefined ? lasted : life * (isEarly ? 1.04 : 0.9));
}

/** A moment of a life, rather later than earlier: most of a short life is the start of the program. */
function momentOf(random, life) {
  return 1.1 * life * Math.sqrt(random());
}

async function look(workspace, store, { kills, answers }, check) {
  const opened = store.open();
  const counts = await checkStored(opened, answers, check);
  await opened.close();
  const verified = await run(workspace, ['store', 'verify', '--json']);
  check(verified.code === 0, `store verify: ${verified.stderr.slice(-200)}`);
  const numbers = [
    `${kills} kills: ${answers.size} outputs whose handles were told are whole (${(counts.bytes / 1e6).toFixed(0)} MB compared), ${counts.cut} cut by the kill, ${counts.untold} whole but not yet told`,
  ];
  if (store.name !== 'postgres') return numbers;
  const write = () => WRITERS.truncate(workspace, 'sweeper', 64 * 50_000).answer;
  return [...numbers, `${await checkSwept(store, write, check)} contents of killed writers swept`];
}
