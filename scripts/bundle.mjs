// Bundles what is published, so that a few files are loaded instead of hundreds. The program:
// packages/spillway/src/main.ts with all it needs becomes packages/spillway/program/, one file a
// command and what they share. The libraries: lib/ of each package, one file an entry point of its
// package.json and what they share (libraries.mjs). Works from the sources, needs no build: node
// scripts/bundle.mjs. As a set-up of vitest it bundles when a source is newer.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { lazyRequires } from './lazy-requires.mjs';
import { entriesOf, packageJson, replaceFolder, workerCode, writeLibraries } from './libraries.mjs';
import { librariesIn, licenceTexts } from './licences.mjs';
import { brokenSource } from './mutation/broken.mjs';
import { root } from './toolchain.mjs';

const program = join(root, 'packages', 'spillway', 'program');
const packages = ['core', 'spillway'];

/** Bundles all of it. */
export async function bundle() {
  const worker = await workerCode();
  await writeLibraries(worker);
  await replaceFolder(program, async (aside) => {
    const bundled = await writeProgram(aside, worker);
    writeFileSync(join(aside, 'package.json'), '{ "type": "commonjs" }\n');
    writeFileSync(join(aside, 'LICENSES.txt'), licenceTexts(bundled));
    writeFileSync(
      join(aside, 'entry'),
      readdirSync(aside).find((name) => name.startsWith('main-')),
    );
  });
}

/**
 * What belongs together in a file: what every command needs to be found, what every command needs
 * that stores, each library, and what only some outputs or some commands need. A file loads with
 * the first use of anything in it.
 */
const GROUPS = [
  ...['yaml', 're2js', 'json-p3', 'jsonc-parser', 'pino', '@decimalturn/toml-patch'].map((library) => ({
    name: `libraries/${library}/dist/index`,
    test: new RegExp(String.raw`node_modules[\\/](${withDependencies(library).join('|')})[\\/]`),
    priority: 4,
  })),
  {
    name: 'common',
    test: /rolldown[\\/-]runtime|spillway[\\/]src[\\/](byte-source|clock|fields|flags|memory|output|sentences|terminal|config[\\/]call-flags|commands[\\/]answering|exec[\\/]live-output)\.ts$|core[\\/]src[\\/](model[\\/]errors|text[\\/]nearest)\.ts$/,
    priority: 3,
  },
  {
    // What every hook needs to read what it is given.
    name: 'hooks',
    test: /spillway[\\/]src[\\/](own-program|hook[\\/](hook-agent|persisted-text))\.ts$/,
    priority: 3,
  },
  {
    // What is needed before a server is started: it starts while the rest loads.
    name: 'server-start',
    test: /spillway[\\/]src[\\/](commands[\\/]mcp[\\/]flags|gateway[\\/](connecting|server-process))\.ts$/,
    priority: 3,
  },
  ...[
    [
      'looking',
      'table/|vocabulary/|strategies/(?!reading)|detect/|formats/(index|by-line/)|formats/[\\w-]+/(index|address|recognise|writing|plan|lines|paths|cells|odd|layout)\\.ts|retrieval/stored-parts\\.ts|engine/(kept-rows|text-table)|text/(cleaner|sequence|cover|allocate|ruler|heap|stamps)|projection/price|wording/json-gap',
    ],
    [
      // What neither a text that is shown whole nor a log that is cut needs.
      'further',
      'strategies/reading|capture/(holding|late-parts)|stores/(codecs|standby/conversation|sqlite/failures)|wording/(refused-\\w+|history|pages|parse-projection|xml-gap)\\.ts|text/(glob|lines|stop-words|name-scan|numbered-blank|query|frames)\\.ts|policy/profiles',
    ],
    ['retrieval', 'retrieval/|formats/[\\w-]+/(find|paths)|engine/baseline'],
    ['elements', 'formats/'],
    ['history', 'history/'],
    ['upkeep', 'stores/sqlite/(archiving|retiring|purging|messages|evicting|thread/)'],
  ].map(([name, paths]) => ({
    name,
    test: new RegExp(`core/src/(${paths})`.replaceAll('/', String.raw`[\\/]`)),
    priority: 2,
  })),
  {
    name: 'engine',
    test: /core[\\/]src[\\/]|spillway[\\/]src[\\/](accounts|folder-store|open|shared-store|store-size|named-file|own-folders|paths|patterns|plain-copies|progress|find-workspace|config[\\/](?!schema|set|reload).*|commands[\\/](answering|command-hint))\.ts$/,
    minShareCount: 3,
    priority: 1,
  },
];

/**
 * A library and what it needs: libraries may do work when they are loaded, so they do not wait for
 * each other's first use.
 */
function withDependencies(library) {
  const { dependencies = {} } = JSON.parse(
    readFileSync(join(root, 'node_modules', library, 'package.json'), 'utf8'),
  );
  return [library, ...Object.keys(dependencies).flatMap(withDependencies)];
}

/**
 * A file as `bin/spillway.js` loads it: a function. Text of one byte a char is read, held and
 * compiled at half the cost.
 */
const wrapped = {
  name: 'wrapped',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      const ascii = file.code.replace(
        /[\u0080-\uffff]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      file.code = `(function (exports, require, module, __filename, __dirname) {${ascii}\n})`;
    }
  },
};

/** Bundles the program into `folder`; the names of the libraries that went into it. */
async function writeProgram(folder, worker) {
  const built = await rolldown({
    cwd: root,
    input: { main: join(root, 'packages/spillway/src/main.ts') },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: [/^node:/, ...optionalPeers()],
    // What `main` names there asks for its parts in a way that no bundler can follow.
    resolve: { alias: { ...coreSources(), 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    plugins: [brokenSource(), worker, lazyRequires((name) => name.startsWith('libraries/')), wrapped],
    // How long a plugin took says how busy the machine is, not that something is wrong.
    checks: { pluginTimings: false },
    onwarn(warning) {
      throw new Error(`${warning.code}: ${warning.message}`);
    },
  });
  const { output } = await built.write({
    dir: folder,
    // Node loads CommonJS with half the ceremony of modules, and this is all about the start.
    format: 'cjs',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false },
  });
  await built.close();
  return librariesIn(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

/** The set-up of vitest: tests run the bundled program, and must never see a stale one. */
export default async function bundleIfStale() {
  const bundled = join(program, 'entry');
  const at = existsSync(bundled) ? statSync(bundled).mtimeMs : 0;
  const stale = packages.some((name) => newestBelow(join(root, 'packages', name, 'src')) > at);
  if (stale || statSync(fileURLToPath(import.meta.url)).mtimeMs > at) await bundle();
}

/** `@spillway/core` and its entry points, as sources. */
function coreSources() {
  const { name } = packageJson('core');
  // The longest first: an alias also stands for what begins with it.
  return Object.fromEntries(
    entriesOf('core')
      .map(({ path, source }) => [name + path.slice(1), source])
      .sort(([a], [b]) => b.length - a.length),
  );
}

/**
 * Left out of the bundle: the program looks for them when it runs. The API of OpenTelemetry is in
 * it, because it finds the host's set-up by itself, wherever that was loaded from.
 */
function optionalPeers() {
  return Object.keys(packageJson('spillway').peerDependencies).filter(
    (name) => name !== '@opentelemetry/api',
  );
}

function newestBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const times = entries
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
  return Math.max(0, ...times);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle();
}
