// Tests the packages as a user gets them: packs both, installs the tarballs in an empty folder, and
// uses them on every Node version that matters. On a Node that is too old the program must say so
// in one sentence. Then the hooks of all agents, the gateway, and the program on Bun. Needs a build.
// The Node versions and Bun come from npm and stay in .cache. With --this-node: only on the Node that
// runs it, and only packages and program.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { checkPacked } from './packed.mjs';
import { checkGateway } from './packed-gateway.mjs';
import { checkHooks } from './packed-hooks.mjs';
import { bunBinary, nodeBinary, root } from './toolchain.mjs';

// The first is the oldest that `engines` allows.
const supported = ['22.13.0', '22.23.3', '24.21.0', '26.10.0'];
const tooOld = ['20.20.2', '18.20.8'];
const entries = [
  '@spillway/core',
  '@spillway/core/history',
  '@spillway/core/anthropic',
  '@spillway/core/ai-sdk',
  '@spillway/core/google-genai',
  '@spillway/core/mastra',
  '@spillway/core/messages',
  '@spillway/core/plugin',
  '@spillway/core/testing',
  '@spillway/core/store',
  '@spillway/core/store/sqlite',
  'spillway',
  'spillway/observe',
  'spillway/opencode',
  'spillway/pi',
  'spillway/store/postgres',
];
/** Their types need the framework, which is not installed here. */
const FRAMEWORKS = /\/(?:anthropic|ai-sdk|google-genai|mastra|langchain|openai-agents)$/;

await checkPacked([], async ({ app, folder, check }) => {
  check('the licences of what is bundled are in the package', shipsLicences(app));
  checkTypes({ app, check });
  if (process.argv.includes('--this-node'))
    return checkSupported({ app, check }, process.versions.node, process.execPath);
  for (const version of supported) checkSupported({ app, check }, version, nodeBinary(version));
  for (const version of tooOld) checkTooOld({ app, check }, version);
  checkHooks({
    home: app,
    run: (args) => runProgram(app, process.execPath, 'spillway', args),
    evaluate: (text) => run(app, process.execPath, ['--input-type=module', '--eval', text]),
    check,
  });
  const workspace = join(folder, 'workspace');
  mkdirSync(join(workspace, '.git'), { recursive: true });
  await checkGateway({
    program: [process.execPath, join(app, 'node_modules', 'spillway', 'bin', 'spillway.js')],
    folder: workspace,
    env: { ...process.env, HOME: workspace },
    check,
  });
  checkBun({ app, check });
});

function shipsLicences(app) {
  const listed = {
    program: ['yaml', 're2js', 'json-p3', 'pino'],
    inspector: ['preact', 'lucide', '@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono'],
  };
  return Object.entries(listed).every(([part, names]) => {
    const text = readFileSync(join(app, 'node_modules', 'spillway', part, 'LICENSES.txt'), 'utf8');
    return names.every((name) => text.includes(`${name} `));
  });
}

/** The published types stand by themselves, also for whoever checks those of libraries. */
function checkTypes({ app, check }) {
  const own = entries.filter((entry) => !FRAMEWORKS.test(entry));
  writeFileSync(
    join(app, 'doors.mts'),
    own.map((entry, i) => `export * as e${i} from '${entry}';\n`).join(''),
  );
  const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
  const strict = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--module',
    'nodenext',
    '--target',
    'es2024',
  ];
  const compiled = run(app, process.execPath, [compiler, ...strict, ...types, 'doors.mts']);
  check('the types of every door compile', compiled.status === 0, compiled);
}

function checkSupported({ app, check }, version, node) {
  for (const entry of entries) {
    const imported = `if (Object.keys(await import('${entry}')).length === 0) throw new Error('no exports')`;
    const esm = run(app, node, ['--input-type=module', '--eval', imported]);
    check(`Node ${version}: import '${entry}'`, esm.status === 0, esm);
    const cjs = run(app, node, ['--eval', `require('${entry}')`]);
    check(`Node ${version}: require '${entry}'`, cjs.status === 0, cjs);
  }
  for (const name of ['spillway', 'acode']) {
    const shown = runProgram(app, node, name, ['--version']);
    check(
      `Node ${version}: ${name} --version`,
      shown.status === 0 && /\d+\.\d+\.\d+/.test(shown.stdout),
      shown,
    );
  }
  const piped = runProgram(app, node, 'spillway', ['truncate', '--no-store'], 'hello');
  check(
    `Node ${version}: hello through spillway truncate`,
    piped.status === 0 && piped.stdout === 'hello',
    piped,
  );
  const executed = runProgram(app, node, 'spillway', ['exec', '--', 'echo', 'stored']);
  check(
    `Node ${version}: spillway exec stores and shows`,
    executed.status === 0 && executed.stdout === 'stored\n' && executed.stderr === '',
    executed,
  );
  const examined = runProgram(app, node, 'spillway', ['doctor', '--deep']);
  check(
    `Node ${version}: spillway doctor finds nothing wrong`,
    examined.status === 0 && examined.stdout.includes('all as they were stored'),
    examined,
  );
}

function checkTooOld({ app, check }, version) {
  const result = runProgram(app, nodeBinary(version), 'spillway', ['--version']);
  const oneSentence = /^[^\n]*\b22\.13\b[^\n]*\.\n$/.test(result.stderr) && result.stdout === '';
  check(`Node ${version}: spillway names the Node it needs`, result.status > 0 && oneSentence, result);
}

/** The program on Bun, which many agents are made of. */
function checkBun({ app, check }) {
  const bun = bunBinary();
  if (bun === null) {
    console.log('SKIPPED: npm has no Bun for this machine.');
    return;
  }
  const program = (...args) =>
    run(app, bun, [join(app, 'node_modules', 'spillway', 'bin', 'spillway.js'), ...args]);
  const both = program('exec', '--', 'sh', '-c', 'echo one; echo two >&2; exit 3');
  const text = /^\[Exit code 3 after [\d.]+ s\.\]\n\[stdout\]\none\n\[stderr\]\ntwo\n$/;
  check('Bun: spillway exec shows what a command wrote', both.status === 3 && text.test(both.stdout), both);
  const long = program('exec', '--limit', '600', '--', process.execPath, '-p', '"a line\\n".repeat(9_000)');
  check('Bun: a long output is cut and stored', / of 63,001 chars/.test(long.stdout), long);
  const examined = program('doctor', '--deep');
  const sound = examined.status === 0 && /on Bun [\d.]+,.*all as they were stored/s.test(examined.stdout);
  check('Bun: spillway doctor finds nothing wrong', sound, examined);
}

function runProgram(app, node, name, args, input = '') {
  return run(app, join(app, 'node_modules', '.bin', name), args, { input, node });
}

function run(app, command, args, { input = '', node = command } = {}) {
  // A home of its own: nothing is read from, or written to, the user's.
  const env = { ...process.env, HOME: app, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  return spawnSync(command, args, { cwd: app, env, input, encoding: 'utf8' });
}
