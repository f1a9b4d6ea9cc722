// @context-chef/core: the Offloader hashes a long text (SHA-256), counts its lines, stores it under
// its hash and answers with head, tail and the address. Its bound is the sum of both ends: the
// notice comes on top.
import { InMemoryBackend, Offloader } from '@context-chef/core';

/** The longest notice that we have seen, and some. */
const NOTICE = 250;

const shares = (limit) => ({
  threshold: limit,
  headChars: Math.round(limit * 0.6),
  tailChars: Math.round(limit * 0.4),
});

/** Keeps texts in a Map of strings. */
export function chefInMemory(limit) {
  const offloader = new Offloader({ store: new InMemoryBackend() });
  return (text) => offloader.offload(text, shares(limit)).content;
}

/** The same with room for its notice, so that the whole answer is within the limit; and back. */
export function chefWithNotice(limit) {
  const offloader = new Offloader({ store: new InMemoryBackend() });
  return (text) => {
    const { content, uri } = offloader.offload(text, { ...shares(limit - NOTICE), threshold: limit });
    return { text: content, back: () => (uri ? offloader.resolve(uri) : text) };
  };
}

/**
 * Keeps one file a text: written to a temporary name and renamed, with the blocking calls of
 * node:fs, not flushed.
 */
export function chefInFiles(folder, limit) {
  const offloader = new Offloader({ storageDir: folder });
  return async (text) => (await offloader.offloadAsync(text, shares(limit))).content;
}
