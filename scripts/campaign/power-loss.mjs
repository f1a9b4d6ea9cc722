// Power that is lost while the program writes. A library in front of libc notes what is written and
// flushed, and when the program tells a handle (shim/); then the folder is built as a disk may hold
// it at that moment, many times over, and the program is run on it. Every output whose handle was
// told before is there, byte for byte, of the others an exact prefix or nothing, and `store verify`
// finds no damage. A disk that only says that it flushes must lose something, or nothing is shown.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between } from './content.mjs';
import { newWorkspace, run } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { Disk, readLog } from './shim/disk-log.mjs';
import { recordInto, shimMissing } from './shim/shim.mjs';
import { checkStored } from './stored.mjs';
import { someBytes, storeOf } from './stores.mjs';
import { gateway, throughGateway, WRITERS } from './writers.mjs';

const MARKS = join('.local', 'share', 'spillway', 'stores');

export async function powerLoss(scene) {
  const { check, tell, smoke, store, random } = scene;
  const why = shimMissing(scene);
  if (why !== null) return { rounds: 0, numbers: [`not run: ${why}`] };
  const counts = { losses: 0, whole: 0, bytes: 0, lied: 0 };
  for (let session = 0; session < (smoke ? 1 : 5); session++) {
    const recorded = await record(scene, `power-${store}-${session}`);
    const { events, acknowledged } = recorded;
    tell(`session ${session + 1}: ${events.length} events, ${acknowledged.size} handles told`);
    check(acknowledged.size >= 4, 'too little was written to tell anything');
    await checkRecorded(recorded, check);
    for (const [flushes, losses] of [
      [true, smoke ? 5 : 50],
      [false, smoke ? 2 : 5],
    ]) {
      const disk = new Disk(recorded.rootInode, { flushes });
      const moments = Array.from({ length: losses }, () => momentOf(recorded, random)).sort((a, b) => a - b);
      for (let at = 0; at <= events.length && moments.length > 0; at++) {
        while (moments[0] === at) {
          moments.shift();
          const failures = await afterLoss(recorded, disk, at, scene, counts);
          if (!flushes) counts.lied += failures.length > 0 ? 1 : 0;
          else
            check(
              failures.length === 0,
              `session ${session}, event ${at}: ${failures.slice(0, 3).join('; ')}`,
            );
          if (flushes) counts.losses++;
        }
        if (at < events.length) disk.happen(events[at]);
      }
    }
    removeFolder(recorded.root);
  }
  check(counts.lied > 0, 'a disk that does not flush lost nothing: this scenario cannot fail');
  return {
    rounds: counts.losses,
    numbers: [
      `${counts.losses} losses of power: ${counts.whole} outputs that had been told are whole (${(counts.bytes / 1e6).toFixed(0)} MB compared)`,
      `a disk that only says that it flushes lost outputs ${counts.lied} times`,
    ],
  };
}

/** A few outputs, by commands and by a gateway beside them, one of which is purged. */
async function record(scene, name) {
  const { random, store } = scene;
  const workspace = newWorkspace(scene, name);
  const log = join(scene.folder, `${name}.log`);
  const { root } = workspace;
  const recording = { ...workspace, env: recordInto(log, root) };
  const answers = new Map();
  const note = (answer) => answer?.id !== undefined && answers.set(answer.id, answer);
  const commands = Object.keys(WRITERS);
  let isOver = false;
  const alone = async () => {
    for (let i = 0; i < 6; i++)
      note(await WRITERS[commands[i % 3]](recording, `c${i}`, someBytes(store, random)).answer);
    isOver = true;
  };
  const purge = async () => {
    const { value: id } = answers.keys().next();
    const from = statSync(log).size;
    await run(recording, ['artifacts', 'clean', id, '--purge']);
    return { id, from };
  };
  // The first one is alone with the store that it makes.
  note(await WRITERS.truncate(recording, 'first', someBytes(store, random)).answer);
  const client = gateway(recording);
  const beside = async () => {
    for (let i = 0; !isOver; i++) note(await throughGateway(client, `g${i}`, someBytes(store, random)));
  };
  await Promise.all([alone(), beside()]);
  const purged = await purge();
  note(await WRITERS.truncate(recording, 'last', someBytes(store, random)).answer);
  await client.close();
  const events = readLog(log);
  const rootInode = statSync(root).ino;
  removeFolder(log);
  return {
    root,
    program: workspace.program,
    events,
    rootInode,
    answers,
    ...acknowledgedIn(events, answers, purged),
  };
}

/** With which event each handle was told, and with which the purge of one may have begun. */
function acknowledgedIn(events, answers, purged) {
  const acknowledged = new Map();
  for (const [at, { kind, data }] of events.entries()) {
    if (kind !== 'tell') continue;
    const text = data.toString('latin1');
    for (const id of answers.keys()) if (!acknowledged.has(id) && text.includes(id)) acknowledged.set(id, at);
  }
  const at = events.findIndex(({ from }) => from >= purged.from);
  return { acknowledged, purged: { id: purged.id, at } };
}

/** All that was written was seen: the folder as the log tells it is the one that is there. */
async function checkRecorded({ root, rootInode, events }, check) {
  const disk = new Disk(rootInode);
  for (const event of events) disk.happen(event);
  const replayed = `${root}-replayed`;
  mkdirSync(replayed);
  disk.write(replayed, null);
  const [there, replay] = [root, replayed].map(filesOf);
  const other = [...there].filter(([path, bytes]) => !replay.get(path)?.equals(bytes));
  check(
    other.length === 0 && replay.size === there.size,
    `the log does not tell all: ${replay.size} files for ${there.size}, other bytes in ${other.map(([path]) => path).join()}`,
  );
  removeFolder(replayed);
}

/** The index of the log is mapped into memory, and made anew by whoever opens the store. */
function filesOf(folder) {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => !path.endsWith('-shm'));
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(folder, path))]));
}

/** Half of the time right after a handle was told. */
function momentOf({ events, acknowledged }, random) {
  if (random() < 0.5) return between(random, 0, events.length);
  const moments = [...acknowledged.values()];
  return moments[between(random, 0, moments.length - 1)] + 1;
}

/** Runs the program on what the disk holds after `at` events; what is wrong. */
async function afterLoss({ root, program, answers, acknowledged, purged }, disk, at, scene, counts) {
  const workspace = { root: `${root}-lost`, program };
  mkdirSync(join(workspace.root, '.git'), { recursive: true });
  keepMarks(workspace.root, disk.write(workspace.root, scene.random));
  const failures = [];
  const note = (holds, failure) => void (holds || failures.push(failure));
  const isExpected = (id) => acknowledged.get(id) < at && !(id === purged.id && purged.at < at);
  const expected = new Map([...answers].filter(([id]) => isExpected(id)));
  const listed = await run(workspace, ['artifacts', 'list', '--json']);
  for (const id of expected.keys()) note(listed.stdout.includes(id), `${id} was told and is not listed`);
  const verified = await run(workspace, ['store', 'verify', '--json']);
  note(verified.code === 0, `store verify: ${(verified.stdout + verified.stderr).slice(-300)}`);
  const written = await WRITERS.truncate(workspace, 'after', 64_000).answer;
  note(written.id !== undefined, `nothing can be stored: ${written.text.slice(-300)}`);
  if (failures.length === 0) {
    const store = (await storeOf(scene.store, workspace.root)).open();
    const { bytes } = await checkStored(store, expected.set(written.id, written), note);
    await store.close();
    counts.bytes += bytes;
    counts.whole += expected.size - 1;
  }
  removeFolder(workspace.root);
  return failures;
}

/** Marks name the log of their store by its inode, which is another one here. */
function keepMarks(root, identities) {
  const folder = join(root, MARKS);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const mark = join(folder, name);
    const identity = identities.get(readFileSync(mark, 'utf8').trim());
    if (identity !== undefined) writeFileSync(mark, identity);
  }
}
