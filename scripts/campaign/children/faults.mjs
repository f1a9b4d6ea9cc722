// A store that is damaged under a running process. Job: kind (removed, truncated, flipped, files,
// read-only), file, seed. The process stays up, what it serves is exact, and what it cannot serve
// is an error of ours.
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Spillway, SpillwayError } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between, randomOf, textRange } from '../content.mjs';

const OUTPUTS = 24;
const { kind, file, seed } = JSON.parse(process.argv[2]);
const random = randomOf(seed);
const scope = 'campaign';
const problems = [];
const counts = { served: 0, refused: 0, stored: 0, unstored: 0 };
const open = () => new Spillway({ store: sqliteStore({ file, largePartBytes: 100_000 }) });
const spillway = open();
const outputs = [];

const damages = {
  removed() {
    for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
  },
  truncated() {
    truncateSync(file, between(random, 0, statSync(file).size));
  },
  flipped: () => flip(file, 20),
  // Of the large parts beside the database a third is lost, a third cut off, and a third changed.
  files() {
    for (const name of readdirSync(`${file}-content`)) {
      const path = join(`${file}-content`, name);
      const how = between(random, 0, 2);
      if (how === 0) rmSync(path);
      else if (how === 1) truncateSync(path, between(random, 0, statSync(path).size));
      else flip(path, 1);
    }
  },
  'read-only'() {},
};

if (kind === 'read-only') await expectUnstored();
else {
  for (let i = 0; i < OUTPUTS; i++) await add(`o${i}`, 64 * between(random, 150, 4_000));
  // Everything in the file itself, nothing left to be found in the WAL.
  await spillway.close();
  const again = open();
  await again.retrieve({ artifact_id: outputs[0].id }, scope);
  damages[kind]();
  for (const output of outputs) await use(again, output);
  for (let i = 0; i < 3; i++) await addSomehow(again, `later${i}`);
  await again.close().catch(refused);
  if (kind === 'removed' && counts.served > 0) problems.push('a removed store still served');
}
console.log(JSON.stringify({ problems, counts }));

function flip(path, times) {
  const { size } = statSync(path);
  const handle = openSync(path, 'r+');
  for (let i = 0; i < times; i++)
    writeSync(handle, Buffer.of(between(random, 0, 255)), 0, 1, between(random, 0, size - 1));
  closeSync(handle);
}

async function add(name, bytes) {
  const answer = await spillway.process(
    { tool: name, session: 's', scope },
    { kind: 'text', text: textRange(name, 0, bytes) },
  );
  outputs.push({ id: (await spillway.sealed(answer)).id, name, bytes });
}

async function use(spillway, { id, name, bytes }) {
  await attempt(async () => {
    const pieces = [];
    for await (const piece of await spillway.readRaw({ artifact_id: id }, scope)) pieces.push(piece);
    if (!Buffer.concat(pieces).equals(textRange(name, 0, bytes)))
      problems.push(`${name}: other bytes than were stored`);
  });
  const first = between(random, 1, bytes / 64 - 10);
  await attempt(async () => {
    const { body } = await spillway.retrieve({ artifact_id: id, lines: `${first}-${first + 9}` }, scope);
    if (body !== textRange(name, (first - 1) * 64, (first + 9) * 64).toString())
      problems.push(`${name}: other lines than were asked for`);
  });
  await attempt(() => spillway.project({ scope, id }));
}

/** It is stored, or said not to be; either way there is an answer. */
async function addSomehow(spillway, name) {
  const text = textRange(name, 0, 64 * 1_000);
  const { projection } = await spillway.process({ tool: name, session: 's', scope }, { kind: 'text', text });
  const record = await spillway.sealed({ projection });
  counts[record === null ? 'unstored' : 'stored']++;
  if (projection.text.length > 8_000) problems.push(`${name}: over its bound`);
  if (record === null && !/not stored/i.test(projection.text))
    problems.push(`${name}: not stored, and not said`);
  // With a file of its own again (it was removed), what was said to be stored is there for others
  // too.
  if (
    record !== null &&
    kind === 'removed' &&
    !readFileSync(file).subarray(0, 6).equals(Buffer.from('SQLite'))
  )
    problems.push(`${name}: said to be stored in a file that is gone`);
}

async function expectUnstored() {
  const { projection } = await spillway.process(
    { tool: 't', session: 's', scope },
    { kind: 'text', text: textRange('t', 0, 64 * 1_000) },
  );
  if ((await spillway.sealed({ projection })) !== null || !/not stored/i.test(projection.text))
    problems.push('written to where nothing can be written');
  else counts.unstored++;
  await spillway.close();
}

async function attempt(work) {
  try {
    await work();
    counts.served++;
  } catch (error) {
    refused(error);
  }
}

function refused(error) {
  if (!(error instanceof SpillwayError)) problems.push(`an error that is not ours: ${error?.stack}`);
  counts.refused++;
}
