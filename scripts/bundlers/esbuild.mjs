import { build } from 'esbuild';

const node = { bundle: true, platform: 'node', logLevel: 'error' };
await build({ ...node, entryPoints: ['main.mjs'], format: 'esm', outfile: '../out/esbuild.mjs' });
await build({ ...node, entryPoints: ['main.mjs'], minify: true, outfile: '../out/esbuild.cjs' });
// As wrangler bundles a worker.
const workerd = { conditions: ['workerd', 'worker', 'browser'], external: ['node:*'], format: 'esm' };
const worker = { bundle: true, entryPoints: ['worker.mjs'], outfile: '../out/worker.mjs' };
await build({ ...worker, ...workerd, logLevel: 'error' });
await build({ bundle: true, minify: true, entryPoints: ['page.mjs'], outfile: '../out/page.js' });
