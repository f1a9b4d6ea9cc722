// The mutants of all asked files, numbered through, in the order of the files.
import { readFileSync } from 'node:fs';
import { instrument } from './mutants.mjs';

/** Files whose texts a model reads: their strings are changed too. */
const isWording = /\/(wording\/.+|text\/numbers)\.ts$/;

export function planOf(files) {
  const plan = new Map();
  let first = 1;
  let firstFunction = 1;
  for (const file of files) {
    const made = instrument(file, readFileSync(file, 'utf8'), {
      first,
      firstFunction,
      strings: isWording.test(file),
    });
    plan.set(file, made);
    first += made.mutants.length;
    firstFunction += made.functions;
  }
  return plan;
}
