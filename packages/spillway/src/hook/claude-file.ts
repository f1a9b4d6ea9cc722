/**
 * What Claude Code's Read returns. Claude Code numbers the lines itself, one after the other from
 * `startLine`, so nothing may be left out between two lines: a long file is shown from its start
 * like a page, and what Spillway says of it comes behind the text. The way on is Read itself.
 */
import type { Projection } from '@spillway/core';
import { type BoundableResult, isFields } from './hook-agent.ts';

interface FileResult {
  readonly result: BoundableResult;
  /** The range of lines that was asked for, spelled out. */
  readonly input: unknown;
}

export function claudeFileResult(input: unknown, response: unknown): FileResult | null {
  if (!isFields(response) || response.type !== 'text' || !isFields(response.file)) return null;
  const { file } = response;
  const { content, startLine, numLines } = file;
  if (typeof content !== 'string' || typeof startLine !== 'number' || typeof numLines !== 'number')
    return null;
  return {
    input: { ...(isFields(input) ? input : {}), offset: startLine, limit: numLines },
    result: {
      captured: { kind: 'text', text: content },
      notice: 'embedded',
      shownAs: (projection) => ({ ...response, file: { ...file, content: noticeLast(content, projection) } }),
    },
  };
}

function noticeLast(content: string, { text, metadata: { omitted } }: Projection): string {
  const kept = content.slice(0, (omitted[0]?.first_char ?? 1) - 1);
  const at = text.indexOf(kept);
  if (at === -1) return text;
  const marker = text.slice(at + kept.length).trim();
  return `${kept.replace(/\n$/, '')}\n${[marker, text.slice(0, at).trim()].filter((line) => line !== '').join('\n')}`;
}
