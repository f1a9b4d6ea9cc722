/**
 * A result that can be read twice: once into the store, and again if the store did not take it.
 * What is here as a whole is simply given again; of what streams in, the first `MOST_BYTES` are
 * kept while it is read.
 */
import {
  type Chunk,
  type ContentBlock,
  checkedResult,
  type Streamed,
  type ToolResult,
  withStreams,
} from './result.ts';

const MOST_BYTES = 8 * 1024 * 1024;

export interface HoldableResult {
  readonly result: ToolResult;
  /** `whole`: nothing is missing. */
  again(): { readonly result: ToolResult; readonly whole: boolean };
}

export function holdable(given: ToolResult): HoldableResult {
  const checked = checkedResult(given);
  const held: unknown[][] = [];
  let left = MOST_BYTES;
  let whole = true;
  async function* read<T>(items: Streamed<T>, kept: unknown[]): AsyncGenerator<T> {
    for await (const item of items) {
      const bytes = sizeOf(item as Chunk | ContentBlock);
      if (bytes > left) whole = false;
      left = Math.max(0, left - bytes);
      // A copy: the host may reuse its buffer.
      if (whole) kept.push(item instanceof Uint8Array ? item.slice() : item);
      yield item;
    }
  }
  const result = withStreams(checked, (items) => {
    const kept: unknown[] = [];
    held.push(kept);
    return read(items, kept);
  });
  const again = () => {
    const each = held.values();
    return { result: withStreams(checked, () => each.next().value ?? []), whole };
  };
  return { result, again };
}

function sizeOf(item: Chunk | ContentBlock): number {
  if (typeof item === 'string') return item.length * 2;
  if (item instanceof Uint8Array) return item.length;
  if (item?.type === 'text') return item.text.length * 2;
  if (item?.type === 'other') return item.json.length * 2;
  return item?.type === 'image' || item?.type === 'audio' ? item.data.length : 1_024;
}
