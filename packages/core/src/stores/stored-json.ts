/**
 * Records that a store keeps as JSON, read through the parser of their type (`model/records.ts`).
 */
import { SpillwayError } from '../model/errors.ts';

/**
 * The record; a `corrupt` error that names what it is, and nothing of what it says, if it cannot be
 * read.
 */
export function storedJson<T>(text: string | null, parse: (value: unknown) => T, what: string): T {
  try {
    return parse(JSON.parse(text ?? ''));
  } catch (error) {
    throw new SpillwayError('corrupt', `${what} is damaged: restore the store from a copy.`, {
      // The message of JSON.parse would quote the text.
      ...(error instanceof SpillwayError ? { cause: error } : {}),
    });
  }
}
