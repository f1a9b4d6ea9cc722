/**
 * The content of stored outputs as blocks: whole, exactly as it was recorded. Only what is asked
 * for is held.
 */
import type { Spillway } from '../engine.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Projection } from '../model/projection.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import type { ContentPart } from '../options.ts';
import { Sha256 } from '../text/digest.ts';
import { decodeExact } from '../text/utf8.ts';
import type { ResultBlock } from './message.ts';

/** How a block that a framework has and we have not is stored. */
export const shapeMediaType = (shape: string): string => `application/json; shape=${shape}`;
const SHAPE_TYPE = /^application\/json; shape=(\w+)$/;

/** Whether a file is a part of a framework that has no word here. */
export function isShapeType(mediaType: string): boolean {
  return SHAPE_TYPE.test(mediaType);
}

interface Reader {
  readonly spillway: Pick<Spillway, 'contents'>;
  readonly wait: WaitOptions;
}

/** Everything the tool said. */
export async function canonicalBlocks(reader: Reader, record: OutputRecord): Promise<ResultBlock[]> {
  const blocks: ResultBlock[] = [];
  for await (const content of reader.spillway.contents(record, undefined, reader.wait))
    blocks.push(await blockOf(content));
  return blocks;
}

/** What a projection shows, with the media that it leaves in place. */
export async function projectedBlocks(
  reader: Reader,
  record: OutputRecord,
  projection: Projection,
): Promise<ResultBlock[]> {
  const blocks: ResultBlock[] = [];
  for (const block of projection.blocks) {
    if (block.type === 'text') blocks.push({ type: 'text', text: block.text });
    else blocks.push(...(await partBlock(reader, record, block.part)));
  }
  return blocks;
}

/** One part by its index; none if there is no such part. */
export async function partBlock(reader: Reader, record: OutputRecord, index: number): Promise<ResultBlock[]> {
  for await (const content of reader.spillway.contents(record, index, reader.wait))
    return [await blockOf(content)];
  return [];
}

async function blockOf({ part, bytes }: ContentPart): Promise<ResultBlock> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  if (part.kind === 'text') return { type: 'text', text: decodeExact(whole) };
  if (part.kind === 'json') return { type: 'json', text: decodeExact(whole) };
  if (part.name === 'other') {
    const shape = SHAPE_TYPE.exec(part.mediaType ?? '')?.[1];
    return { type: 'json', text: decodeExact(whole), shape };
  }
  const base64 = whole.toString(part.notes.includes('base64') ? 'latin1' : 'base64');
  return { type: 'media', mediaType: part.mediaType ?? 'application/octet-stream', data: { base64 } };
}

/** How an output is read back. */
export interface ReadBackOptions extends WaitOptions {
  /** Called with the bytes of each piece that was read. */
  readonly onBytes?: (bytes: number) => void;
}

/** Reads an output back. */
export async function isWhole(
  store: Store,
  { id, parts }: OutputRecord,
  { onBytes, ...wait }: ReadBackOptions = {},
): Promise<boolean> {
  for (const { index, hash } of parts) {
    const found = new Sha256();
    for await (const piece of (await store.read(id, index, { bytes: 0 }, wait)).pieces) {
      found.update(piece);
      onBytes?.(piece.length);
    }
    if (found.digest() !== hash) return false;
  }
  return true;
}
