import { resolve } from 'node:path';
import webpack from 'webpack';

const output = { path: resolve('../out/webpack'), filename: 'main.cjs' };
webpack({ mode: 'production', target: 'node', entry: './main.mjs', output }, (failure, stats) => {
  if (failure) throw failure;
  const problems = stats.toString({ all: false, errors: true, warnings: true });
  if (problems !== '') throw new Error(problems);
});
