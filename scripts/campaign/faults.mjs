// Stores that are removed, truncated, damaged or made read-only under a running process; clocks
// that are set; programs that are interrupted.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Spillway } from '@spillway/core';
import { between, textRange } from './content.mjs';
import { bytesOf } from './kills.mjs';
import { ask } from './processes.mjs';
import { storeOf } from './stores.mjs';

const PROGRAM = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));
const NOBODY = 65_534;
const DAY_MS = 24 * 60 * 60 * 1_000;

export async function damages({ folder, smoke, random, check, tell }) {
  const kinds = {
    removed: smoke ? 1 : 5,
    truncated: smoke ? 1 : 30,
    flipped: smoke ? 2 : 60,
    files: smoke ? 1 : 30,
  };
  const total = { served: 0, refused: 0, stored: 0, unstored: 0 };
  let rounds = 0;
  const run = async (kind, file, options) => {
    const { problems, counts } = await ask(
      'faults',
      { kind, file, seed: between(random, 0, 2 ** 31) },
      options,
    );
    check(problems.length === 0, `${kind}: ${problems.slice(0, 3).join('; ')}`);
    for (const key of Object.keys(total)) total[key] += counts[key];
    rounds++;
    if (rounds % 20 === 0) tell(`${rounds} rounds`);
  };
  for (const [kind, times] of Object.entries(kinds))
    for (let i = 0; i < times; i++) await run(kind, join(folder, `${kind}-${i}`, 'store.db'));
  const locked = join(folder, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o555);
  chmodSync(folder, 0o755);
  // The superuser may write anywhere: somebody else tries.
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  await run('read-only', join(locked, 'store.db'), asNobody);
  await run('read-only', join(locked, 'deep', 'store.db'), asNobody);
  return {
    rounds,
    numbers: [
      `${total.served.toLocaleString('en')} uses served exactly, ${total.refused.toLocaleString('en')} refused by name, ${total.stored} later outputs stored, ${total.unstored} said not to be`,
    ],
  };
}

/** A clock that jumps by up to years, also to before 1970. */
export async function clocks({ folder, store: kind, smoke, random, check }) {
  const rounds = smoke ? 200 : kind === 'postgres' ? 1_000 : 3_000;
  let now = Date.UTC(2026, 0, 1);
  const clock = () => now;
  const { open } = await storeOf(kind, join(folder, `clock-${kind}`));
  const store = open({ clock, durability: 'process' });
  const spillway = new Spillway({ store, clock });
  const sealedIds = [];
  for (let i = 0; i < rounds; i++) {
    const jump = random() < 0.1 ? between(random, -1_000, 1_000) * DAY_MS : between(random, -5_000, 5_000);
    now = random() < 0.01 ? -between(random, 1, 1_000) * DAY_MS : Math.max(-DAY_MS, now + jump);
    const answer = await spillway.process(
      { tool: `t${i % 3}`, session: `s${i % 7}`, scope: 'campaign' },
      { kind: 'text', text: textRange(`c${i}`, 0, 640) },
      { policy: { inlineLimit: 300 } },
    );
    sealedIds.push((await spillway.sealed(answer)).id);
  }
  check(new Set(sealedIds).size === rounds, 'an id was given twice');
  const listed = [];
  for (let after, more = true; more; ) {
    const page = await store.list({ scope: 'campaign', show: 'all', limit: 77, ...(after && { after }) });
    listed.push(...page.items.map(({ id }) => id));
    after = page.next;
    more = after !== undefined;
  }
  check(listed.join() === sealedIds.toReversed().join(), 'the list is not in the order of sealing');
  // Years of such a clock may have ended the sessions; the records stay.
  for (const [i, id] of sealedIds.entries().filter(([i]) => i % 50 === 0))
    check((await bytesOf(store, id, 0)).equals(textRange(`c${i}`, 0, 640)), `${id} is not whole any more`);
  await idle({
    spillway,
    store,
    check,
    setClock: (at) => {
      now = at;
    },
  });
  await spillway.close();
  return { rounds, numbers: [`${rounds} outputs under a clock that jumped by up to 1,000 days either way`] };
}

/**
 * A session that was seen stays seen when the clock goes back; one that was not goes when its time
 * has come.
 */
async function idle({ spillway, store, check, setClock }) {
  const later = Date.UTC(2040, 0, 1);
  setClock(later);
  const say = (session) =>
    spillway
      .process({ tool: 't', session, scope: 'idle' }, { kind: 'text', text: session })
      .then((answer) => spillway.sealed(answer));
  await say('old');
  setClock(later + 20 * DAY_MS);
  await say('new');
  setClock(later - 100 * DAY_MS);
  await say('new');
  setClock(later + 31 * DAY_MS);
  const { sessionsEnded } = await spillway.retire({
    how: 'retire',
    scope: 'idle',
    endSession: true,
    idleSince: later + DAY_MS,
  });
  const open = (await store.sessions({ scope: 'idle' })).items.map(({ id }) => id);
  check(
    sessionsEnded === 1 && open.join() === 'new',
    `idle sessions: ${sessionsEnded} ended, ${open.join()} open`,
  );
}

/** SIGTERM and SIGINT while `spillway truncate` reads a pipe. */
export async function interruptions({ folder, store: kind, smoke, random, check }) {
  const rounds = smoke ? 2 : 20;
  for (let round = 0; round < rounds; round++) {
    const signal = round % 2 === 0 ? 'SIGTERM' : 'SIGINT';
    const root = join(folder, `interrupted-${kind}-${round}`);
    mkdirSync(join(root, '.git'), { recursive: true });
    const { scope, open, env: variables } = await storeOf(kind, root);
    const env = { PATH: process.env.PATH, HOME: root, ...variables };
    const child = spawn(process.execPath, [PROGRAM, 'truncate', '--limit', '1000'], { cwd: root, env });
    const out = [];
    const err = [];
    child.stdout.on('data', (data) => out.push(data));
    child.stderr.on('data', (data) => err.push(data));
    child.stdin.on('error', () => {});
    const ended = new Promise((resolve) => child.once('close', (code, by) => resolve({ code, by })));
    // More than a pipe holds: once it is written, the program is reading.
    const sure = 64 * between(random, 3_000, 6_000);
    let sent = sure;
    await new Promise((resolve) => child.stdin.write(textRange('pipe', 0, sure), resolve));
    await pause(500);
    // From now on it never has to wait: the signal falls between two chunks.
    const flood = () => {
      while (sent < 64 * 3_000_000) {
        sent += 64 * 512;
        if (!child.stdin.write(textRange('pipe', sent - 64 * 512, sent))) return;
      }
    };
    child.stdin.on('drain', flood);
    flood();
    await pause(between(random, 0, 100));
    child.kill(signal);
    const { code } = await ended;
    const message = Buffer.concat(err).toString();
    check(code === (signal === 'SIGTERM' ? 143 : 130), `${signal}: exit code ${code}: ${message}`);
    check(message.includes(`ended by ${signal}`), `${signal}: ${message}`);
    const store = open();
    const { items } = await store.list({ scope, show: 'all' });
    check(items.length === 1 && items[0].complete === false, `${signal}: ${items.length} outputs`);
    const bytes = items.length === 1 ? await bytesOf(store, items[0].id, 0) : Buffer.alloc(0);
    check(bytes.length >= sure, `${signal}: ${bytes.length} of at least ${sure} bytes kept`);
    check(bytes.equals(textRange('pipe', 0, bytes.length)), `${signal}: other bytes than were piped in`);
    check(Buffer.concat(out).length > 0, `${signal}: nothing was shown`);
    await store.close();
  }
  return { rounds, numbers: [] };
}
