/**
 * Reads a projection back: which dialect it is in, which artifact it names, how much there was, and what each gap left out. The inverse
 * of the renderer for everything a dialect says. Lines of a tool that look like ours cannot be told apart; the notice counts them.
 */
import { type ArtifactId, isArtifactId } from '../model/artifact.ts';
import type { Dialect } from '../model/dialect.ts';

/** What a projection tells in its text. */
export interface ParsedProjection {
  readonly dialect: string;
  readonly artifactId: ArtifactId | null;
  readonly totalChars: number | null;
  readonly exitCode: number | null;
  readonly gaps: readonly ParsedGap[];
}

/** A gap as its marker tells it. */
export interface ParsedGap {
  readonly chars: number;
  /** Null in dialects that count chars only. */
  readonly lines: number | null;
  readonly from: string | null;
  /** Where the marker stands in the text. */
  readonly at: number;
}

/**
 * Null if the text holds neither a notice nor a marker of that dialect. With `artifactId`, the handle of the output that the text
 * is a projection of, also null if the notice names another one, or none: then a tool wrote it.
 */
export function parseProjection(
  text: string,
  dialect: Dialect,
  artifactId?: ArtifactId,
): ParsedProjection | null {
  const gaps = [...text.matchAll(dialect.marker)].map(({ groups = {}, index }) => ({
    chars: numberOf(groups.chars) ?? 0,
    lines: numberOf(groups.lines),
    from: groups.from ?? groups.source ?? null,
    at: index,
  }));
  const notice = noticeOf(text);
  const id = /\bart_\d+_[0-9A-Za-z]+/.exec(notice)?.[0];
  const total = dialect.notice.total.map((pattern) => pattern.exec(notice)).find((match) => match !== null);
  const totalChars = numberOf(total?.groups?.value);
  if (gaps.length === 0 && totalChars === null) return null;
  if (artifactId !== undefined && id !== artifactId) return null;
  return {
    dialect: dialect.name,
    artifactId: isArtifactId(id) ? id : null,
    totalChars,
    exitCode: numberOf(dialect.notice.exitCode.exec(notice)?.groups?.value),
    gaps,
  };
}

/** The lines in brackets that a projection begins with. */
function noticeOf(text: string): string {
  return /^(?:\[.*\n)*(?:\[.*$)?/.exec(text)?.[0] ?? '';
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text.replaceAll(',', ''));
}
