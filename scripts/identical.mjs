// Shows that a change changes nothing that is shown: projects many texts in many ways with a built
// checkout, and compares a digest of every projection, metadata and fetched pages included, with
// those that are stored beside the tests.
//   node scripts/identical.mjs [--of DIR] [--only SET,SET] [--every N] [--keep DIR] [--write]
//   node scripts/identical.mjs --before DIR [--of DIR] [--only SET,SET] [--every N] [--keep DIR] [FOLDER]...
// Sets (identical/cases.mjs): `positional`, cuts by position with nothing preserved, which no change
// of judgement touches; `general`, strategies and calls; `wide`, other ways in and out; `large`, a
// stream of 64 MB, which only runs if it is named. Texts: the fixtures of this repository, generated
// ones, the corpora beside the checkout (SPILLWAY_CORPORA) if they are there, and FOLDERs.
// `--of` names another checkout; `--before` compares with one instead of with what is stored;
// `--every 10` takes each tenth text; `--keep` writes what is shown into files, to be read or to be
// compared by `diff -r`; `--write` stores what is made now, for a change that is meant to be seen,
// and `positional` only if it is named. Exit code 1: something differs; each difference is named.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { SETS } from './identical/cases.mjs';
import { outcomeOf } from './identical/entries.mjs';
import { textsOf } from './identical/texts.mjs';
import { root } from './toolchain.mjs';

const PROCESSES = 2;
const NAMED_ONLY = ['large'];

/** Prints a line for each text: its set, its name, its own digest, and those of its projections. */
async function printDigests({ of, every, keep, only, shard }, folders) {
  const load = (door) => import(pathToFileURL(join(resolve(of), 'packages/core/dist', door)).href);
  const packages = { core: await load('index.js'), plugin: await load('plugin/index.js') };
  for (const set of only.split(',')) {
    const texts = textsOf(SETS[set].corpora, folders).filter((_, i) => i % Number(every) === 0);
    for (const { name, read } of texts.filter((_, i) => i % PROCESSES === Number(shard))) {
      const digests = [];
      for (const [i, how] of SETS[set].cases.entries()) {
        const outcome = await outcomeOf(packages, name, read(), how);
        digests.push(digestOf(outcome));
        if (keep !== undefined)
          keepFile(join(keep, set, name.replaceAll('/', '_')), `${i}.txt`, how, outcome);
      }
      const content = read();
      const own = digestOf(Buffer.isBuffer(content) ? content : name);
      console.log(`${set}\t${name}\t${own}\t${digests.join(' ')}`);
    }
  }
}

function keepFile(folder, name, { label }, outcome) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `${label}\n${outcome.replaceAll('\\n', '\n')}\n`);
}

function digestOf(content) {
  return createHash('sha256').update(content).digest('base64url').slice(0, 6);
}

/** What a checkout makes, in processes of their own: lines by set. */
async function digestsOf(checkout, { every, keep, only }, folders) {
  const kept = keep === undefined ? [] : ['--keep', keep];
  const asked = [
    '--print',
    '--of',
    checkout,
    '--every',
    every,
    '--only',
    only.join(','),
    ...kept,
    ...folders,
  ];
  const shards = Array.from({ length: PROCESSES }, (_, i) => printed([...asked, '--shard', String(i)]));
  const lines = (await Promise.all(shards)).join('').split('\n').filter(Boolean);
  return new Map(
    only.map((set) => {
      const own = lines.filter((line) => line.startsWith(`${set}\t`));
      return [set, parsed(own.map((line) => line.slice(set.length + 1)))];
    }),
  );
}

async function printed(args) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`Projecting ended with ${code}.`);
  return Buffer.concat(chunks).toString();
}

/** By name. */
function parsed(lines) {
  return new Map(
    lines.map((line) => {
      const [name, text, made] = line.split('\t');
      return [name, { text, made: made.split(' ') }];
    }),
  );
}

const storedFile = (set) => join(root, `packages/core/test/proof/projections/${set}.txt`);

function stored(set) {
  return existsSync(storedFile(set))
    ? parsed(readFileSync(storedFile(set), 'utf8').split('\n').filter(Boolean))
    : new Map();
}

/** Texts that are not known, or not the same, tell nothing. */
function compare(set, before, after) {
  let compared = 0;
  const differing = [];
  for (const [name, { text, made }] of after) {
    const known = before.get(name);
    if (known?.text !== text) continue;
    for (const [i, { label }] of SETS[set].cases.entries()) {
      compared++;
      if (known.made[i] !== made[i]) differing.push(`${set} ${i}: ${name}: ${label}`);
    }
  }
  return { compared, differing };
}

/** Texts that are not here keep what is stored of them. */
function write(set, after) {
  const all = new Map([...stored(set), ...after]);
  const lines = [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { text, made }]) => `${name}\t${text}\t${made.join(' ')}\n`);
  writeFileSync(storedFile(set), lines.join(''));
  console.log(`${set}: ${after.size} of ${all.size} texts written.`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    of: { type: 'string', default: root },
    before: { type: 'string' },
    only: { type: 'string' },
    every: { type: 'string', default: '1' },
    keep: { type: 'string' },
    write: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
    shard: { type: 'string' },
  },
});
const usual = Object.keys(SETS).filter((set) => !NAMED_ONLY.includes(set));
const only = values.only?.split(',') ?? usual.filter((set) => !(values.write && set === 'positional'));
const unknown = only.find((set) => !Object.hasOwn(SETS, set));
if (unknown !== undefined) throw new Error(`--only takes ${Object.keys(SETS).join(', ')}; not ${unknown}.`);
if (values.print) await printDigests(values, positionals);
else if (values.write)
  for (const [set, made] of await digestsOf(values.of, { ...values, only }, positionals)) write(set, made);
else {
  const keptAs = (title) => (values.keep === undefined ? undefined : join(values.keep, title));
  const before =
    values.before === undefined
      ? new Map(only.map((set) => [set, stored(set)]))
      : await digestsOf(values.before, { ...values, keep: keptAs('before'), only }, positionals);
  const after = await digestsOf(values.of, { ...values, keep: keptAs('after'), only }, positionals);
  const results = only.map((set) => compare(set, before.get(set), after.get(set)));
  const compared = results.reduce((sum, result) => sum + result.compared, 0);
  const differing = results.flatMap((result) => result.differing);
  for (const each of differing) console.error(`differs: ${each}`);
  if (differing.length > 0)
    console.error('If it is meant to be seen, store it: node scripts/identical.mjs --write --only SET');
  console.log(`${compared} projections compared, ${differing.length} differ.`);
  process.exitCode = differing.length === 0 && compared > 0 ? 0 : 1;
}
