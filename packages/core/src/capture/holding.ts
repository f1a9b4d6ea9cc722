/**
 * A result that can be read twice: once into the store, and again if the store did not take it.
 * What is here as a whole is simply given again; of what streams in, the first `MOST_BYTES` are
 * kept while it is read.
 */
import { type ContentBlock, checkedResult, type ToolResult } from './result.ts';
import type { Chunk, Source } from './source.ts';

const MOST_BYTES = 8 * 1024 * 1024;

/** A result and the way to have it again. */
export interface HoldableResult {
  readonly result: ToolResult;
  /** What was read so far. `whole`: nothing of it is missing. */
  again(): { readonly result: ToolResult; readonly whole: boolean };
}

export function holdable(given: ToolResult): HoldableResult {
  const result = checkedResult(given);
  const hold = new Hold();
  if (result.kind === 'text') {
    const text = hold.source(result.text);
    return hold.of({ ...result, text: text.read }, () => ({ ...result, text: text.held() }));
  }
  if (result.kind === 'exec') {
    const [out, err] = [hold.source(result.stdout ?? ''), hold.source(result.stderr ?? '')];
    return hold.of({ ...result, stdout: out.read, stderr: err.read }, () => ({
      ...result,
      stdout: out.held(),
      stderr: err.held(),
    }));
  }
  if (result.kind === 'repl') {
    const printed = hold.source(result.printed ?? '');
    return hold.of({ ...result, printed: printed.read }, () => ({ ...result, printed: printed.held() }));
  }
  if (result.kind === 'blocks' && isStream(result.blocks)) {
    const blocks = hold.stream<ContentBlock>(result.blocks);
    return hold.of({ ...result, blocks: blocks.read }, () => ({ ...result, blocks: blocks.held() }));
  }
  return hold.of(result, () => result);
}

/** What one value is read as, and what was read of it. */
interface Teed<T> {
  readonly read: T;
  held(): T;
}

class Hold {
  #left = MOST_BYTES;
  #whole = true;

  of(result: ToolResult, held: () => ToolResult): HoldableResult {
    return { result, again: () => ({ result: held(), whole: this.#whole }) };
  }

  source(source: Source): Teed<Source> {
    const isHere = typeof source === 'string' || source instanceof Uint8Array || !isStream(source);
    return isHere ? { read: source, held: () => source } : this.stream<Chunk>(source);
  }

  stream<T extends Chunk | ContentBlock>(
    items: Iterable<T> | AsyncIterable<T>,
  ): Teed<AsyncIterable<T> | T[]> {
    const held: T[] = [];
    const hold = (item: T): void => {
      const bytes = sizeOf(item);
      if (bytes > this.#left) this.#whole = false;
      this.#left = bytes > this.#left ? 0 : this.#left - bytes;
      // A copy: whoever feeds us may use its buffer again.
      if (this.#whole) held.push(item instanceof Uint8Array ? (item.slice() as T) : item);
    };
    async function* read(): AsyncGenerator<T> {
      for await (const item of items) {
        hold(item);
        yield item;
      }
    }
    return { read: read(), held: () => held };
  }
}

/** Whether it can be read once. What is no source at all is refused by whoever reads it. */
function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

function sizeOf(item: Chunk | ContentBlock): number {
  if (typeof item === 'string') return item.length * 2;
  if (item instanceof Uint8Array) return item.length;
  if (item?.type === 'text') return item.text.length * 2;
  if (item?.type === 'other') return item.json.length * 2;
  return item?.type === 'image' || item?.type === 'audio' ? item.data.length : 1_024;
}
