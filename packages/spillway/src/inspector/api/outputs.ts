/**
 * Outputs: the list, the search through all of them, and everything about one of them. What is read
 * here is not noted in the ledger: only a model's fetches are.
 */
import type { Listing } from './access.ts';

/**
 * `GET /api/outputs?q=TEXT&tool=NAME&session=ID&only=cut|failed|fetched&after=CURSOR&limit=50` —
 * newest first. `q` is part of the summary, the tool's name or the handle; for the content see
 * `/api/search`.
 */
export interface OutputsAnswer extends Listing<OutputRow> {
  /** All tools that have outputs, for the filter. */
  readonly tools: readonly string[];
}

export interface OutputRow {
  readonly id: string;
  readonly tool: string;
  readonly call_id: string | null;
  readonly session: string;
  /** Tool and what it was asked for, one line. */
  readonly summary: string;
  readonly status: 'ok' | 'error' | 'timeout' | 'cancelled' | 'crashed';
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** A status other than `ok`, or an exit code other than 0. */
  readonly failed: boolean;
  readonly started_at: number;
  readonly ended_at: number;
  readonly bytes: number;
  /** Of the content that is shown: all text parts together. */
  readonly chars: number;
  readonly lines: number;
  readonly complete: boolean;
  readonly source_truncated: boolean;
  /** Set once the handle no longer resolves for a model. */
  readonly revoked_at: number | null;
  /** What the model was shown; null where nothing was projected. */
  readonly shown: ShownFacts | null;
  /** Fetches by the model. */
  readonly fetches: number;
  /** The same call was made again after it. */
  readonly made_again: boolean;
}

interface ShownFacts {
  readonly chars: number;
  readonly cut: boolean;
  readonly strategy: string;
  readonly limit: number | null;
}

/** What a model read later. */
export interface FetchedRange {
  readonly at: number;
  /** `lines`, `pattern`, `all`, `json_path` … */
  readonly by: string;
  readonly part: string | null;
  readonly first_line: number | null;
  readonly last_line: number | null;
  readonly chars: number | null;
}

/**
 * `GET /api/search?q=TEXT&tool=&session=&after=CURSOR` — outputs whose content holds the text,
 * newest first. Looks for at most half a second, then answers with what it found and `next`: go on
 * until `next` is null. Upper and lower case are the same unless `case=1`.
 */
export interface SearchAllAnswer extends Listing<SearchedOutput> {
  /** Outputs and bytes that this request looked through. */
  readonly looked: number;
  readonly bytes: number;
}

export interface SearchedOutput {
  readonly output: OutputRow;
  /** Matches, at least: counting stops at 1,000. */
  readonly matches: number;
  /**
   * The first of them; `column` and `length` in chars of `text`. `label`: the line, or the char in a
   * part that is read by chars; `line` is then its row.
   */
  readonly first: readonly (MatchedLine & { readonly text: string; readonly label: number })[];
}

/** `GET /api/outputs/ID` — `ID` is a handle, or the id of a text given to the preview. */
export interface OutputAnswer {
  readonly output: OutputRow;
  /** Kept only while the inspector runs: a text given to the preview. */
  readonly is_preview: boolean;
  readonly parts: readonly PartRow[];
  /** What the call was given, clipped to 2,000 chars; null where there is no such part. */
  readonly input: { readonly part: number; readonly text: string; readonly chars: number } | null;
  /** Its place among the calls of its session, and its neighbours there. */
  readonly place: {
    readonly number: number;
    readonly of: number;
    readonly previous: string | null;
    readonly next: string | null;
  };
  /** What the model was shown; null where nothing was projected. */
  readonly projection: ShownProjection | null;
  /** The settings it was projected under, or those that a new projection would have. */
  readonly settings: readonly SettingInForce[];
  readonly events: readonly OutputEvent[];
  readonly fetched: readonly FetchedRange[];
  /** Why the model may have missed something; null where nothing points to it. */
  readonly loss: {
    readonly why: 'failure_left_out' | 'made_again';
    readonly part: string | null;
    readonly line: number | null;
  } | null;
}

export interface PartRow {
  readonly index: number;
  readonly name: string;
  readonly role: 'input' | 'content' | 'order' | 'envelope' | 'decoded';
  readonly kind: 'text' | 'json' | 'binary';
  readonly media_type: string | null;
  readonly bytes: number;
  readonly chars: number;
  readonly lines: number;
  /** Sequences that are no UTF-8, shown as U+FFFD. */
  readonly ill_formed: number;
  /** Whether a model is shown it: content that does not only repeat another part. */
  readonly is_shown: boolean;
  readonly notes: readonly string[];
  /** Whether it begins as JSON does, and is small enough for a tree. */
  readonly has_tree: boolean;
  /** How it is read best: by line, or in rows of chars where lines are very long. */
  readonly by: 'lines' | 'chars';
}

export interface ShownProjection {
  readonly at: number;
  /** The literal text, notice and markers included. */
  readonly text: string;
  /** Where it travels apart from the text. */
  readonly notice: string | null;
  readonly original_chars: number;
  readonly original_lines: number;
  readonly chars: number;
  readonly tokens: number;
  readonly cut: boolean;
  readonly strategy: string;
  readonly elided_chars: number;
  readonly policy_hash: string;
  readonly disclosed: boolean;
  /** By part: which lines it shows. */
  readonly views: readonly PartView[];
}

/**
 * Which lines of a part a projection shows: runs that cover all lines, in order. A line of which
 * any part is shown is kept; `gaps` tell what such lines lack.
 */
export interface PartView {
  readonly part: number;
  readonly lines: number;
  readonly kept_lines: number;
  readonly runs: readonly LineRun[];
  /** What was left out, in order, also inside kept lines. */
  readonly gaps: readonly CharGap[];
}

export interface LineRun {
  readonly kept: boolean;
  /** Not content that was left out, but formatting: redrawn progress. */
  readonly formatting?: true;
  readonly first_line: number;
  readonly last_line: number;
  /** Chars of a run that was left out; 0 for one that is kept. */
  readonly chars: number;
  readonly bytes: number;
  /** Where a gap begins, in a view by chars. */
  readonly first_char?: number;
}

/** Chars count in the part, from 1; the lines are those that the gap touches. */
export interface CharGap {
  readonly first_char: number;
  readonly last_char: number;
  readonly first_line: number;
  readonly last_line: number;
}

/**
 * Parts with very long lines are read in rows of this many chars: with `by=chars` the routes below
 * count these rows wherever they count lines, and columns within a row.
 */
export type RowChars = 200;

export interface SettingInForce {
  readonly name: string;
  readonly value: string | number | boolean | null;
  readonly level: 'system' | 'user' | 'tool' | 'task';
  /** `built-in`, `.acode/config.yml:5`, a variable, `session`, `window`. */
  readonly source: string;
  /** The value that a call would have now, where it differs. */
  readonly now?: string | number | boolean | null;
}

export interface OutputEvent {
  readonly type: string;
  readonly at: number;
  readonly data: Readonly<Record<string, string | number | boolean>>;
}

/**
 * `GET /api/outputs/ID/lines?part=0&ranges=1-200,900-950&clip=2000&by=chars` — many ranges in one
 * request. At most 5,000 lines and 8 MB of text: what no longer fits is left out at the end, and `complete`
 * is false. Ranges beyond the last line are empty.
 */
export interface LinesAnswer {
  readonly part: number;
  readonly ranges: readonly LineBlock[];
  readonly complete: boolean;
}

interface LineBlock {
  readonly first_line: number;
  /** Escape sequences of the colours in force where the first line begins. */
  readonly style: string;
  /** One text a line, without its end, the first `clip` chars of it. */
  readonly texts: readonly string[];
  /** For each text the chars of the part before it. */
  readonly starts: readonly number[];
  /** Lines that were clipped: `[line, chars of the whole line]`. */
  readonly clipped: readonly (readonly [line: number, chars: number])[];
}

/**
 * `GET /api/outputs/ID/tree?part=0&at=1&after=0` — the children of a value of JSON: `at` is the
 * char at which it begins, `after` how many children to pass over. 400 where the part is no JSON.
 */
export interface TreeAnswer {
  readonly children: readonly TreeNode[];
  /** Whether there are more children than these. */
  readonly more: boolean;
}

export interface TreeNode {
  /** The key, or the index in a list. */
  readonly key: string | number;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal';
  /** The value, clipped to 160 chars. */
  readonly text: string;
  readonly first_char: number;
  readonly last_char: number;
}

/**
 * `GET /api/outputs/ID/search?q=TEXT&part=0&limit=1000&after=CURSOR&by=chars` — or `pattern=RE2`
 * instead of `q`; `case=1` tells upper from lower case; without `part` all text parts. Everything is
 * searched, kept or left out; the first page counts all of it. A text is found wherever it stands,
 * a pattern once a line.
 */
export interface SearchAnswer {
  readonly matches: readonly MatchedLine[];
  readonly next: string | null;
  /** Matches in all, and how many of them were left out. With `after`: null. */
  readonly total: number | null;
  readonly left_out: number | null;
}

export interface MatchedLine {
  readonly part: number;
  readonly line: number;
  /** Where the match begins in its line, and its length. */
  readonly column: number;
  readonly length: number;
  /** Whether the model was shown the match. */
  readonly shown: boolean;
}

/**
 * `GET /api/outputs/ID/findings?part=0` — the lines that tell of errors and warnings. Reads the
 * whole part: seconds for 100 MB, and kept for the next time.
 */
export interface FindingsAnswer {
  readonly part: number;
  readonly errors: FoundLines;
  readonly warnings: FoundLines;
}

export interface FoundLines {
  readonly total: number;
  readonly shown: number;
  /** Numbers of the lines, the first 20,000. */
  readonly lines: readonly number[];
}

/**
 * `GET /api/outputs/ID/origins` — which stored line each line of the projection's text is; null for
 * notice, labels and markers.
 */
export interface OriginsAnswer {
  readonly lines: readonly (readonly [part: number, line: number] | null)[];
}

/**
 * `GET /api/outputs/ID/reasons` — why blocks were kept, by part. Projects the output again under
 * its own settings, which takes seconds for 100 MB, so the answer is `application/x-ndjson`: how far
 * it is, and at the end the reasons.
 */
export type ReasonsLine =
  | { readonly type: 'progress'; readonly done: number; readonly of: number }
  | ({ readonly type: 'reasons' } & ReasonsAnswer);

export interface ReasonsAnswer {
  readonly parts: readonly {
    readonly part: number;
    /** Why the strategy was chosen, where the content decided: it ends `… because`. */
    readonly decision: string | null;
    readonly blocks: readonly KeptBlock[];
  }[];
}

export interface KeptBlock {
  readonly first_line: number;
  readonly last_line: number;
  readonly chars: number;
  /** The strongest first; each with a sentence that says what it means. */
  readonly causes: readonly {
    readonly cause: string;
    readonly score: number;
    readonly means: string;
  }[];
}

/** `POST /api/outputs/ID/loss` — says that a suspected loss is none, for good; true takes it back. */
export interface JudgeOrder {
  readonly loss: boolean;
}

/**
 * `GET /api/outputs/ID/media?part=2` — the bytes of an image, for a blob of the page. The type is
 * always `application/octet-stream`; `x-media-type` tells what the part says of itself. An image in
 * a content block of MCP comes without that block. At most 32 MB.
 */
export type MediaAnswer = ArrayBuffer;
