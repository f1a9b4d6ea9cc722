// A small disk that the program fills through `truncate`, `exec` and `mcp`, below its workspace or
// below the tables of a server: what does not fit is said not to be stored, small outputs are
// stored again, a purge works with not a byte free, and what was stored before stays whole.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between, chunks, textRange } from './content.mjs';
import { mcpClient } from './mcp.mjs';
import { newWorkspace, run } from './program.mjs';
import { Cluster } from './server/cluster.mjs';
import { storeOf } from './stores.mjs';

const EMIT = fileURLToPath(new URL('children/emit.mjs', import.meta.url));
const DISK_MB = 16;
const RESERVE_BYTES = 1_000_000;

export async function programDisk(scene) {
  const site = await (scene.store === 'postgres' ? serverDisk : workspaceDisk)(scene);
  try {
    mkdirSync(site.disk, { recursive: true });
    const { uid, gid } = site;
    const options = `size=${DISK_MB}m,mode=0700,uid=${uid},gid=${gid}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', site.disk], { stdio: 'ignore' });
  } catch {
    await site.end();
    return { rounds: 0, numbers: ['not run: mounting is not allowed here'] };
  }
  try {
    return await onSmallDisk(scene, site, await site.open());
  } finally {
    await site.down();
    execFileSync('umount', ['-l', site.disk]);
    await site.end();
  }
}

/** The disk holds the workspace with its store. */
function workspaceDisk(scene) {
  const workspace = newWorkspace(scene, 'program-disk');
  return {
    disk: workspace.root,
    uid: process.getuid(),
    gid: process.getgid(),
    async open() {
      mkdirSync(join(workspace.root, '.git'));
      return workspace;
    },
    madeRoom() {},
    down() {},
    end() {},
  };
}

/**
 * The disk holds the tables. Rows that were removed give their room back when the server cleans up
 * (VACUUM), and that needs a little room itself: so whoever runs the server keeps a file in reserve.
 */
async function serverDisk(scene) {
  const workspace = newWorkspace(scene, 'server-disk');
  const cluster = await Cluster.make();
  const { uid, gid } = statSync(cluster.folder);
  const disk = join(cluster.folder, 'small');
  const reserve = join(disk, 'reserve');
  let store;
  return {
    disk,
    uid,
    gid,
    async open() {
      await cluster.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
      store = await storeOf('postgres', workspace.root, { onServer: cluster, tablespace: 'small' });
      writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES));
      return { ...workspace, env: store.env };
    },
    async madeRoom() {
      rmSync(reserve);
      await store.query('VACUUM');
      writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES));
    },
    down: () => cluster.crash(),
    end: () => cluster.remove(),
  };
}

async function onSmallDisk({ store, smoke, random, check, tell }, { disk, madeRoom }, workspace) {
  const rounds = smoke ? 3 : store === 'postgres' ? 12 : 24;
  const kept = new Map();
  const counts = { unstored: 0, purges: 0 };
  for (let round = 0; round < rounds; round++) {
    const door = ['truncate', 'exec', 'mcp'][round % 3];
    const bytes = 64 * between(random, 300_000, smoke ? 400_000 : 700_000);
    const answer = await FILL[door](workspace, `full${round}`, bytes);
    check(
      /not stored/i.test(answer) && !/art_\d/.test(answer),
      `${door}: a full disk was not told: ${answer.slice(0, 300)}`,
    );
    counts.unstored++;
    await madeRoom();
    await keep(workspace, `small${round}`, 64 * between(random, 200, 3_000), kept, check);
    if (round % 3 !== 2) continue;
    await checkKept(workspace, kept, check);
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    const { code, stderr } = await run(workspace, ['artifacts', 'clean', '--purge']);
    check(code === 0, `a purge on a full disk: ${stderr.slice(-200)}`);
    counts.purges++;
    kept.clear();
    rmSync(ballast);
    await madeRoom();
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
  check(
    id !== undefined,
    `${name} was not stored though the one before it was removed again: ${stdout.slice(0, 300)}`,
  );
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
