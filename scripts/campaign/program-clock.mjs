// The clock of the machine is set while the program runs: forward and back by up to three years,
// between calls and within them. A library in front of libc moves it (shim/). Whatever was told is
// whole, no id comes twice, and nothing is taken for old or for the remains of a killed process.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { between } from './content.mjs';
import { newWorkspace, run } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { movableClock, shimMissing } from './shim/shim.mjs';
import { checkStored } from './stored.mjs';
import { someBytes, storeOf } from './stores.mjs';
import { gateway, throughGateway, WRITERS } from './writers.mjs';

const DAY_S = 24 * 60 * 60;
const FAR_DAYS = 1_000;

export async function programClock(scene) {
  const { check, folder, random, smoke, store: kind } = scene;
  const why = shimMissing(scene);
  if (why !== null) return { rounds: 0, numbers: [`not run: ${why}`] };
  const clock = movableClock(join(folder, `clock-${kind}`));
  const workspace = newWorkspace(scene, `program-clock-${kind}`);
  const store = await storeOf(kind, workspace.root);
  Object.assign(workspace, { env: { ...store.env, ...clock.env } });
  const answers = new Map();
  const note = (answer) => {
    check(answer?.id !== undefined, `not stored: ${answer?.text.slice(-300)}`);
    if (answer?.id === undefined) return;
    check(!answers.has(answer.id), `${answer.id} was given twice`);
    answers.set(answer.id, answer);
  };
  let isOver = false;
  let jumps = 0;
  const jumping = async () => {
    for (; !isOver; jumps++) {
      const isFar = random() < 0.5;
      clock.set(isFar ? between(random, -FAR_DAYS, FAR_DAYS) * DAY_S : between(random, -100, 100));
      await pause(between(random, 1, 200));
    }
  };
  const over = jumping();
  const client = gateway(workspace);
  const commands = Object.keys(WRITERS);
  const rounds = smoke ? 3 : 50;
  const lanes = [
    async (i) => note(await throughGateway(client, `g${i}`, someBytes(kind, random))),
    async (i) => note(await WRITERS[commands[i % 3]](workspace, `c${i}`, someBytes(kind, random)).answer),
  ];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let i = 0; i < rounds; i++) await lane(i);
    }),
  );
  isOver = true;
  await over;
  const listed = await run(workspace, ['artifacts', 'list', '--json']);
  check(listed.code === 0, `artifacts list: ${listed.stderr.slice(-300)}`);
  await client.close();
  const opened = store.open();
  const { bytes, cut } = await checkStored(opened, answers, check);
  await opened.close();
  check(cut === 0, `${cut} outputs of living processes were taken for remains`);
  removeFolder(workspace.root);
  return {
    rounds: rounds * 2,
    numbers: [`${jumps} jumps: ${answers.size} outputs are whole (${(bytes / 1e6).toFixed(0)} MB compared)`],
  };
}
