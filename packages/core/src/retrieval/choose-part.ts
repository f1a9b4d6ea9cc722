/**
 * Chooses the part of a stored output that a request is about: the one it names, the one of its
 * cursor, or the first that has text.
 */
import { SpillwayError } from '../model/errors.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import type { FetchRequest } from './request.ts';
import { isRead, type StoredPart, type StoredParts } from './stored-parts.ts';

export async function choosePart(
  parts: StoredParts,
  { part, want }: Pick<FetchRequest, 'part' | 'want'>,
): Promise<StoredPart | undefined> {
  const cursor = 'cursor' in want ? want.cursor : null;
  if (cursor !== null) {
    const found = await parts.first(({ index }) => index === cursor.part);
    if (found === undefined) throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.cursorOfArtifact);
    if (part !== null && part !== found.part.name && part !== String(found.ordinal))
      throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.cursorOfOtherPart);
    return found;
  }
  if (part === null) {
    for await (const found of parts.content(isRead)) if (found.part.bytes > 0) return found;
    return parts.first(() => true);
  }
  const found =
    (await parts.first(({ name }) => name === part)) ??
    (/^\d+$/.test(part) ? await parts.first(({ ordinal }) => ordinal === Number(part)) : undefined);
  if (found !== undefined) return found;
  throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.noSuchPart(parts.names));
}
