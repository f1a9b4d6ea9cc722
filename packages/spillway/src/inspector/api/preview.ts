/** The preview: a stored output, a dropped file or a pasted text under several settings. */
import type { FoundLines, PartRow, PartView } from './outputs.ts';

/**
 * `POST /api/preview/texts?name=build.log&tool=execute_command&exit_code=2` — takes a text in, as
 * the bytes of the body (`content-type: application/octet-stream`, at most 128 MB). It is kept in
 * memory while the inspector runs, the last 8 of them, and can be read like an output.
 */
export interface PreviewText {
  readonly id: string;
  readonly name: string;
  readonly parts: readonly PartRow[];
}

/** Settings by their names in files (`inline_limit`), as values of the right type. */
export type SettingsGiven = Readonly<Record<string, string | number | boolean | null>>;

/**
 * `POST /api/preview` — projects one source under several settings. Freezes nothing. The answer is
 * `application/x-ndjson`, a `PreviewLine` a line, as each becomes known.
 */
export interface PreviewOrder {
  /** A handle, or the id of a text. */
  readonly source: string;
  /** Settings of this tool apply; absent: those of the output's own. */
  readonly tool?: string;
  /** At most 12. Each over the settings of the tool. `{}` is what would be shown now. */
  readonly variants: readonly SettingsGiven[];
  /** `numbers` leaves `text` and `views` out. */
  readonly detail: 'numbers' | 'full';
}

export type PreviewLine =
  | { readonly type: 'progress'; readonly done: number; readonly of: number }
  | { readonly type: 'variant'; readonly variant: number; readonly result: PreviewResult }
  /** The settings of one variant are not valid; the others go on. */
  | { readonly type: 'problem'; readonly variant: number; readonly message: string }
  /** With two variants in full: what only one of them keeps. */
  | { readonly type: 'difference'; readonly parts: readonly PreviewDifference[] }
  | { readonly type: 'done'; readonly ms: number; readonly chars: number; readonly lines: number };

export interface PreviewResult {
  readonly chars: number;
  readonly tokens: number;
  readonly cut: boolean;
  readonly strategy: string;
  readonly kept_lines: number;
  readonly errors: Pick<FoundLines, 'total' | 'shown'>;
  readonly warnings: Pick<FoundLines, 'total' | 'shown'>;
  /** The settings it came from, by name. */
  readonly inline_limit: number;
  /** Null where only numbers were asked for. */
  readonly text: string | null;
  readonly notice: string | null;
  readonly views: readonly PartView[];
}

export interface PreviewDifference {
  readonly part: number;
  /** What only the first keeps, and only the second. */
  readonly only_a: LineSet;
  readonly only_b: LineSet;
}

export interface LineSet {
  readonly lines: number;
  /** In chars: also what is inside lines of which both keep something. */
  readonly chars: number;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly char_ranges: readonly (readonly [first: number, last: number])[];
}
