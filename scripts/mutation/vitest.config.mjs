// Vitest for mutants: one worker that runs driver.test.mjs, on sources with every mutant of the
// asked files in them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import base from '../../vitest.config.ts';
import { root } from '../toolchain.mjs';
import { instrument } from './mutants.mjs';
import { planOf } from './plan.mjs';

const plan = planOf(process.env.SPILLWAY_MUTATE_FILES.split(','));
const sources = join(root, 'packages', 'core', 'src');

export default {
  root,
  resolve: base.resolve,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      resolveId(source, importer) {
        const fromTest = source === 'vitest' && importer?.includes('/packages/');
        return fromTest ? join(root, 'scripts', 'mutation', 'collected.mjs') : null;
      },
      load(id) {
        const [file] = id.split('?');
        if (!file.startsWith(sources) || !file.endsWith('.ts')) return null;
        return plan.get(file)?.code ?? instrument(file, readFileSync(file, 'utf8'), { mutate: false }).code;
      },
    },
  ],
  test: {
    include: ['scripts/mutation/driver.test.mjs'],
    pool: 'forks',
    testTimeout: 0,
    // Kept transforms would be those of other mutants.
    fsModuleCache: false,
    teardownTimeout: 1_000,
    reporters: ['dot'],
    dangerouslyIgnoreUnhandledErrors: true,
  },
};
