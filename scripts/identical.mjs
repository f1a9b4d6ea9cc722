// Shows that a change for speed changes nothing that is shown: projects many texts by several
// strategies and limits with a built checkout, and compares a digest of every projection, metadata
// included, with those that are stored beside the tests.
//   node scripts/identical.mjs [--of DIR] [--every N] [--write]
//   node scripts/identical.mjs --before DIR [--of DIR] [--every N] [FOLDER]...
// Texts: the fixtures of this repository, the corpora beside the checkout (SPILLWAY_CORPORA) if
// they are there, and FOLDERs. `--of` names another checkout; `--before` compares with one instead
// of with what is stored; `--every 10` takes each tenth text; `--write` stores what is made now,
// for a change that is meant to be seen. Exit code 1: something differs; each difference is named.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from './toolchain.mjs';

const STORED = join(root, 'packages/core/test/proof/projections.txt');
const LIMITS = [1_000, 4_000, 8_000];
const CALLS = [
  { strategy: 'auto', tool: 'execute_command', exitCode: 1 },
  { strategy: 'auto', tool: 'execute_command', exitCode: 0 },
  { strategy: 'auto', tool: 'read_file' },
  ...['smart_summary', 'head_tail', 'reading', 'element', 'lines'].map((strategy) => ({
    strategy,
    tool: 'execute_command',
  })),
];
/** In the order of the digests of a text. */
const PROJECTIONS = CALLS.flatMap((call) => LIMITS.map((limit) => ({ ...call, limit })));
/** Larger texts take longer than they tell. */
const MAX_BYTES = 300_000;

/** Prints a line for each text: its name, its own digest, and those of its projections. */
async function printDigests(checkout, every, folders) {
  const core = await import(pathToFileURL(join(resolve(checkout), 'packages/core/dist/index.js')).href);
  for (const { name, file } of textsIn(folders).filter((_, i) => i % every === 0)) {
    const text = readFileSync(file, 'utf8');
    const made = [];
    for (const how of PROJECTIONS) made.push(digestOf(await projected(core, name, text, how)));
    console.log(`${name}\t${digestOf(text)}\t${made.join(' ')}`);
  }
}

async function projected({ memoryStore, Spillway }, name, text, { strategy, tool, exitCode, limit }) {
  let drawn = 0;
  const random = (count) => Uint8Array.from({ length: count }, () => drawn++ & 255);
  const spillway = new Spillway({ store: memoryStore(), clock: () => 1_700_000_000_000, random });
  const input = tool === 'read_file' ? { path: name } : { command: 'make' };
  const call = { tool, session: 'identical', scope: 'identical', input };
  const outcome =
    exitCode === undefined ? {} : { outcome: { status: exitCode === 0 ? 'ok' : 'error', exitCode } };
  const { projection } = await spillway.process(
    call,
    { kind: 'text', text },
    { policy: { strategy, inlineLimit: limit }, ...outcome },
  );
  await spillway.close();
  return JSON.stringify(projection);
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}

/** The texts by names that are the same in every checkout. */
function textsIn(folders) {
  const corpora = process.env.SPILLWAY_CORPORA ?? resolve(root, '../shared/corpora');
  const known = [
    ['fixtures', join(root, 'packages/core/test/fixtures')],
    ['corpora', corpora],
    ...folders.map((folder) => [folder, folder]),
  ];
  return known
    .filter(([, folder]) => existsSync(folder))
    .flatMap(([title, folder]) =>
      readdirSync(folder, { recursive: true }).map((name) => ({
        name: `${title}/${name}`,
        file: join(folder, name),
      })),
    )
    .filter(({ name }) => !/\.bin$|LICENSES|[\t\n]/.test(name))
    .filter(({ file }) => statSync(file).isFile() && statSync(file).size <= MAX_BYTES)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a checkout makes, in a process of its own. */
async function digestsOf(checkout, every, folders) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), '--print', '--of', checkout, '--every', String(every), ...folders],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`Projecting with ${checkout} ended with ${code}.`);
  return parsed(Buffer.concat(chunks).toString());
}

/** By name. */
function parsed(lines) {
  return new Map(
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [name, text, made] = line.split('\t');
        return [name, { text, made: made.split(' ') }];
      }),
  );
}

/** Texts that are not known, or not the same, tell nothing. */
function compare(before, after) {
  let compared = 0;
  const differing = [];
  for (const [name, { text, made }] of after) {
    const known = before.get(name);
    if (known?.text !== text) continue;
    for (const [i, { strategy, tool, exitCode, limit }] of PROJECTIONS.entries()) {
      compared++;
      const ended = exitCode === undefined ? '' : `, exit code ${exitCode}`;
      if (known.made[i] !== made[i])
        differing.push(`${name}: ${strategy} at ${limit} chars, ${tool}${ended}`);
    }
  }
  return { compared, differing };
}

/** Texts that are not here keep what is stored of them. */
function write(after) {
  const all = new Map([...(existsSync(STORED) ? parsed(readFileSync(STORED, 'utf8')) : []), ...after]);
  const lines = [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { text, made }]) => `${name}\t${text}\t${made.join(' ')}\n`);
  writeFileSync(STORED, lines.join(''));
  console.log(`${after.size} of ${all.size} texts written.`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    of: { type: 'string', default: root },
    before: { type: 'string' },
    every: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
  },
});
const every = Number(values.every);
if (values.print) await printDigests(values.of, every, positionals);
else if (values.write) write(await digestsOf(values.of, every, positionals));
else {
  const [before, after] = await Promise.all([
    values.before === undefined
      ? parsed(readFileSync(STORED, 'utf8'))
      : digestsOf(values.before, every, positionals),
    digestsOf(values.of, every, positionals),
  ]);
  const { compared, differing } = compare(before, after);
  for (const each of differing) console.error(`differs: ${each}`);
  if (differing.length > 0)
    console.error('If the change is meant to be seen, store it: node scripts/identical.mjs --write');
  console.log(`${compared} projections compared, ${differing.length} differ.`);
  process.exitCode = differing.length === 0 && compared > 0 ? 0 : 1;
}
