// Configuration files of a workspace that somebody else wrote: mutated, huge, deep, or asking for
// what a workspace may not have. The program runs under valid ones within its ceiling, and passes
// over the others with one message that names the file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between } from '../content.mjs';
import { removeFolder } from '../remove-folder.mjs';
import { program } from './program.mjs';
import { hostileText, pick } from './shapes.mjs';

/** What an untrusted file may at most make of `inline_limit`, with the notice. */
const CEILING = 100_000;
const FILES = ['.acode/config.yml', 'tools.yaml', '.env', '.acode/tools.yaml'];
const ASKING = [
  'tools: { truncation: { inline_limit: 2000000000 } }',
  'tools: { truncation: { strategy: none } }',
  'tools: { truncation: { overrides: { truncate: { max_chars: 900000000 } } } }',
  'spillway: { store: /tmp/elsewhere }',
  'spillway: { retention: session }',
  'tools: { truncation: { on_over_max: reject } }',
  'truncation: { inline_limit: 2000000000 }',
  'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]',
  'tools: !!js/function "x"',
  'TRUNCATION_MAX_CHARS=2000000000',
  'SPILLWAY_STORE=/tmp/elsewhere',
];

export async function hostileSettings({ folder, smoke, random, check }) {
  const rounds = smoke ? 4 : 150;
  const text = 'a line of output\n'.repeat(20_000);
  let [ran, passedOver] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const cwd = join(folder, `settings-${round}`);
    mkdirSync(join(cwd, '.acode'), { recursive: true });
    const file = pick(random, FILES);
    writeFileSync(
      join(cwd, file),
      between(random, 0, 2) > 0 ? pick(random, ASKING) : hostileText(random, 20_000),
    );
    const { code, stdout, crashed, stderr } = await program(['truncate'], {
      cwd,
      home: join(cwd, 'home'),
      input: text,
    });
    check(!crashed, `settings ${round} (${file}): ${stderr.slice(0, 80)}`);
    check(code === 0, `settings ${round} (${file}): exit code ${code}`);
    check(stdout.length <= CEILING, `settings ${round} (${file}): ${stdout.length} bytes are shown`);
    if (stderr.includes('are not used until that is corrected')) passedOver += 1;
    else ran += 1;
    removeFolder(cwd);
  }
  return {
    rounds,
    numbers: [`${rounds} hostile settings files: ${ran} ran within the ceiling, ${passedOver} passed over`],
  };
}
