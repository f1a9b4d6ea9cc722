/** What Spillway is given, and what it gives to hosts that feed it piece by piece: types only. */
import type { NotProjected, ToolResult } from './capture/result.ts';
import type { About } from './model/about.ts';
import type { ArtifactId } from './model/artifact.ts';
import type { Dialect } from './model/dialect.ts';
import type { LedgerEvent } from './model/events.ts';
import type { FetchHint } from './model/fetch.ts';
import type { Format } from './model/format.ts';
import type { Outcome } from './model/outcome.ts';
import type { Call, OutputRecord, PlainCopyFolder } from './model/output.ts';
import type { PartRecord, PartSpec } from './model/part.ts';
import type { PathEngine } from './model/path.ts';
import type { PatternEngine } from './model/pattern.ts';
import type { SettingsInput } from './model/policy.ts';
import type { Audience, Projection } from './model/projection.ts';
import type { OutputStore, WaitOptions } from './model/store.ts';
import type { Strategy } from './model/strategy.ts';
import type { ContextWindow } from './policy/adaptive.ts';
import type { PartReasons } from './projection/project.ts';
import type { OwnPatterns } from './vocabulary/vocabulary.ts';

/** What Spillway is put together from. */
export interface SpillwayOptions {
  /**
   * Where outputs are kept; null keeps nothing, and every notice says so. A store of outputs only
   * will do: what needs history or upkeep is then refused with `unsupported`.
   */
  readonly store: OutputStore | null;
  /** How the reader of projections fetches more. Default: the model's tool `get_artifact`. */
  readonly hint?: FetchHint;
  /** Needed for retrieval by pattern; a function is asked for it with the first one. */
  readonly patterns?: PatternEngine | (() => Promise<PatternEngine>);
  /** Needed for retrieval by JSONPath. */
  readonly paths?: PathEngine;
  /** Counts tokens for budgets in tokens. Default: an estimate by kind of text. */
  readonly tokens?: (text: string) => number;
  /** Strategies beyond the built-in ones. */
  readonly strategies?: readonly Strategy[];
  /** Formats beyond the built-in ones, which are asked after them. */
  readonly formats?: readonly Format[];
  /** Dialects beyond the built-in ones. */
  readonly dialects?: readonly Dialect[];
  /** Regular expressions or compiled patterns of lines with errors, warnings and secrets. */
  readonly ownPatterns?: OwnPatterns;
  /** Plain copies of disclosed texts, for callers that can read files. */
  readonly plainCopies?: PlainCopyFolder;
  /** Throw instead of answering when an output cannot be stored. */
  readonly strict?: boolean;
  /** Whether records stay (default) when their session ends, by request or 30 idle days. */
  readonly retention?: 'durable' | 'session';
  /** Days after which outputs of sessions that have ended are purged. Default: never. */
  readonly maxAgeDays?: number;
  /** Bytes after which an endless output is cut off. */
  readonly maxCapture?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Bytes for handles. Default: those of `node:crypto`. */
  readonly random?: (count: number) => Uint8Array;
  /** Told of everything that goes into the ledger, also when it cannot be written there. */
  readonly onEvent?: (event: LedgerEvent) => void;
}

/** For whom to project, and under which settings. */
export interface ProjectOptions extends WaitOptions {
  /** Who is going to read it. Default: `model`. */
  readonly audience?: Audience;
  /** Settings of this one call, by their names in code or in files. */
  readonly policy?: SettingsInput;
  /** What the agent is after: what touches it counts more where only a part can be shown. */
  readonly about?: About;
}

/** What is known of a call beside its result. */
export interface ProcessOptions extends ProjectOptions {
  /** How the call ended, where the result itself does not tell. */
  readonly outcome?: Outcome;
  /** The text was already cut before it reached us. */
  readonly sourceTruncated?: boolean;
  /** The reader's context window: budgets shrink as it fills. */
  readonly window?: ContextWindow;
  /** Chars that the host itself would have shown of it, for statistics. Default: all of it. */
  readonly hostChars?: number;
  /** The agent that made the call, for statistics. */
  readonly agent?: string;
  /** Also say why each block that is shown was kept. */
  readonly explain?: boolean;
}

/** What came of a result. `Spillway.sealed` waits until its output is durable, and gives it. */
export interface Processed {
  /** What a model reads of it. */
  readonly projection: Projection;
  /** Why it was not stored, in a sentence for people, where settings said so. */
  readonly notStored?: string;
  /** Why each block is kept, by part, where `explain` asked for it. */
  readonly reasons?: readonly PartReasons[];
  /** Why the source broke off: what had arrived is recorded, marked incomplete. */
  readonly failure?: unknown;
}

/** How a capture that was fed by hand ended. */
export interface CaptureEnd {
  /** How the tool ended. */
  readonly outcome: Outcome;
  /** False when there would have been more. */
  readonly complete: boolean;
  /** The text was cut before it reached us. */
  readonly sourceTruncated?: boolean;
}

/** One of several results that are read together. */
export interface BatchItem<R extends ToolResult = ToolResult> {
  /** The call that it answers. */
  readonly call: Call;
  /** What the tool returned. */
  readonly result: R & NotProjected<R>;
  /** As for `process`. */
  readonly options?: Omit<ProcessOptions, 'window'>;
}

/**
 * A capture that is fed as output arrives; several parts may be written to at the same time. After
 * the first thousand it is one at a time: writing to the next ends all before it.
 */
export interface OpenCapture extends AsyncDisposable {
  /** The handle that the output will have. */
  readonly id: ArtifactId;
  /** Begins a part. */
  part(spec: OpenPartSpec): OpenPart;
  /** Seals the output, and projects it. */
  finish(end: CaptureEnd): Promise<Processed>;
  /** For `await using`: what was not finished is kept as cancelled, with what had arrived. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a part is. Default: text that the tool said. */
export interface OpenPartSpec extends Pick<PartSpec, 'name' | 'labelled' | 'mediaType'> {
  /** Default: `text`. */
  readonly kind?: PartSpec['kind'];
  /** `envelope`: what stands around the content. Default: `content`. */
  readonly role?: 'content' | 'envelope';
  /** Written when all before it are done: the order of arrival needs no record. */
  readonly alone?: true;
}

/** A part that is fed as its bytes arrive. */
export interface OpenPart {
  /** Its place among the parts of the output, as projections name it. */
  readonly index: number;
  /** Resolves when the store can take more; false once `maxCapture` is reached. */
  write(chunk: string | Uint8Array): Promise<boolean>;
  /** Makes what has arrived so far survive a crash. */
  flush(): Promise<void>;
  /** Ends the part; `notes` are kept with it. Default: it ends with the capture. */
  end(notes?: readonly string[]): Promise<void>;
}

/** What came of a result that was only recorded. */
export interface RecordedOutput {
  /** The output as it is kept. */
  readonly record: OutputRecord;
  /** True when an equal output of the same call was there before: `record` is that one. */
  readonly existing: boolean;
  /** Why the output is only held in memory; absent where it is stored. */
  readonly notStored?: string;
  /** Why the source broke off: what had arrived is recorded, marked incomplete. */
  readonly failure?: unknown;
}

/** A content part of a stored output, as it was captured. */
export interface ContentPart {
  /** What the part is. */
  readonly part: PartRecord;
  /** Its exact bytes. */
  readonly bytes: AsyncIterable<Uint8Array>;
}
