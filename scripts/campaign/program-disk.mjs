// A small disk that the program fills through `truncate`, `exec` and `mcp`: what does not fit is
// said not to be stored, small outputs are stored again at once, a purge works with not a byte
// free, and what was stored before stays whole.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between, chunks, textRange } from './content.mjs';
import { mcpClient } from './mcp.mjs';
import { newWorkspace, run } from './program.mjs';

const EMIT = fileURLToPath(new URL('children/emit.mjs', import.meta.url));
const DISK_MB = 16;

export async function programDisk(scene) {
  const workspace = newWorkspace(scene, 'program-disk');
  const { root } = workspace;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', root], { stdio: 'ignore' });
  } catch {
    return { rounds: 0, numbers: ['not run: mounting is not allowed here'] };
  }
  try {
    mkdirSync(join(root, '.git'));
    return await onSmallDisk(scene, workspace);
  } finally {
    execFileSync('umount', ['-l', root]);
  }
}

async function onSmallDisk({ smoke, random, check, tell }, workspace) {
  const rounds = smoke ? 3 : 24;
  const kept = new Map();
  const counts = { unstored: 0, purges: 0 };
  for (let round = 0; round < rounds; round++) {
    const door = ['truncate', 'exec', 'mcp'][round % 3];
    const bytes = 64 * between(random, 300_000, 700_000);
    const answer = await FILL[door](workspace, `full${round}`, bytes);
    check(/not stored/i.test(answer) && !/art_\d/.test(answer), `${door}: a full disk was not told`);
    counts.unstored++;
    await keep(workspace, `small${round}`, 64 * between(random, 200, 3_000), kept, check);
    if (round % 3 !== 2) continue;
    await checkKept(workspace, kept, check);
    const ballast = join(workspace.root, 'ballast');
    const { bavail, bsize } = statfsSync(workspace.root);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    const { code, stderr } = await run(workspace, ['artifacts', 'clean', '--purge']);
    check(code === 0, `a purge on a full disk: ${stderr.slice(-200)}`);
    counts.purges++;
    kept.clear();
    rmSync(ballast);
    tell(`${round + 1} of ${rounds} rounds`);
  }
  return {
    rounds,
    numbers: [
      `tmpfs of ${DISK_MB} MB: ${counts.unstored} outputs not stored and said so, a small one stored right after each, ${counts.purges} purges with no byte free`,
    ],
  };
}

/** What is answered, in the end, for more than the disk holds. */
const FILL = {
  truncate: async (workspace, name, bytes) =>
    (await run(workspace, ['truncate'], { input: chunks(name, bytes) })).stdout,
  exec: async (workspace, name, bytes) =>
    (await run(workspace, ['exec', '--', process.execPath, EMIT, name, String(bytes)])).stdout,
  async mcp(workspace, name, bytes) {
    const client = mcpClient(workspace);
    const answer = await client.call('emit', { name, bytes });
    await client.close();
    return JSON.stringify(answer);
  },
};

async function keep(workspace, name, bytes, kept, check) {
  const { stdout } = await run(workspace, ['truncate', '--json'], { input: chunks(name, bytes) });
  const id = /"artifact_id":"(art_\w+)"/.exec(stdout)?.[1];
  check(id !== undefined, `${name} was not stored though the one before it was removed again`);
  if (id !== undefined)
    kept.set(
      id,
      createHash('sha256')
        .update(textRange(name, 0, bytes))
        .digest('hex'),
    );
}

async function checkKept(workspace, kept, check) {
  for (const [id, sha256] of kept) {
    const raw = await run(workspace, ['artifacts', 'show', id, '--raw']);
    check(raw.sha256 === sha256, `${id} is not whole any more`);
  }
}
