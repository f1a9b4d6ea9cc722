/**
 * Contents of results as frameworks spell them, to blocks and back. A plain text stays a text;
 * lists keep their order.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { MessageData } from '../../model/message.ts';
import { shapeMediaType } from '../content.ts';
import type { ResultBlock, SentResult } from '../message.ts';
import { dataUrl, type Fields, isRecord, jsonOf, wholeAgain } from './json.ts';
import type { Losses } from './shape.ts';
import { storable } from './tagged.ts';

/**
 * A text as it is, a list as blocks, anything else as a value. Blocks without a word of ours are
 * kept whole.
 */
export function resultOf(
  shape: string,
  content: unknown,
  blockOf: (block: Fields) => ContentBlock | null,
): ToolResult {
  if (typeof content === 'string') return { kind: 'text', text: content };
  if (!Array.isArray(content)) return { kind: 'value', value: content };
  const blocks = content.map((block: unknown): ContentBlock => {
    const known = isRecord(block) ? blockOf(block) : null;
    const json = jsonOf(isRecord(block) ? storable(block) : block);
    return known ?? { type: 'other', json, mediaType: shapeMediaType(shape) };
  });
  return { kind: 'blocks', blocks };
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
export function onlyText({ blocks }: Pick<SentResult, 'blocks'>): string | null {
  const [only, ...others] = blocks;
  return only !== undefined && others.length === 0 && only.type !== 'media' ? only.text : null;
}

/** Blocks in the words of a shape; its own foreign ones as they were. */
export function writeBlocks(
  shape: string,
  blocks: readonly ResultBlock[],
  write: (block: ResultBlock) => Fields | null,
): { readonly written: readonly Fields[]; readonly dropped: number } {
  const all = blocks.map((block) =>
    block.type === 'json' && block.shape === shape ? wholeAgain(block.text) : write(block),
  );
  const written = all.filter((block) => block !== null);
  return { written, dropped: all.length - written.length };
}

/**
 * Results and other blocks of one message, in the order in which they were read; results first if
 * their numbers have changed since.
 */
export function inOrder(
  results: readonly Fields[],
  others: readonly Fields[],
  order: unknown,
): readonly Fields[] {
  const kinds = typeof order === 'string' ? [...order] : [];
  const all = [...results, ...others];
  if (kinds.length !== all.length || kinds.filter((kind) => kind === 'r').length !== results.length)
    return all;
  const queues = { r: [...results], o: [...others] };
  return kinds.flatMap((kind): Fields[] => queues[kind === 'r' ? 'r' : 'o'].splice(0, 1));
}

/** Data in the words of its own shape; in another it is a loss. */
export function writeData(shape: string, id: string, part: MessageData, losses: Losses): Fields[] {
  if (part.foreign !== undefined && shape in part.foreign) return [wholeAgain(part.json)];
  losses.add(id, `data called ${part.name}`);
  return [];
}

/** The text of content that is one block with nothing but text; null for any other. */
export function plainContent(content: readonly Fields[]): string | null {
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  return isPlain ? String(only.text) : null;
}
