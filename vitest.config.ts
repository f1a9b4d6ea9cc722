// Unit tests run on the sources: the packages' names point at src, so a test never sees a stale
// build. Tests of the program run its bundle, tests of the inspector the built page; both are made
// anew when a source has changed. The packed packages are tested by scripts/check-packages.mjs.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string): string => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

/**
 * The store's thread is the bundled one here too. As a source its types would be stripped in every
 * thread, by WebAssembly, and V8 (seen with Node 24) crashes at times when threads that run the
 * same WebAssembly begin and end by the hundred. Named, not copied: Vitest keeps what a module was
 * transformed to as long as its source stays the same.
 */
const bundledThread: Plugin = {
  name: 'bundled-thread',
  load: (id) =>
    id.endsWith('/stores/sqlite/thread/worker-code.ts')
      ? `export * from ${JSON.stringify(source('core/lib/shared/worker-code.js'))};`
      : undefined,
};

/** Files that take minutes begin first: else one core would wait for them at the end of a suite. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(?:campaign|looks|config-ceilings)\.test\.ts$/.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  plugins: [bundledThread],
  resolve: {
    alias: [
      { find: /^@spillway\/core\/store(\/.+)?$/, replacement: source('core/src/stores$1/index.ts') },
      { find: /^spillway\/store\/(.+)$/, replacement: source('spillway/src/stores/$1/index.ts') },
      { find: /^@spillway\/core$/, replacement: source('core/src/index.ts') },
      { find: /^@spillway\/core\/(.+)$/, replacement: source('core/src/$1/index.ts') },
      { find: /^spillway$/, replacement: source('spillway/src/index.ts') },
      { find: /^spillway\/(.+)$/, replacement: source('spillway/src/$1/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    // A process per file, unless `scripts/suites.mjs` says otherwise: tests of processes and of
    // memory need one.
    pool: 'forks',
    // One for each core. Vitest leaves one core free, which would be half of a machine with two.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./scripts/bundle.mjs', './scripts/bundle-page.mjs', './scripts/temporary-files.mjs'],
    setupFiles: ['./scripts/seeded.mjs'],
    // Ends what hangs. How long a test takes says how busy the machine is, so there is room.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', './scripts/vitest-reporter.mjs'],
  },
});
