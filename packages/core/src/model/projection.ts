/**
 * A projection is a bounded view of an output for one audience. The first one made for an audience
 * is frozen: its record is kept apart from the canonical content, and asking again returns the same
 * text.
 */
import type { About } from './about.ts';
import type { ArtifactId } from './artifact.ts';
import type { ByteRange } from './extent.ts';
import type { Outcome } from './outcome.ts';

/** Who reads a projection: a model, a client that streams it, or a person. */
export type Audience = 'model' | 'transport' | 'screen';

declare const projected: unique symbol;

/** Text that came out of our renderer: a string that capture refuses. */
export type ProjectedText = string & { readonly [projected]: true };

/** Content that is shown as it is: an image, audio, anything that is not text. */
export interface KeptBlock {
  readonly type: 'part';
  /** Index of the part. */
  readonly part: number;
}

/** A run of rendered text. */
export interface TextBlock {
  readonly type: 'text';
  /** The text itself. */
  readonly text: ProjectedText;
  /** The part that it shows; absent where it is a notice alone, or stands for several. */
  readonly part?: number;
}

/** One block of a projection. */
export type ProjectedBlock = TextBlock | KeptBlock;

/**
 * One gap: what was left out of which part, in every unit, 1-based and inclusive as retrieval takes
 * them. Whole parts left out in a row are one gap: `last_part` is the last of them, and units count
 * through all of them.
 */
export interface Omission {
  /** Index of the part. */
  readonly part: number;
  /** Index of the last part; the same as `part` unless whole parts are missing in a row. */
  readonly last_part: number;
  /** The name of the part. */
  readonly name: string;
  /** Which bytes of the part. */
  readonly bytes: ByteRange;
  /** How many chars. */
  readonly chars: number;
  /** How many lines of which nothing is shown. */
  readonly lines: number;
  /** The first char left out. */
  readonly first_char: number;
  /** The last char left out. */
  readonly last_char: number;
  /** The first line the gap touches, also where something of it is shown. */
  readonly first_line: number;
  /** The last such line. */
  readonly last_line: number;
  /** What reads just this by its structure: `{ "json_path": "$.items[3:118]" }`. */
  readonly found_by?: Readonly<Record<string, string>>;
}

/** Names as they appear in `--json`, in results of the processor and in tool metadata. */
export interface ProjectionMetadata {
  /** Chars of all text that the tool returned. */
  readonly original_size: number;
  /** Lines of all text that the tool returned. */
  readonly original_lines: number;
  /** Chars of `text`. */
  readonly truncated_size: number;
  /** Chars of `notice`, where it travels apart from the text; else 0, as the text holds it. */
  readonly notice_size: number;
  /** The strategy that decided about the first part; `paged` for a requested range. */
  readonly strategy_used: string;
  /** The handle that the text names; null where it names none. */
  readonly artifact_id: ArtifactId | null;
  /** Whether any char of content is left out. */
  readonly was_truncated: boolean;
  /** ceil(truncated_size / 4). */
  readonly estimated_tokens: number;
  /** Every gap, in order. */
  readonly omitted: readonly Omission[];
  /** Chars of formatting left out. */
  readonly elided_chars: number;
  /** The plain copy; null if there is none. */
  readonly saved_path: string | null;
  /** Whether the output is over `max_artifact_size`. */
  readonly exceeds_max: boolean;
  /** The text was cut before it reached us. */
  readonly source_truncated: boolean;
  /** Whether the text holds ill-formed sequences, shown as U+FFFD. */
  readonly ill_formed: boolean;
  /** The encoding that the text was decoded from; absent where all of it was UTF-8. */
  readonly encoding?: string;
  /** Secrets that were replaced in the text; absent if there were none. */
  readonly redacted?: number;
  /** Lines of the shown text that look like our notices but came from the tool. */
  readonly lookalikes: number;
  /** The last good output of the same call, which new lines were told by. */
  readonly compared_with?: ArtifactId | null;
  /** The class of the error of a strategy that failed, so that plain ends are shown. */
  readonly strategy_error?: string | null;
  /** Names the settings that applied. */
  readonly policy_hash: string;
  /** Whether the whole output is in a store. */
  readonly stored: boolean;
  /** False when the tool did not get to its end. */
  readonly complete: boolean;
  /** How the call ended. */
  readonly outcome: Outcome;
}

/** A bounded view of an output: its text, and what it leaves out. */
export interface Projection {
  /** The whole projection as one string, for hosts that take one. */
  readonly text: ProjectedText;
  /** The notice, where it cannot stand in the text because that stays JSON or XML. */
  readonly notice: ProjectedText | null;
  /** The same as blocks, non-text parts in place, for hosts that take several. */
  readonly blocks: readonly ProjectedBlock[];
  /** What is known of it, in numbers and names. */
  readonly metadata: ProjectionMetadata;
}

/** Goes up when the same selection would be rendered differently, or is written in another form. */
export const RENDERER_VERSION = 1;

/** What a store keeps of a projection, readable by later versions. */
export interface ProjectionRecord {
  /** The output that it shows. */
  readonly output: ArtifactId;
  /** For whom it was made. */
  readonly audience: Audience;
  /** When it was made. Milliseconds since 1970. */
  readonly at: number;
  /** The settings that applied. */
  readonly policy: Readonly<Record<string, unknown>>;
  /** Which renderer made it. Selections of a later renderer are not read. */
  readonly rendererVersion: number;
  /** Segments by part, as `[kind, start, end]`. */
  readonly selections: readonly PartSelection[];
  /** What was shown. */
  readonly projection: Projection;
  /** Whether the handle was told. */
  readonly disclosed: boolean;
  /** What the agent was after, where its host told. */
  readonly about?: About;
}

/** What was selected of one part. */
export interface PartSelection {
  /** Index of the part. */
  readonly part: number;
  /** The last of many parts in a row that this stands for. Segments count through all. */
  readonly last_part?: number;
  /** They cover the part, in order. */
  readonly segments: readonly (readonly [kind: string, start: number, end: number])[];
}
