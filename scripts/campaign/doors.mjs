// Every door of the program with an output far larger than its memory may be: what is stored is
// exact, and its peak of resident memory stays low.
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { mcpClient } from './mcp.mjs';
import { newWorkspace, run } from './program.mjs';
import { removeFolder } from './remove-folder.mjs';
import { KINDS, shaped } from './shapes.mjs';

const MOST_MB = 150;
/** A gateway has a server's messages in hand as well. */
const MOST_MB_OF_GATEWAY = 170;

export async function doors(scene) {
  const { smoke, check, tell } = scene;
  const [large, other] = smoke ? [12_000_000, 4_000_000] : [600_000_000, 120_000_000];
  const rows = [];
  const within = (what, { code, peakMb, stderr }, mostMb = MOST_MB) => {
    check(code === 0, `${what}: exit code ${code}: ${stderr.slice(-200)}`);
    check(peakMb <= mostMb, `${what}: ${peakMb.toFixed(0)} MB of memory`);
    rows.push(`${what}: ${peakMb.toFixed(0)} MB`);
    tell(rows.at(-1));
  };
  await throughAll(scene, large, within);
  for (const kind of smoke ? KINDS.slice(1, 3) : KINDS.slice(1)) {
    const workspace = newWorkspace(scene, `doors-${kind}`);
    const file = join(workspace.root, 'input');
    const sha256 = writeInput(file, kind, other);
    const ran = await run(workspace, ['truncate', 'input', '--json']);
    within(`truncate ${kind}, ${other / 1e6} MB`, ran);
    await checkExact(workspace, handleIn(ran), sha256, kind, check);
    removeFolder(workspace.root);
  }
  return { rounds: rows.length, numbers: rows };
}

/** One log through everything that takes or gives a whole output. */
async function throughAll(scene, bytes, within) {
  const { check } = scene;
  const size = `${bytes / 1e6} MB`;
  const workspace = newWorkspace(scene, 'doors');
  const file = join(workspace.root, 'input');
  const sha256 = writeInput(file, 'log', bytes);
  const stored = await run(workspace, ['truncate', 'input', '--json', '--session', 'doors']);
  within(`truncate FILE, ${size}`, stored);
  const id = handleIn(stored);
  within('truncate < pipe', await run(workspace, ['truncate', '--session', 'piped'], { input: file }));
  within('exec', await run(workspace, ['exec', '--session', 'run', '--', 'cat', 'input']));
  within('artifacts show --raw', await checkExact(workspace, id, sha256, 'the log', check));
  within('artifacts show --lines', await run(workspace, ['artifacts', 'show', id, '--lines', '1000-1020']));
  within(
    'artifacts grep --count',
    await run(workspace, ['artifacts', 'grep', 'ERROR worker-7 ', id, '--count']),
  );
  within('artifacts export', await run(workspace, ['artifacts', 'export', id, '--to', 'out']));
  const lines = join(workspace.root, 'session.jsonl');
  const exported = await run(workspace, ['sessions', 'export', 'doors'], { to: lines });
  within('sessions export', exported);
  removeFolder(join(workspace.root, 'out'));
  const other = newWorkspace(scene, 'doors-import');
  within('sessions import', await run(other, ['sessions', 'import', lines]));
  await checkExact(other, id, sha256, 'the imported log', check);
  removeFolder(other.root);
  const client = mcpClient(newWorkspace(scene, 'doors-mcp'));
  const answer = await client.call('emit', { name: 'gateway', bytes });
  check(/art_\w+/.test(JSON.stringify(answer)), 'mcp: no handle was told');
  within('mcp', await client.close(), MOST_MB_OF_GATEWAY);
  removeFolder(workspace.root);
}

async function checkExact(workspace, id, sha256, what, check) {
  const raw = await run(workspace, ['artifacts', 'show', id, '--raw']);
  check(raw.sha256 === sha256, `${what} does not come back as it was`);
  return raw;
}

function handleIn({ stdout }) {
  return /"artifact_id":"(art_\w+)"/.exec(stdout)?.[1] ?? 'none';
}

function writeInput(path, kind, bytes) {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  for (const chunk of shaped(kind, bytes, 1)) {
    hash.update(chunk);
    writeSync(file, chunk);
  }
  closeSync(file);
  return hash.digest('hex');
}
