/**
 * Reads a projection back: which artifact it names, how much there was, and what each gap left out.
 * It is the inverse of the renderer for everything that a dialect says. Lines of a tool that look
 * like ours cannot be told apart; the notice counts them.
 */
import { type ArtifactId, isArtifactId } from '../model/artifact.ts';
import type { Dialect, ParsedGap, ParsedNotice } from '../model/dialect.ts';

/** What a projection tells in its text. */
export interface ParsedProjection extends ParsedNotice {
  /** The dialect whose words it is in. */
  readonly dialect: string;
  /** The handle that it names; null where it names none. */
  readonly artifactId: ArtifactId | null;
  /** What its markers say, in order. */
  readonly gaps: readonly ParsedGap[];
}

/**
 * Null if the text holds neither a notice nor a marker of that dialect. With `artifactId`, the
 * handle of the output that the text is a projection of, also null if the notice names another one,
 * or none: then a tool wrote it.
 */
export function parseProjection(
  text: string,
  dialect: Dialect,
  artifactId?: ArtifactId,
): ParsedProjection | null {
  const gaps = dialect.readMarkers(text);
  const notice = /^(?:\[.*\n)*(?:\[.*$)?/.exec(text)?.[0] ?? '';
  const id = /\bart_\d+_[0-9A-Za-z]+/.exec(notice)?.[0];
  const read = dialect.readNotice(notice);
  if (gaps.length === 0 && read.totalChars === null) return null;
  if (artifactId !== undefined && id !== artifactId) return null;
  return { ...read, dialect: dialect.name, artifactId: isArtifactId(id) ? id : null, gaps };
}
