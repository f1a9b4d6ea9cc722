/** Names: what settings choose by one, and those of errors. */
import { SpillwayError } from '../model/errors.ts';
import { didYouMean } from '../text/nearest.ts';

export function byName<T extends { readonly name: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.name, one]));
}

export function named<T>(map: ReadonlyMap<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined)
    throw new SpillwayError(
      'invalid_policy',
      `${JSON.stringify(name)} is not known.${didYouMean(name, map.keys())} Known: ${[...map.keys()].join(', ')}.`,
    );
  return found;
}

/** The class of an error, as a word: an error may have any name. */
export function errorName(error: unknown): string {
  const name = error instanceof Error ? error.name : 'Error';
  return /^\w{1,40}$/.test(name) ? name : 'Error';
}
