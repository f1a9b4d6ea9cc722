/** Contents of results as frameworks spell them, to blocks and back. A plain text stays a text; lists keep their order. */
import type { ContentBlock, ToolResult } from '../../index.ts';
import type { SpokenBlock, SpokenResult } from '../spoken.ts';
import { dataUrl, type Fields, isRecord } from './json.ts';

/** A text as it is, a list as blocks, anything else as a value. */
export function resultOf(content: unknown, blockOf: (block: Fields) => ContentBlock): ToolResult {
  if (typeof content === 'string') return { kind: 'text', text: content };
  if (!Array.isArray(content)) return { kind: 'value', value: content };
  const blocks = content.map((block): ContentBlock => {
    if (isRecord(block)) return blockOf(block);
    return { type: 'other', json: JSON.stringify(block) ?? 'null' };
  });
  return { kind: 'blocks', blocks };
}

/** A block that has no word of its own. */
export function otherBlock(block: Fields): ContentBlock {
  return { type: 'other', json: JSON.stringify(block) };
}

/** A text block with nothing else in it; whatever has more is kept whole. */
export function plainText(block: Fields, type: string): ContentBlock | null {
  const { text, ...rest } = block;
  const plain = block.type === type && typeof text === 'string' && Object.keys(rest).length === 1;
  return plain ? { type: 'text', text } : null;
}

/** An image by a data URL, with nothing else about it. */
export function plainImage(url: unknown, others: number): ContentBlock | null {
  const data = typeof url === 'string' ? dataUrl(url) : null;
  return data === null || others > 0 ? null : { type: 'image', data: data.base64, mimeType: data.mediaType };
}

/** The one text of a result; null if it is not exactly one. */
export function onlyText({ blocks }: Pick<SpokenResult, 'blocks'>): string | null {
  const [only, ...others] = blocks;
  return only !== undefined && others.length === 0 && only.type !== 'media' ? only.text : null;
}

/** Blocks in the words of a shape; foreign ones as they were. */
export function writeBlocks(
  blocks: readonly SpokenBlock[],
  write: (block: SpokenBlock) => Fields | null,
): { readonly written: readonly Fields[]; readonly dropped: number } {
  const all = blocks.map((block) => {
    const foreign = block.type === 'json' ? foreignBlock(block.text) : null;
    return foreign ?? write(block);
  });
  const written = all.filter((block) => block !== null);
  return { written, dropped: all.length - written.length };
}

/** A block that was kept whole is an object with a type. */
function foreignBlock(json: string): Fields | null {
  if (!json.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) && typeof value.type === 'string' ? value : null;
  } catch {
    // A result that merely looks like one.
    return null;
  }
}
