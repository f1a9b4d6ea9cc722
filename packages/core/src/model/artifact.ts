/**
 * The handle under which a stored output can be fetched: `art_{unix seconds}_{80 random bits}`.
 * Any text that does not have this shape is refused before a store or a file is touched.
 */
import { SpillwayError } from './errors.ts';

/** The handle of a stored output, e.g. `art_1699234567_a1b2c3d4`. */
export type ArtifactId = `art_${number}_${string}`;

const SHAPE = /^art_\d{1,15}_[0-9A-Za-z]{4,64}$/;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_BYTES = 10;

/** Whether a value has the shape of a handle; says nothing of whether there is such an output. */
export function isArtifactId(text: unknown): text is ArtifactId {
  return typeof text === 'string' && SHAPE.test(text);
}

/** The id in `text`, or an error that does not repeat it. */
export function parseArtifactId(text: unknown): ArtifactId {
  if (isArtifactId(text)) return text;
  throw new SpillwayError(
    'invalid_id',
    'That is not an artifact id. Ids look like art_1699234567_a1b2c3d4; use one that a notice or a list names.',
  );
}

export function mintArtifactId(nowMs: number, randomBytes: (count: number) => Uint8Array): ArtifactId {
  const bytes = randomBytes(RANDOM_BYTES);
  let random = '';
  for (let bit = 0; bit < RANDOM_BYTES * 8; bit += 5) {
    const two = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    random += ALPHABET[(two >> (11 - (bit & 7))) & 31];
  }
  // A clock before 1970 must not make an invalid id.
  return `art_${Math.max(0, Math.floor(nowMs / 1000))}_${random}` as ArtifactId;
}
