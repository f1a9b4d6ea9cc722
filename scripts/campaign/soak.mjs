// A day of work through the gateway, over pipes and over HTTP: small and large results, calls that
// are cancelled with their 10 KB of arguments, a server that crashes, then 200 calls at once. Every
// call that was not cancelled is answered, and the memory of the gateway stays flat.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { between } from './content.mjs';
import { mcpClient, mcpHttpClient } from './mcp.mjs';
import { newWorkspace } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';

const MOST_MB = 200;
/** Calls that are made at a time. */
const AT_ONCE = 8;
const PADDING = 'x'.repeat(10_000);
/** A call that is not answered by then never will be. */
const PATIENCE_MS = 120_000;

export async function soak(scene) {
  const numbers = [];
  const calls = scene.smoke ? 120 : 10_000;
  for (const [name, open] of [
    ['mcp', mcpClient],
    ['serve', mcpHttpClient],
  ]) {
    const workspace = newWorkspace(scene, `soak-${name}`);
    const door = open(workspace, 'soak-server');
    await within(door.ready);
    const counts = { answered: 0, cancelled: 0, refused: 0 };
    const before = megabytes(door.child.pid);
    const crashes = (scene.smoke ? [0.5] : [0.3, 0.5, 0.8]).map((share) => Math.floor(share * calls));
    let middle = before;
    for (let from = 0; from < calls; from += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, n) => one(door, from + n, scene, crashes, counts));
      await Promise.all(batch);
      if (from < calls / 2) middle = megabytes(door.child.pid);
    }
    const after = megabytes(door.child.pid);
    const burst = Array.from({ length: 200 }, (_, n) => call(door, calls + n, 20_000));
    const answers = await Promise.all(burst);
    const last = megabytes(door.child.pid);
    scene.check(answers.every(isRight), `${name}: not all of 200 calls at once were answered rightly`);
    scene.check(
      counts.refused <= crashes.length * AT_ONCE,
      `${name}: ${counts.refused} calls failed, more than the crashes explain`,
    );
    for (const [when, mb] of Object.entries({ 'after all calls': after, 'after 200 at once': last }))
      scene.check(mb <= MOST_MB, `${name}: ${mb.toFixed(0)} MB resident ${when}`);
    await door.close();
    removeFolder(workspace.root);
    numbers.push(
      `${name}: ${counts.answered} answered, ${counts.cancelled} cancelled, ${counts.refused} failed by ${crashes.length} crashes; ${[before, middle, after, last].map((mb) => mb.toFixed(0)).join(' → ')} MB (start, half, end, after 200 at once)`,
    );
    scene.tell(numbers.at(-1));
  }
  return { rounds: calls * 2, numbers };
}

/** One call of the mix. */
async function one(door, number, { random, check }, crashes, counts) {
  if (crashes.includes(number)) {
    const { error, result } = await within(door.call('crash', {}));
    check(error !== undefined || result?.isError === true, `call ${number}: a crash was no error`);
    counts.refused++;
  } else if (random() < 0.2) {
    await door.cancelled('wait', { call: number, padding: PADDING });
    counts.cancelled++;
  } else {
    const answer = await call(door, number, random() < 0.25 ? 20_000 : between(random, 6, 2_000));
    if (answer.error !== undefined || answer.result?.isError === true) counts.refused++;
    else {
      check(isRight(answer), `call ${number}: another call's answer, or none`);
      counts.answered++;
    }
  }
}

async function call(door, number, chars) {
  return { number, chars, ...(await within(door.call('emit', { call: number, chars }))) };
}

/** The text of the very call, cut where it is long. */
function isRight({ number, chars, result }) {
  const text = (result?.content ?? []).map((block) => block.text ?? '').join('\n');
  return text.includes(`call ${number}`.slice(0, chars)) && text.length <= 8_000;
}

function within(answer) {
  const late = pause(PATIENCE_MS, null, { ref: false }).then(() => {
    throw new Error(`A call was not answered within ${PATIENCE_MS / 1_000} s.`);
  });
  return Promise.race([answer, late]);
}

function megabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}
