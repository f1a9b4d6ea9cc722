// kill -9 of the program in the middle of `truncate`, `exec` and `mcp`, over and over in one
// workspace: every output whose handle was told is whole, and of the others an exact prefix is
// there or nothing.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '../../packages/core/dist/stores/sqlite/index.js';
import { between, chunks, textRange } from './content.mjs';
import { bytesOf } from './kills.mjs';
import { mcpClient } from './mcp.mjs';
import { newWorkspace, run, start } from './program.mjs';

const EMIT = fileURLToPath(new URL('children/emit.mjs', import.meta.url));

export async function programKills(scene) {
  const { smoke, random, check, tell } = scene;
  const rounds = smoke ? 2 : 25;
  const workspace = newWorkspace(scene, 'program-kills');
  const answered = new Map();
  for (let round = 0; round < rounds; round++) {
    const bytes = () => 64 * between(random, 200, 60_000);
    const running = [
      truncating(workspace, `r${round}truncate`, bytes(), answered),
      executing(workspace, `r${round}exec`, bytes(), answered),
      calling(workspace, `r${round}mcp`, bytes, answered),
    ];
    // One round in five the kill may come before a handle is told, else at any moment after.
    if (round % 5 !== 4) await firstAnswered(answered, `r${round}`, running);
    await pause(between(random, 0, smoke ? 500 : 3_000));
    for (const { child } of running) {
      await pause(between(random, 0, 300));
      child.kill('SIGKILL');
    }
    await Promise.all(running.map(({ over }) => over));
    const listed = await run(workspace, ['artifacts', 'list', '--json', '--all']);
    check(listed.code === 0, `round ${round}: the store does not open: ${listed.stderr.slice(-200)}`);
    if (round % 5 === 4) tell(`${round + 1} of ${rounds} rounds, ${answered.size} handles told`);
  }
  const counts = await checkAll(workspace, answered, check);
  check(answered.size >= rounds / 2, 'the kills came too early to tell anything');
  rmSync(workspace.root, { recursive: true });
  return {
    rounds,
    numbers: [
      `${answered.size} outputs whose handles were told are whole, ${counts.cut} cut by the kill, ${counts.untold} whole but not yet told`,
    ],
  };
}

/** Until a handle of this round is told, or all of its processes are over. */
async function firstAnswered(answers, prefix, running) {
  let over = false;
  Promise.all(running.map((one) => one.over)).then(() => {
    over = true;
  });
  while (!over && ![...answers.values()].some(({ name }) => name.startsWith(prefix))) await pause(20);
}

function truncating(workspace, name, bytes, answers) {
  const { child, ended } = start(workspace, ['truncate', '--json'], { input: chunks(name, bytes) });
  return { child, over: ended.then((ran) => note(ran, name, bytes, answers)) };
}

function executing(workspace, name, bytes, answers) {
  const command = [process.execPath, EMIT, name, String(bytes)];
  const { child, ended } = start(workspace, ['exec', '--json', '--', ...command]);
  return { child, over: ended.then((ran) => note(ran, name, bytes, answers)) };
}

function note({ stdout }, name, bytes, answers) {
  const id = /"artifact_id":"(art_\w+)"/.exec(stdout)?.[1];
  if (id !== undefined) answers.set(id, { name, bytes });
}

function calling(workspace, name, bytesOf, answers) {
  const client = mcpClient(workspace);
  const over = (async () => {
    for (let i = 0; ; i++) {
      const bytes = bytesOf();
      const answer = await client.call('emit', { name: `${name}-${i}`, bytes });
      if (answer === null) break;
      const id = /art_\d+_\w+/.exec(JSON.stringify(answer))?.[0];
      if (id !== undefined) answers.set(id, { name: `${name}-${i}`, bytes });
    }
    await client.ended;
  })();
  return { child: client.child, over };
}

/** Everything that is stored, of every scope: what a name and a place say is what must be there. */
async function checkAll(workspace, answers, check) {
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
      const whole = answers.get(record.id);
      const name = whole?.name ?? content.toString('latin1', 0, 64).split(' ')[1];
      check(
        content.equals(textRange(name, 0, content.length)),
        `${record.id} holds other bytes than were written`,
      );
      if (whole === undefined) counts[record.complete ? 'untold' : 'cut']++;
      else check(record.complete && content.length === whole.bytes, `${record.id} was told and is not whole`);
    }
  for (const id of answers.keys()) check(seen.has(id), `${id} was told and is gone`);
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
