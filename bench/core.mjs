// The library that is measured: that of this checkout, or that of the built checkout which
// SPILLWAY_BENCH_OF names.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const checkout = process.env.SPILLWAY_BENCH_OF;

export const { memoryStore, Spillway } = await import(
  checkout === undefined
    ? '@spillway/core'
    : pathToFileURL(join(resolve(checkout), 'packages/core/dist/index.js')).href
);
