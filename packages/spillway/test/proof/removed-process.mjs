// Four writers of one store, whose folder is removed under them over and over. Prints what came of
// their outputs; must end by itself.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { open } from 'spillway';

const [root, kind] = process.argv.slice(2);
const env = { HOME: root };
const options = { workspace: root, env, thread: kind === 'thread' };
const shared = await open(options);
const opened =
  kind === 'several' ? await Promise.all([1, 2, 3, 4].map(() => open(options))) : Array(4).fill(shared);
const counts = { stored: 0, unstored: 0 };
let over = false;

const writing = Promise.all(opened.map((one, n) => write(one, n)));
for (let round = 0; round < 8; round++) {
  await pause(100);
  try {
    rmSync(join(root, '.acode'), { recursive: true });
  } catch {
    // Somebody made a file in it meanwhile, or there is none yet.
  }
}
over = true;
await writing;
mkdirSync(join(root, '.acode'), { recursive: true });
await write(shared, 'last', 1);
for (const { spillway } of new Set([shared, ...opened])) await spillway.close();
console.log(JSON.stringify(counts));

async function write({ spillway, workspace: { scope } }, name, most = Number.POSITIVE_INFINITY) {
  for (let i = 0; (i < most && !over) || i < Math.min(most, 1); i++) {
    const text = i % 3 === 0 ? `short ${i}` : `line of ${name} ${i}\n`.repeat(1_000);
    const call = { tool: 't', session: 's', scope, callId: `${name}-${i}`, input: { i: i % 4 } };
    const { projection } = await spillway.process(call, { kind: 'text', text });
    if (projection.text.length > 8_000) throw new Error('over the limit');
    counts[(await spillway.sealed({ projection })) === null ? 'unstored' : 'stored']++;
  }
}
