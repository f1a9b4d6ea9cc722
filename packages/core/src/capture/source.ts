/** What text or bytes may come as. */
import { SpillwayError } from '../model/errors.ts';

/** A piece of text or bytes. */
export type Chunk = string | Uint8Array;

/** Text or bytes: at once, or as they come. */
export type Source = Chunk | Iterable<Chunk> | AsyncIterable<Chunk>;

export function isSource(value: unknown): value is Source {
  if (typeof value === 'string' || value instanceof Uint8Array) return true;
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}

export function notText(): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    'Text must come as a string or Uint8Array, or as an iterable of these. Give any other value as { kind: "value" }.',
  );
}
