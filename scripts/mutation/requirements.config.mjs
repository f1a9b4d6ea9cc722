// Vitest on sources in which one symbol is broken (SPILLWAY_BROKEN).
import base from '../../vitest.config.ts';
import { root } from '../toolchain.mjs';
import { broken } from './broken.mjs';

const { file, code } = broken(process.env.SPILLWAY_BROKEN);

export default {
  ...base,
  root,
  plugins: [
    { name: 'broken', enforce: 'pre', load: (id) => (id.split('?')[0] === file ? code : null) },
    ...base.plugins,
  ],
  test: { ...base.test, globalSetup: ['./scripts/temporary-files.mjs'], fsModuleCache: false, maxWorkers: 1 },
};
