// A server that goes away while the program writes: connections that are cut, a server that crashes
// and starts again, a standby that takes over. All through a proxy, as a load balancer or an
// address that moves would do it. No process of ours ends by it, what was answered is whole, and
// what could not be stored is said.
import { setTimeout as pause } from 'node:timers/promises';
import { between, lineOf } from './content.mjs';
import { newWorkspace } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { Cluster } from './server/cluster.mjs';
import { ServerProxy } from './server/server-proxy.mjs';
import { checkStored } from './stored.mjs';
import { someBytes, storeOf } from './stores.mjs';
import { gateway, throughGateway, WRITERS } from './writers.mjs';

const PATIENCE_S = 40;

/** Connections that are cut, answers that are lost, a network that stands still, doors that are shut. */
export async function cuts(scene) {
  const { random, smoke } = scene;
  return during(scene, 'cuts', smoke ? 6 : 60, async ({ proxy }) => {
    const kind = random();
    if (kind < 0.35) proxy.cut();
    else if (kind < 0.7) proxy.loseAnswers();
    else if (kind < 0.85) proxy.stall(between(random, 50, 500));
    else {
      proxy.isOpen = false;
      proxy.cut();
      await pause(between(random, 10, 1_000));
      proxy.isOpen = true;
    }
  });
}

/** A server that ends at once and starts again. */
export async function crashes(scene) {
  return during(scene, 'crashes', scene.smoke ? 1 : 20, async ({ server }) => {
    await server.crash();
    await server.start();
  });
}

/** The server is lost; its synchronous standby is promoted, and gets a standby of its own. */
export async function failovers(scene) {
  return during(scene, 'failovers', scene.smoke ? 1 : 5, async (site) => {
    const { proxy, server } = site;
    const standby = await server.standby();
    await pause(between(scene.random, 200, 2_000));
    proxy.isOpen = false;
    await server.crash();
    proxy.cut();
    await standby.promote();
    site.server = standby;
    proxy.target = standby.socket;
    proxy.isOpen = true;
    await server.remove();
  });
}

/** Writes all the time, through a gateway and through commands, while `trouble` comes again and again. */
async function during(scene, name, rounds, trouble) {
  const { check, random, tell } = scene;
  const workspace = newWorkspace(scene, name);
  const server = await Cluster.make();
  const proxy = await ServerProxy.before(server.socket);
  const store = await storeOf('postgres', workspace.root, { onServer: server, url: (db) => proxy.url(db) });
  Object.assign(workspace, { env: store.env });
  const site = { server, proxy };
  const work = {
    workspace,
    random,
    check,
    answers: new Map(),
    answered: 0,
    unstored: 0,
    passed: 0,
    isOver: false,
  };
  const client = gateway(workspace);
  const lanes = [writeAll(work, client), writeAll(work)];
  for (let round = 0; round < rounds; round++) {
    await pause(between(random, 50, 1_000));
    await somethingAnswered(work);
    await trouble(site);
    if (round % 20 === 19) tell(`${round + 1} of ${rounds}, ${work.answers.size} outputs stored`);
  }
  await pause(1_000);
  work.isOver = true;
  await Promise.all(lanes);
  await checkStoresAgain(work, client);
  await client.close();
  const opened = store.open();
  const counts = await checkStored(opened, work.answers, check);
  await opened.close();
  check(work.answers.size >= 6, 'too little was written to tell anything');
  await proxy.close();
  await site.server.remove();
  removeFolder(workspace.root);
  return {
    rounds,
    numbers: [
      `${rounds} ${name}: ${work.answers.size} outputs whose handles were told are whole (${(counts.bytes / 1e6).toFixed(0)} MB compared), ${work.unstored} said not to be stored, of which ${counts.untold} are nevertheless there, whole; ${work.passed} passed on whole`,
    ],
  };
}

/** However slow the machine is, the trouble must not come faster than answers do. */
async function somethingAnswered(work) {
  const before = work.answered;
  while (work.answered === before) await pause(20);
}

/** One output after the other; the gateway's own where it is given. */
async function writeAll(work, client) {
  const commands = Object.keys(WRITERS);
  for (let i = 0; !work.isOver; i++) {
    const bytes = someBytes('postgres', work.random);
    const name = `${client === undefined ? 'c' : 'g'}${i}`;
    if (client !== undefined) note(work, 'mcp', await throughGateway(client, name, bytes));
    else {
      const command = commands[i % commands.length];
      note(work, command, await WRITERS[command](work.workspace, name, bytes).answer);
    }
  }
}

function note(work, command, answer) {
  const { answers, check } = work;
  work.answered++;
  check(answer !== null && (answer.code ?? 0) === 0, `${command} ended: ${answer?.text.slice(-300)}`);
  if (answer === null) return;
  if (answer.id !== undefined) answers.set(answer.id, answer);
  else if (isWhole(answer)) work.passed++;
  else {
    const isReported = /not stored|cannot be reached/i.test(answer.text);
    check(isReported, `${command}: neither stored nor said: ${answer.text.slice(-300)}`);
    work.unstored++;
  }
}

/** While it knows that nothing can be stored, a gateway cuts nothing: the last line is there too. */
function isWhole({ name, bytes, text }) {
  return text.includes(lineOf(name, bytes / 64));
}

/**
 * The trouble is over: everything is stored again, by the very gateway that went through it; that
 * looks for its store again from time to time.
 */
async function checkStoresAgain(work, client) {
  const { check, workspace, answers } = work;
  let byGateway;
  for (let i = 0; byGateway?.id === undefined && i < PATIENCE_S; i++) {
    byGateway = await throughGateway(client, `after-mcp-${i}`, 64_000);
    if (byGateway?.id === undefined) await pause(1_000);
  }
  const others = Object.entries(WRITERS).map(
    ([command, write]) => write(workspace, `after-${command}`, 64_000).answer,
  );
  for (const answer of [byGateway, ...(await Promise.all(others))]) {
    check(
      answer?.id !== undefined,
      `not stored though the server is there again: ${answer?.text.slice(-200)}`,
    );
    if (answer?.id !== undefined) answers.set(answer.id, answer);
  }
}
