// The libraries as they are published: lib/ of each package holds one file an entry point and, in
// lib/shared/, what entry points share. Other packages stay outside. Plain names, no comments and no
// source maps: what a person reads in a stack trace is what is in the file.
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './toolchain.mjs';

const THREAD = 'packages/core/src/stores/sqlite/thread';
/** Modules of Node that the core needs in a browser too. */
const FROM_NODE = ['buffer', 'crypto', 'timers/promises', 'zlib'];

/** The entry points with code of a package below packages/: `{ path, file, source }` each. */
export function entriesOf(name) {
  return Object.entries(packageJson(name).exports)
    .filter(([, target]) => target.default !== undefined)
    .map(([path, { types, default: file }]) => ({
      path,
      file: file.replace('./lib/', ''),
      source: join(root, 'packages', name, types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')),
    }));
}

export function packageJson(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

/** A plugin that puts the program of the store's thread where its sources name a file. */
export async function workerCode() {
  // The thread itself starts no other.
  const { output } = await bundled(
    { input: join(root, THREAD, 'worker.ts'), plugins: [codeIs('')] },
    (built) => built.generate({ format: 'cjs', minify: true, codeSplitting: false }),
  );
  return codeIs(output[0].code);
}

function codeIs(code) {
  const filter = { id: /[\\/]thread[\\/]worker-code\.ts$/ };
  const text = `export const WORKER_CODE = ${JSON.stringify(code)};`;
  return { name: 'worker-code', load: { filter, handler: () => text } };
}

/** Writes lib/ of both packages. */
export async function writeLibraries(worker) {
  for (const name of ['core', 'spillway'])
    await replaceFolder(join(root, 'packages', name, 'lib'), async (folder) => {
      await write(folder, name, worker);
      if (name === 'core') await writeForBrowsers(folder);
    });
}

function write(folder, name, worker) {
  const entries = entriesOf(name).map(({ file, source }) => [file.replace(/\.js$/, ''), source]);
  // An entry point that nobody imports by name: tests run the same thread as users do.
  if (name === 'core') entries.push(['shared/worker-code', join(root, THREAD, 'worker-code.ts')]);
  const { dependencies = {}, peerDependencies } = packageJson(name);
  const others = Object.keys({ ...dependencies, ...peerDependencies });
  const external = [/^node:/, ...others.map((other) => new RegExp(`^${other}(/|$)`))];
  return writeModules(folder, { input: Object.fromEntries(entries), external, plugins: [worker] });
}

/** The core for browsers, with what it takes from Node inside. */
function writeForBrowsers(folder) {
  const shim = join(root, 'packages/core/src/browser/node.ts');
  const alias = Object.fromEntries(FROM_NODE.map((name) => [`node:${name}`, shim]));
  return writeModules(folder, {
    input: { browser: join(root, 'packages/core/src/index.ts') },
    platform: 'browser',
    external: [],
    resolve: { alias },
    transform: {
      inject: { Buffer: [shim, 'Buffer'] },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
  });
}

function writeModules(folder, options) {
  return bundled(options, (built) =>
    built.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'shared/[name].js',
      comments: { annotation: true, legal: false, jsdoc: false },
    }),
  );
}

async function bundled(options, work) {
  const built = await rolldown({
    cwd: root,
    platform: 'node',
    external: [/^node:/],
    // How long a plugin took says how busy the machine is, not that something is wrong.
    checks: { pluginTimings: false },
    onwarn(warning) {
      throw new Error(`${warning.code}: ${warning.message}`);
    },
    ...options,
  });
  try {
    return await work(built);
  } finally {
    await built.close();
  }
}

/**
 * Replaces a folder by what `write` makes of an empty one, at once: a program that starts meanwhile
 * finds one or the other.
 */
export async function replaceFolder(folder, write) {
  const aside = `${folder}.${process.pid}`;
  try {
    mkdirSync(aside, { recursive: true });
    await write(aside);
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
