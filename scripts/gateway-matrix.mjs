// The matrix of MCP servers and clients: `node scripts/gateway-matrix.mjs` installs servers of npm
// in a cache folder, uses each with each client directly and through the gateway, and writes
// docs/gateway-matrix.md from what happened. Needs a build and the registry of npm. `--servers a,b`
// and `--clients a,b` run those whose name contains one of the words, and write nothing. `--resume`
// goes on after a run that was interrupted: cells that it had finished are not run again.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CACHE } from './matrix/packages.mjs';
import { matrixReport } from './matrix/report.mjs';
import { runMatrix } from './matrix/run.mjs';
import { installPacked } from './packed.mjs';
import { root } from './toolchain.mjs';

const { values } = parseArgs({
  options: { servers: { type: 'string' }, clients: { type: 'string' }, resume: { type: 'boolean' } },
});
const only = { servers: values.servers?.split(','), clients: values.clients?.split(',') };
const unfinished = join(CACHE, 'unfinished.json');
const cells = values.resume === true ? JSON.parse(readFileSync(unfinished, 'utf8')) : [];
const isDone = (server, client) => cells.some((cell) => cell.server === server && cell.client === client);
const report = (cell) => {
  cells.push(cell);
  writeFileSync(unfinished, JSON.stringify(cells));
  const { server, client, way, failures, unable } = cell;
  const mark = failures.length > 0 ? '✗' : unable ? '–' : '✓';
  console.log(`${mark} ${server} · ${client} · ${way}${unable ? ` (directly: ${unable})` : ''}`);
  for (const failure of failures) console.log(`    ${failure}`);
};
const how = build();
const folder = mkdtempSync(join(tmpdir(), 'spillway-packed-'));
const program = join(installPacked(folder), 'node_modules/spillway/bin/spillway.js');
const ran = await runMatrix({ program, only, isDone, report });
rmSync(folder, { recursive: true, force: true });
rmSync(unfinished, { force: true });
for (const { name, why } of ran.absent) console.log(`– ${name} is absent: ${why}`);
if (only.servers === undefined && only.clients === undefined)
  writeFileSync(join(root, 'docs/gateway-matrix.md'), matrixReport(ran, cells, how));
process.exit(cells.some(({ failures }) => failures.length > 0) ? 1 : 0);

function build() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', 'packages') === '' ? '' : ' with changes';
  const runs = values.resume === true ? 'in several runs, the earlier ones of other builds' : 'in one run';
  return `commit ${git('rev-parse', '--short', 'HEAD')}${changed}, ${runs}`;
}
