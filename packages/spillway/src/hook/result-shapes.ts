/**
 * Shapes of results that several agents share: a text, what a command printed, the content blocks
 * of MCP.
 */

import type { ContentBlock } from '@spillway/core';
import { type Fields, isFields } from '../fields.ts';
import type { BoundableResult } from './hook-agent.ts';

/** The texts of a result, as far as they are here; links to resources are none. */
export function textsOf({ captured }: BoundableResult): string[] {
  if (captured.kind === 'text') return typeof captured.text === 'string' ? [captured.text] : [];
  if (captured.kind !== 'blocks' || !Array.isArray(captured.blocks)) return [];
  return captured.blocks.flatMap((block: ContentBlock) => (block.type === 'text' ? [block.text] : []));
}

export function charsOf(result: BoundableResult): number {
  return textsOf(result).join('').length;
}

/** `put` returns the result with another text in it. */
export function textResult(text: string, put: (text: string) => unknown): BoundableResult {
  return {
    captured: { kind: 'text', text },
    notice: 'embedded',
    shownAs: (projection) => put(projection.text),
  };
}

/**
 * Blocks with a `text` are bounded; all others stay what they are and in their order. `put` returns
 * the result with other blocks in it.
 */
export function blocksResult(
  blocks: readonly unknown[],
  put: (blocks: readonly unknown[]) => unknown,
): BoundableResult | null {
  if (blocks.length === 0 || !blocks.every(isFields)) return null;
  return {
    captured: { kind: 'blocks', blocks: blocks.map(capturedBlock) },
    notice: 'block',
    shownAs: ({ blocks: shown }, ordinalOf) =>
      put(
        shown.map((block) => {
          const original = block.part === undefined ? undefined : blocks[ordinalOf(block.part)];
          if (block.type === 'part') return original;
          return { ...(isTextBlock(original) ? original : { type: 'text' }), text: block.text };
        }),
      ),
  };
}

function capturedBlock(block: Fields): ContentBlock {
  if (isTextBlock(block)) return { type: 'text', text: block.text };
  const { type, data, mimeType } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType };
  return { type: 'other', json: JSON.stringify(block) };
}

/** Gemini's parts have no `type`. */
export function isTextBlock(block: unknown): block is Fields & { readonly text: string } {
  return isFields(block) && typeof block.text === 'string' && (block.type ?? 'text') === 'text';
}
