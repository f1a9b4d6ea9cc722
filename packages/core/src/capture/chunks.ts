/**
 * Turns what arrives into bytes. Strings are encoded exactly; a surrogate pair that was split
 * between two chunks is put together again. Each part has an encoder of its own, so two streams
 * cannot disturb each other.
 */
import { encode } from '../text/utf8.ts';
import { type Chunk, isSource, notText, type Source } from './source.ts';

export class ChunkEncoder {
  #held = '';
  #lone = false;

  /** True once a string brought a surrogate that is not half of a pair. */
  get sawLoneSurrogate(): boolean {
    return this.#lone;
  }

  push(chunk: Chunk): Uint8Array {
    if (ArrayBuffer.isView(chunk)) {
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      return this.#held === '' ? bytes : Buffer.concat([this.finish(), bytes]);
    }
    if (typeof chunk !== 'string') throw notText();
    const text = this.#held + chunk;
    this.#held = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    return this.#encode(this.#held === '' ? text : text.slice(0, -1));
  }

  /** What was held back for a partner that did not come. */
  finish(): Uint8Array {
    const held = this.#held;
    this.#held = '';
    return this.#encode(held);
  }

  #encode(text: string): Uint8Array {
    this.#lone ||= !text.isWellFormed();
    return encode(text);
  }
}

/** The chunks of a source, whether it is one already, a list, or a stream. */
export async function* chunksOf(source: Source): AsyncGenerator<Chunk> {
  if (typeof source === 'string' || source instanceof Uint8Array) yield source;
  else if (isSource(source)) yield* source;
  else throw notText();
}
