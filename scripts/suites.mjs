// The suites of tests: where each lies, and the minutes that it may take on two quiet cores.
// `npm test` runs the fast one, which is every test that lies in no folder of another suite, and a
// sample of each of the others. `npm run verify` runs all of them and prints the minutes used beside
// the minutes allowed.
const core = 'packages/core/test';
const spillway = 'packages/spillway/test';
const ui = 'packages/ui/test';

/** Suites with folders of their own; `sample` names files of them. */
const slow = [
  { name: 'program', minutes: 3.5, folders: [`${spillway}/program`], sample: ['exec'] },
  { name: 'gateway', minutes: 3, folders: [`${spillway}/gateway`], sample: ['two-gateways'] },
  { name: 'hooks', minutes: 1.5, folders: [`${spillway}/hooks`], sample: ['claude-code'] },
  { name: 'attacks', minutes: 2, folders: [`${spillway}/attacks`], sample: ['planted-names'] },
  { name: 'postgres', minutes: 2.5, folders: [`${spillway}/postgres`], sample: ['shared-store'] },
  { name: 'browser', minutes: 1, folders: [`${spillway}/browser`], sample: [] },
  {
    name: 'inspector',
    minutes: 3,
    folders: [`${spillway}/inspector`, `${ui}/browser`],
    sample: ['command', 'states'],
  },
  {
    name: 'frameworks',
    minutes: 1,
    folders: [`${core}/agents`, `${core}/history/frameworks`],
    sample: ['frameworks/ai-sdk'],
  },
  { name: 'adapters', minutes: 3, folders: [`${core}/adapters`], sample: ['adapters/messages'] },
  { name: 'docs', minutes: 1, folders: [`${spillway}/docs`], sample: ['readme'] },
  {
    name: 'proof',
    minutes: 7,
    folders: [`${core}/proof`, `${spillway}/proof`],
    sample: ['several-writers', 'crash'],
  },
];

/**
 * The fast suite. Its files share a process: none changes the working directory or the environment.
 */
const fast = {
  name: 'fast',
  minutes: 2.5,
  args: [
    '--no-isolate',
    ...slow.flatMap(({ folders }) => folders).flatMap((each) => ['--exclude', `${each}/**`]),
  ],
};

/**
 * What runs processes, browsers and servers depends on the machine as well: such a test is tried once
 * more, and told at the end of the run. The fast suite is never tried again.
 */
const again = ['--retry', '1'];

/** Some files of every suite, which take under a minute together. */
export const samples = {
  name: 'samples',
  minutes: 1,
  args: [...again, ...slow.flatMap(({ sample }) => sample.map((each) => `/${each}.test.ts`))],
};

export const suites = [
  fast,
  ...slow.map(({ name, minutes, folders }) => ({ name, minutes, args: [...again, ...folders] })),
];

/** The arguments of vitest that run a suite. */
export function suiteArgs(name) {
  return suites.find((suite) => suite.name === name).args;
}
