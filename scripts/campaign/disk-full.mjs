// A disk that runs full: a small tmpfs where mounting is allowed, else the engine's own limit on
// pages, which fails the same way.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between, chunks, textRange } from './content.mjs';
import { bytesOf } from './kills.mjs';
import { firstWords, start } from './processes.mjs';

const DISK_MB = 16;

export async function diskFull(scene) {
  const disk = join(scene.folder, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    // Not allowed here.
    return injected(scene, disk);
  }
  try {
    return await onTmpfs(scene, disk);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

/**
 * Each round a process finds the disk nearly full, is told so, and is killed; then there is room
 * again.
 */
async function onTmpfs({ smoke, random, check, tell }, disk) {
  const rounds = smoke ? 3 : 40;
  const file = join(disk, 'store.db');
  const ballast = join(disk, 'ballast');
  const kept = new Map();
  let unstored = 0;
  await keep(file, 'first', kept, check);
  for (let round = 0; round < rounds; round++) {
    const name = `full${round}`;
    const bytes = 64 * between(random, 500, 60_000);
    fillUp(ballast, between(random, 0, 3_000_000), disk);
    const { child, ended, output } = start('fill', { file, name, bytes });
    await firstWords(output, ended);
    if (random() < 0.5) child.kill('SIGKILL');
    else child.stdin.end();
    await ended;
    const report = JSON.parse(output());
    if (report.stored) kept.set(report.id, { name, bytes });
    else {
      unstored++;
      check(
        /not stored/i.test(report.notice) && !report.handle && report.id === null,
        `${name}: ${report.notice}`,
      );
      check(report.chars <= 8_000, `${name}: a projection of ${report.chars} chars`);
    }
    rmSync(ballast);
    await keep(file, `after${round}`, kept, check, 64 * between(random, 1, 200));
    await checkKept(file, kept, check);
    if (kept.size > 12) await purge(file, kept);
    if (round % 10 === 9) tell(`${round + 1} of ${rounds} rounds`);
  }
  check(unstored > 0, 'the disk was never full');
  return {
    rounds,
    numbers: [`tmpfs of ${DISK_MB} MB: ${unstored} outputs not stored and said so, none of them came back`],
  };
}

/** Takes all room but so many bytes. */
function fillUp(ballast, leaveBytes, disk) {
  const free = Number(execFileSync('df', ['--output=avail', '-B1', disk]).toString().split('\n')[1]);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, free - leaveBytes)));
}

async function keep(file, name, kept, check, bytes = 64 * 1_000) {
  const spillway = new Spillway({ store: sqliteStore({ file }) });
  const answer = await spillway.process(
    { tool: name, session: 'campaign', scope: 'campaign' },
    { kind: 'text', text: chunks(name, bytes) },
  );
  const record = await spillway.sealed(answer);
  check(record !== null, `${name} was not stored though there was room again`);
  if (record !== null) kept.set(record.id, { name, bytes });
  await spillway.close();
}

/** Exactly what was said to be stored is there, whole; nothing that was said not to be. */
async function checkKept(file, kept, check) {
  const store = sqliteStore({ file });
  const { items } = await store.list({ scope: 'campaign', show: 'all', limit: 1_000 });
  for (const record of items)
    check(kept.has(record.id), `${record.tool} came back, though it was said not to be stored`);
  check(items.length === kept.size, `${kept.size} outputs were stored, ${items.length} are there`);
  for (const [id, { name, bytes }] of kept) {
    const stored = await bytesOf(store, id, 0).catch(() => Buffer.alloc(0));
    check(stored.equals(textRange(name, 0, bytes)), `${name} is not whole any more`);
  }
  await store.close();
}

async function purge(file, kept) {
  const store = sqliteStore({ file });
  await store.retire({ how: 'purge', scope: 'campaign', at: 1 });
  kept.clear();
  await store.close();
}

async function injected({ check }, disk) {
  const file = join(disk, 'store.db');
  const driver = (path) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA max_page_count = 400');
    return database;
  };
  const kept = new Map();
  await keep(file, 'first', kept, check);
  const spillway = new Spillway({ store: sqliteStore({ file, driver }) });
  const { projection } = await spillway.process(
    { tool: 'full', session: 'campaign', scope: 'campaign' },
    { kind: 'text', text: chunks('full', 6_400_000) },
  );
  check(
    (await spillway.sealed({ projection })) === null && /not stored/i.test(projection.text),
    'a full disk was not said',
  );
  await spillway.close();
  await checkKept(file, kept, check);
  await keep(file, 'after', kept, check);
  await checkKept(file, kept, check);
  return { rounds: 1, numbers: ['mounting is not allowed here: a limit on pages instead of a full disk'] };
}
