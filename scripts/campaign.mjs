// The campaign: load, faults and kills against the program as a user installs it, and against the
// built packages; every round is checked byte by byte. `npm run campaign` takes about half an hour
// and writes docs/campaign.md; `--smoke` takes a sample of each scenario in under a minute and
// writes nothing. `--seed N` repeats a run (what is killed when depends on the machine as well);
// `--only a,b` runs some scenarios and writes nothing unless `--out FILE` says so.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agent } from './campaign/agent.mjs';
import { attacks } from './campaign/attacks.mjs';
import { randomOf } from './campaign/content.mjs';
import { diskFull } from './campaign/disk-full.mjs';
import { doors } from './campaign/doors.mjs';
import { clocks, damages, interruptions } from './campaign/faults.mjs';
import { kills } from './campaign/kills.mjs';
import { matrix } from './campaign/matrix.mjs';
import { programDisk } from './campaign/program-disk.mjs';
import { programKills } from './campaign/program-kills.mjs';
import { manyOutputs, ranges, size } from './campaign/sizes.mjs';
import { soak } from './campaign/soak.mjs';

const SCENARIOS = [
  {
    name: 'doors',
    run: doors,
    checked:
      'the program of the packed packages with a log of 600 MB through every command that takes or gives a whole output, and 120 MB of every kind of content through truncate: exact, exit code 0, a peak of at most 150 MB of resident memory with the default heap',
  },
  {
    name: 'program kills',
    run: programKills,
    checked:
      'kill -9 of the program in the middle of truncate, exec and mcp in one workspace: outputs whose handle was told are whole, of others there is an exact prefix or nothing, the store opens',
  },
  {
    name: 'program disk',
    run: programDisk,
    checked:
      'a small disk filled through truncate, exec and mcp: not stored is said, a small output is stored right after, a purge works with no byte free, earlier outputs are whole',
  },
  {
    name: 'soak',
    run: soak,
    checked:
      'the gateway over pipes and over HTTP with 10,000 calls each, a fifth cancelled with 10 KB of arguments, three crashes of the server, then 200 calls at once: every call answered with its own text, at most 200 MB resident afterwards',
  },
  {
    name: 'matrix',
    run: matrix,
    checked:
      'MCP servers from npm with real clients, directly and through the gateway (gateway-matrix.md has the table): the same tools, identical small results, large ones exact through get_artifact',
  },
  {
    name: 'size',
    run: size,
    checked:
      'a 2 GB stream through each strategy and into SQLite with a heap of 64 MB, a part that is one 2 GB line, a million tiny parts: stored in full, projection within 8,000 chars, memory bounded',
  },
  {
    name: 'ranges',
    run: ranges,
    checked: 'lines and chars at the start, middle and end of the 2 GB output: exact, and as fast',
  },
  {
    name: 'many',
    run: manyOutputs,
    checked: 'seal, find, line range and list page in a store of 100,000 outputs beside one of 1,000',
  },
  {
    name: 'kills',
    run: kills,
    checked:
      'kill -9 of four concurrent writers at random moments: sealed outputs whole, unsealed ones incomplete with an exact prefix, the rest untouched, the store opens',
  },
  {
    name: 'agent',
    run: agent,
    checked:
      'an agent of 10,000 turns with random tools, killed and started again: every result whole, every call with its result, nothing rendered in its history, memory flat; how much of each prompt stayed the same',
  },
  {
    name: 'disk',
    run: diskFull,
    checked:
      'a full disk: the projection says not stored, earlier outputs stay whole, what was said not to be stored never comes back (half of the processes are killed right after), storing goes on once there is room',
  },
  {
    name: 'damage',
    run: damages,
    checked:
      'the store file removed, cut off, with random bytes overwritten, or read-only, under a running process: no crash, no wrong byte, errors of ours only, a new output is stored or said not to be',
  },
  {
    name: 'clock',
    run: clocks,
    checked: 'a clock that jumps: ids unique and valid, listing in order of sealing, idle sessions right',
  },
  {
    name: 'signals',
    run: interruptions,
    checked:
      'SIGTERM and SIGINT while `spillway truncate` reads a pipe: what had arrived kept and marked incomplete, exit code 128 + n',
  },
  {
    name: 'attacks',
    run: attacks,
    checked:
      'hostile output, forged imports, peers, settings files, planted stores: projections within their limits, every byte back, errors of ours only, nothing outside of its folder or scope, no crash',
  },
];

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    smoke: { type: 'boolean', default: false },
    only: { type: 'string' },
    out: { type: 'string' },
  },
});
const { smoke } = values;
const seed = Number(values.seed);
const chosen = values.only?.split(',');
const out = values.out ?? (smoke || chosen ? null : new URL('../docs/campaign.md', import.meta.url));

const [load] = loadavg();
const folder = mkdtempSync(join(tmpdir(), 'spillway-campaign-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const began = performance.now();
const results = [];
let kept;
for (const [i, { name, run, checked }] of SCENARIOS.entries()) {
  // Ranges are read from what `size` stored.
  if (chosen && !chosen.includes(name) && !(name === 'size' && chosen.includes('ranges'))) continue;
  const failures = [];
  let checks = 0;
  const check = (holds, failure) => {
    checks++;
    if (!holds) failures.push(failure);
  };
  const before = performance.now();
  const tell = (line) =>
    console.log(`    … ${line} (${((performance.now() - before) / 1_000).toFixed(0)} s)`);
  console.log(`  ${name}`);
  let done = { rounds: 0, numbers: [] };
  try {
    done = await run({ folder, smoke, random: randomOf(seed * 1_000 + i), check, kept, tell });
  } catch (error) {
    failures.push(error.message);
  }
  kept = done.kept ?? kept;
  const seconds = (performance.now() - before) / 1_000;
  results.push({ name, checked, seconds, checks, failures, ...done });
  console.log(
    `${failures.length === 0 ? '✓' : '✗'} ${name}: ${done.rounds} rounds, ${checks} checks, ${seconds.toFixed(0)} s`,
  );
  if (name !== 'size') for (const line of done.numbers) console.log(`    ${line}`);
  for (const failure of failures.slice(0, 20)) console.error(`    ✗ ${failure}`);
}
const minutes = (performance.now() - began) / 60_000;
if (out !== null) writeFileSync(out, report());
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;

function report() {
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = results.map(({ name, checked, rounds, checks, failures, numbers }) => {
    const result =
      failures.length === 0
        ? `held (${checks.toLocaleString('en')} checks)`
        : `**failed**: ${failures.slice(0, 3).join('; ')}`;
    return `| ${name} | ${cell(checked)} | ${rounds.toLocaleString('en')} | ${cell(result)} | ${cell(numbers.join('<br>'))} |`;
  });
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  const machine = `${availableParallelism()} cores (${cpu}), ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}, ${platform()}; load ${load.toFixed(1)} at the start`;
  return `# Campaign

What Spillway promises, under load, faults and kills. Written by \`npm run campaign\`, which packs the packages and installs them in an empty folder first; \`npm run campaign -- --smoke\` runs a sample of it in
under a minute. Memory is the peak of the whole process; times leave out the making of the text.

- ${new Date().toISOString().slice(0, 10)}, commit ${commit()}
- ${machine}
- seed ${seed}, ${minutes.toFixed(0)} minutes

| scenario | what was checked | rounds | result | numbers |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function commit() {
  try {
    const changed = execFileSync('git', ['status', '--porcelain', 'packages'], { encoding: 'utf8' }) !== '';
    const id = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
    return changed ? `${id} with changes` : id;
  } catch {
    return 'unknown';
  }
}
