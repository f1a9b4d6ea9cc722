// Vitest on sources in which one symbol is broken (SPILLWAY_BROKEN).
import base from '../../vitest.config.ts';
import { root } from '../toolchain.mjs';
import { brokenSource } from './broken.mjs';

export default {
  ...base,
  root,
  plugins: [brokenSource(), ...base.plugins],
  test: { ...base.test, globalSetup: ['./scripts/temporary-files.mjs'], fsModuleCache: false, maxWorkers: 1 },
};
