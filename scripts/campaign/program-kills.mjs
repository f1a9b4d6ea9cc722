// kill -9 of the program in the middle of `truncate`, `exec` and `mcp`, over and over in one
// workspace: every output whose handle was told is whole, and of the others an exact prefix is
// there or nothing.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '../../packages/core/dist/stores/sqlite/index.js';
import { between, chunks, stretch } from './content.mjs';
import { bytesOf } from './kills.mjs';
import { mcpClient } from './mcp.mjs';
import { newWorkspace, run, start } from './program.mjs';

const EMIT = fileURLToPath(new URL('children/emit.mjs', import.meta.url));

export async function programKills(scene) {
  const { smoke, random, check, tell } = scene;
  const rounds = smoke ? 2 : 25;
  const workspace = newWorkspace(scene, 'program-kills');
  const told = new Map();
  for (let round = 0; round < rounds; round++) {
    const bytes = () => 64 * between(random, 200, 60_000);
    const running = [
      truncating(workspace, `r${round}truncate`, bytes(), told),
      executing(workspace, `r${round}exec`, bytes(), told),
      calling(workspace, `r${round}mcp`, bytes, told),
    ];
    // One round in five the kill may come before a handle is told, else at any moment after.
    if (round % 5 !== 4) await firstTold(told, `r${round}`, running);
    await pause(between(random, 0, smoke ? 500 : 3_000));
    for (const { child } of running) {
      await pause(between(random, 0, 300));
      child.kill('SIGKILL');
    }
    await Promise.all(running.map(({ over }) => over));
    const listed = await run(workspace, ['artifacts', 'list', '--json', '--all']);
    check(listed.code === 0, `round ${round}: the store does not open: ${listed.stderr.slice(-200)}`);
    if (round % 5 === 4) tell(`${round + 1} of ${rounds} rounds, ${told.size} handles told`);
  }
  const counts = await checkAll(workspace, told, check);
  check(told.size >= rounds / 2, 'the kills came too early to tell anything');
  rmSync(workspace.root, { recursive: true });
  return {
    rounds,
    numbers: [
      `${told.size} outputs whose handles were told are whole, ${counts.cut} cut by the kill, ${counts.untold} whole but not yet told`,
    ],
  };
}

/** Until a handle of this round is told, or all of its processes are over. */
async function firstTold(told, prefix, running) {
  let over = false;
  Promise.all(running.map((one) => one.over)).then(() => {
    over = true;
  });
  while (!over && ![...told.values()].some(({ name }) => name.startsWith(prefix))) await pause(20);
}

function truncating(workspace, name, bytes, told) {
  const { child, ended } = start(workspace, ['truncate', '--json'], { input: chunks(name, bytes) });
  return { child, over: ended.then((ran) => note(ran, name, bytes, told)) };
}

function executing(workspace, name, bytes, told) {
  const command = [process.execPath, EMIT, name, String(bytes)];
  const { child, ended } = start(workspace, ['exec', '--json', '--', ...command]);
  return { child, over: ended.then((ran) => note(ran, name, bytes, told)) };
}

function note({ stdout }, name, bytes, told) {
  const id = /"artifact_id":"(art_\w+)"/.exec(stdout)?.[1];
  if (id !== undefined) told.set(id, { name, bytes });
}

function calling(workspace, name, bytesOf, told) {
  const client = mcpClient(workspace);
  const over = (async () => {
    for (let i = 0; ; i++) {
      const bytes = bytesOf();
      const answer = await client.call('emit', { name: `${name}-${i}`, bytes });
      if (answer === null) break;
      const id = /art_\w+/.exec(JSON.stringify(answer))?.[0];
      if (id !== undefined) told.set(id, { name: `${name}-${i}`, bytes });
    }
    await client.ended;
  })();
  return { child: client.child, over };
}

/** Everything that is stored, of every scope: what a name and a place say is what must be there. */
async function checkAll(workspace, told, check) {
  const counts = { cut: 0, untold: 0 };
  const store = sqliteStore({ file: join(workspace.root, '.acode', 'artifacts', 'store.db') });
  const { items: sessions } = await store.sessions({ show: 'all', limit: 1_000 });
  const seen = new Set();
  for (const scope of new Set(sessions.map((session) => session.scope)))
    for await (const record of outputsOf(store, scope)) {
      seen.add(record.id);
      const part = record.parts.find(({ role, bytes }) => role === 'content' && bytes > 0);
      if (part === undefined) continue;
      const content = await bytesOf(store, record.id, part.index);
      const whole = told.get(record.id);
      const name = whole?.name ?? content.toString('latin1', 0, 64).split(' ')[1];
      check(
        content.equals(stretch(name, 0, content.length)),
        `${record.id} holds other bytes than were written`,
      );
      if (whole === undefined) counts[record.complete ? 'untold' : 'cut']++;
      else check(record.complete && content.length === whole.bytes, `${record.id} was told and is not whole`);
    }
  for (const id of told.keys()) check(seen.has(id), `${id} was told and is gone`);
  await store.close();
  return counts;
}

async function* outputsOf(store, scope) {
  for (let after, more = true; more; ) {
    const page = await store.list({ scope, show: 'all', limit: 200, ...(after && { after }) });
    yield* page.items;
    after = page.next;
    more = after !== undefined;
  }
}
