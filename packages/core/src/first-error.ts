/**
 * The first line of a stored output that speaks of failure, found by reading its text parts in order; stderr counts before the others. Reading
 * stops at the line, or after MOST_BYTES of a part that has none. The line is cleaned, one line, at most MOST_CHARS chars.
 */
import type { ContentPart } from './options.ts';
import { featuresOf } from './strategies/smart/features.ts';
import { LineFeed } from './strategies/smart/feed.ts';
import { PieceCutter } from './text/pieces.ts';

/** From this score on a line counts as an error. */
const ERROR_SCORE = 4;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_CHARS = 200;

export async function firstError(parts: AsyncIterable<ContentPart>): Promise<string | null> {
  let first: string | null = null;
  for await (const content of parts) {
    const { kind, name } = content.part;
    const isStderr = name === 'stderr' || name === 'error';
    if (kind === 'binary' || (first !== null && !isStderr)) continue;
    const found = await firstOf(content);
    if (found !== null && isStderr) return found;
    first ??= found;
  }
  return first;
}

async function firstOf({ part, bytes }: ContentPart): Promise<string | null> {
  let found: string | null = null;
  const feed = new LineFeed((line) => {
    if (found === null && line !== null && featuresOf(line.text).raw >= ERROR_SCORE) found = line.text;
  });
  const cutter = new PieceCutter(part.kind);
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    for (const piece of cutter.push(chunk)) feed.push(piece);
    if (found !== null || read > MOST_BYTES) break;
  }
  if (found === null) {
    for (const piece of cutter.finish()) feed.push(piece);
    feed.finish();
  }
  return found === null ? null : oneLine(found);
}

function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  return line.length <= MOST_CHARS ? line : `${line.slice(0, MOST_CHARS - 1).toWellFormed()}…`;
}
