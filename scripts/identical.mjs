// Shows that a change for speed changes nothing that is shown: projects the same texts with two
// built checkouts and compares a digest of every projection, metadata included.
//   node scripts/identical.mjs --before DIR --after DIR [--every N] [--save FILE] [FOLDER]...
// `--before` may also name a file that `--save` wrote earlier. Texts: the fixtures of this
// repository, the corpora beside the checkout (SPILLWAY_CORPORA) if they are there, and FOLDERs.
// `--every 10` takes each tenth text. Exit code 1: something differs; each difference is named.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from './toolchain.mjs';

const LIMITS = [1_000, 4_000, 8_000];
const TOOLS = [
  { strategy: 'auto', tool: 'execute_command', exitCode: 1 },
  { strategy: 'auto', tool: 'execute_command', exitCode: 0 },
  { strategy: 'auto', tool: 'read_file' },
  ...['smart_summary', 'head_tail', 'reading', 'element', 'lines'].map((strategy) => ({
    strategy,
    tool: 'execute_command',
  })),
];
/** Larger texts take longer than they tell. */
const MAX_BYTES = 300_000;

/** Prints a line for each projection that a checkout makes: its name, a tab, its digest. */
async function digests(checkout, every, folders) {
  const core = await import(pathToFileURL(join(resolve(checkout), 'packages/core/dist/index.js')).href);
  for (const [i, file] of texts(folders).entries())
    for (const one of i % every === 0 ? TOOLS : [])
      for (const limit of LIMITS) {
        const shown = await projected(core, file, one, limit);
        const digest = createHash('sha256').update(shown).digest('base64url');
        const exit = one.exitCode === undefined ? '' : ` exit ${one.exitCode}`;
        console.log(`${file} ${one.strategy} ${one.tool}${exit} ${limit}\t${digest}`);
      }
}

async function projected({ memoryStore, Spillway }, file, { strategy, tool, exitCode }, limit) {
  let drawn = 0;
  const random = (count) => Uint8Array.from({ length: count }, () => drawn++ & 255);
  const spillway = new Spillway({ store: memoryStore(), clock: () => 1_700_000_000_000, random });
  const input = tool === 'read_file' ? { path: file } : { command: 'make' };
  const call = { tool, session: 'identical', scope: 'identical', input };
  const outcome =
    exitCode === undefined ? {} : { outcome: { status: exitCode === 0 ? 'ok' : 'error', exitCode } };
  const text = readFileSync(file, 'utf8');
  const { projection } = await spillway.process(
    call,
    { kind: 'text', text },
    { policy: { strategy, inlineLimit: limit }, ...outcome },
  );
  await spillway.close();
  return JSON.stringify(projection);
}

function texts(folders) {
  const corpora = process.env.SPILLWAY_CORPORA ?? resolve(root, '../shared/corpora');
  return [join(root, 'packages/core/test/fixtures'), corpora, ...folders]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((file) => !/\.bin$|LICENSES/.test(file))
    .filter((file) => statSync(file).isFile() && statSync(file).size <= MAX_BYTES)
    .sort();
}

/** The digests of a checkout, made by a process of its own, or those in a file. */
async function digestsOf(where, every, folders) {
  if (statSync(where).isFile()) return readFileSync(where, 'utf8');
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), '--digests', where, '--every', String(every), ...folders],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`Projecting with ${where} ended with ${code}.`);
  return Buffer.concat(chunks).toString();
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    every: { type: 'string', default: '1' },
    save: { type: 'string' },
    digests: { type: 'string' },
  },
});
const every = Number(values.every);
if (values.digests !== undefined) await digests(values.digests, every, positionals);
else {
  const [before, after] = await Promise.all(
    [values.before, values.after].map((given) => digestsOf(given, every, positionals)),
  );
  if (values.save !== undefined) writeFileSync(values.save, after);
  const known = new Map(before.split('\n').map((line) => line.split('\t')));
  const made = after.trim().split('\n');
  const differing = made
    .map((line) => line.split('\t'))
    .filter(([name, digest]) => known.get(name) !== digest);
  for (const [name] of differing) console.error(`differs: ${name}`);
  console.log(`${made.length} projections, ${differing.length} differ.`);
  process.exitCode = differing.length === 0 ? 0 : 1;
}
