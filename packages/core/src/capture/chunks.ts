/**
 * Turns what arrives into bytes. Strings are encoded exactly; a surrogate pair that was split
 * between two chunks is put together again. Each part has an encoder of its own, so two streams
 * cannot disturb each other.
 */
import { encode } from '../text/utf8.ts';
import { type Chunk, isSource, notText, type Source } from './source.ts';

const HIGH_SURROGATE = 0xd800;
const NO_BYTES = new Uint8Array(0);

export class ChunkEncoder {
  #held = '';
  #lone = false;

  /** True once a string brought a surrogate that is not half of a pair. */
  get sawLoneSurrogate(): boolean {
    return this.#lone;
  }

  /** Bytes that came as bytes are the caller's, who may use them again; those of a text are ours. */
  push(chunk: Chunk): Uint8Array {
    if (ArrayBuffer.isView(chunk)) {
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      return this.#held === '' ? bytes : Buffer.concat([this.finish(), bytes]);
    }
    if (typeof chunk !== 'string') throw notText();
    const text = this.#held + chunk;
    const isCut = (text.charCodeAt(text.length - 1) & 0xfc00) === HIGH_SURROGATE;
    this.#held = isCut ? text.slice(-1) : '';
    return this.#encode(isCut ? text.slice(0, -1) : text);
  }

  /** What was held back for a partner that did not come. */
  finish(): Uint8Array {
    const held = this.#held;
    this.#held = '';
    return this.#encode(held);
  }

  /** With no more memory behind it than it needs: short texts share a buffer with others. */
  #encode(text: string): Uint8Array {
    if (text === '') return NO_BYTES;
    const isWellFormed = text.isWellFormed();
    if (!isWellFormed) this.#lone = true;
    const bytes = isWellFormed ? Buffer.from(text, 'utf8') : encode(text);
    const isShared = bytes.length * 2 < bytes.buffer.byteLength;
    return isShared ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** The chunks of a source that is a list or a stream. */
export function chunksOf(source: Exclude<Source, Chunk>): Iterable<Chunk> | AsyncIterable<Chunk> {
  if (!isSource(source)) throw notText();
  return source;
}
