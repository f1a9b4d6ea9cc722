// The suites of tests: where each lies, and the minutes that it may take on two quiet cores.
// `npm run verify` runs all of them and prints the minutes used beside the minutes allowed;
// `npm test` runs the fast one, which is every test that lies in no folder of another suite.
const core = 'packages/core/test';
const spillway = 'packages/spillway/test';
const ui = 'packages/ui/test';

/** Suites with folders of their own. */
const slow = [
  { name: 'program', minutes: 3.5, folders: [`${spillway}/program`] },
  { name: 'gateway', minutes: 3, folders: [`${spillway}/gateway`] },
  { name: 'hooks', minutes: 1.5, folders: [`${spillway}/hooks`] },
  { name: 'attacks', minutes: 1, folders: [`${spillway}/attacks`] },
  { name: 'postgres', minutes: 2.5, folders: [`${spillway}/postgres`] },
  { name: 'browser', minutes: 1, folders: [`${spillway}/browser`] },
  { name: 'inspector', minutes: 5, folders: [`${spillway}/inspector`, `${ui}/browser`] },
  { name: 'frameworks', minutes: 1, folders: [`${core}/agents`, `${core}/history/frameworks`] },
  { name: 'adapters', minutes: 3, folders: [`${core}/adapters`] },
  { name: 'docs', minutes: 1, folders: [`${spillway}/docs`] },
  { name: 'proof', minutes: 7, folders: [`${core}/proof`, `${spillway}/proof`] },
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

export const suites = [
  fast,
  ...slow.map(({ folders, ...suite }) => ({ ...suite, args: [...again, ...folders] })),
];

/** The arguments of vitest that run a suite. */
export function suiteArgs(name) {
  return suites.find((suite) => suite.name === name).args;
}
