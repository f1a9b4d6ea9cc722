import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import resolve from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';

const plugins = [resolve({ preferBuiltins: true }), commonjs(), json()];
// It tells of optional peers that are not installed, and leaves them outside.
const built = await rollup({ input: 'main.mjs', plugins, logLevel: 'silent' });
await built.write({ dir: '../out/rollup', format: 'esm', entryFileNames: '[name].mjs' });
