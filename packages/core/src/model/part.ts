/**
 * A part is one run of bytes of an output. Its bytes are exact; what it is, and how it was turned
 * into bytes, is said here.
 */

/**
 * `input`: what the tool was given. `content`: what it said. `order`: how the content parts
 * arrived, interleaved. `envelope`: the message that carried the content, without what the content
 * parts already hold. `decoded`: the text of a content part in another encoding, as UTF-8: what
 * projections, pages and searches read; the content part keeps the bytes as they came. A text in
 * which secrets are replaced for the model is such a part too.
 */
export type PartRole = 'input' | 'content' | 'order' | 'envelope' | 'decoded';

/** What the bytes are: text to be shown, a JSON rendering of a value, or anything else. */
export type PartKind = 'text' | 'json' | 'binary';

/** Which JavaScript value a part was made from, where it was made from one. */
export type ValueKind =
  | 'undefined'
  | 'null'
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'bigint'
  | 'other';

/** What a part is, known before its first byte. */
export interface PartSpec {
  /** What it is to its output. */
  readonly role: PartRole;
  /** What its bytes are. */
  readonly kind: PartKind;
  /** `stdout`, `stderr`, `text`, `input` …: how people and models call it. */
  readonly name: string;
  /** Whether its name is shown above it: so for streams of a command, not for blocks. */
  readonly labelled?: true;
  /** Such as `image/png`, where it is known. */
  readonly mediaType?: string;
  /** Which JavaScript value its JSON was made from. */
  readonly valueKind?: ValueKind;
  /** Many small parts in a row; the part called `sequence` tells them apart. */
  readonly bundle?: true;
  /** The encoding of the bytes as they came; absent for UTF-8 and for binary parts. */
  readonly encoding?: string;
  /** Of a decoded part: the index of the part whose text it is. */
  readonly of?: number;
}

/** What is known of a part once all of it has arrived. */
export interface PartTotals {
  /** Bytes as stored. */
  readonly bytes: number;
  /** UTF-16 units of the decoded text. */
  readonly chars: number;
  /** Lines of the text, the last one also without a line end. */
  readonly lines: number;
  /** Ill-formed sequences, each shown as one U+FFFD. */
  readonly illFormed: number;
  /** SHA-256 of the bytes, hexadecimal: the key of the content. */
  readonly hash: string;
  /** What JSON or UTF-8 could not say: `bigint`, `cycle`, `lone-surrogates` … */
  readonly notes: readonly string[];
}

/** The note of a part that repeats another: it can be fetched, and is not shown. */
const COPY_NOTE = 'copy';

/** Whether a part is shown: content, unless it only repeats. */
export function isShown({ role, notes }: Pick<PartRecord, 'role' | 'notes'>): boolean {
  return role === 'content' && !notes.includes(COPY_NOTE);
}

/** What is kept of a part beside its bytes. */
export interface PartRecord extends PartSpec, PartTotals {
  /** Its place among the parts, from 0. */
  readonly index: number;
}

/** The note of a part in which secrets were replaced. */
export function redactedNote(count: number): string {
  return `redacted: ${count}`;
}

/** How many secrets were replaced in parts. */
export function redactedIn(parts: readonly Pick<PartRecord, 'notes'>[]): number {
  const counts = parts.flatMap(({ notes }) =>
    notes.flatMap((note) => /^redacted: (\d+)$/.exec(note)?.[1] ?? []),
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** A part as its decoded text is: sizes and notes are those of the text. */
export function asText(
  part: PartRecord,
  { bytes, chars, lines, illFormed, encoding, notes }: PartRecord,
): PartRecord {
  return {
    ...part,
    ...{ bytes, chars, lines, illFormed },
    notes: [...part.notes, ...notes.filter((note) => !part.notes.includes(note))],
    ...(encoding === undefined ? {} : { encoding }),
  };
}
