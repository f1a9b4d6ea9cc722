/**
 * An output is everything one tool call was given and returned. It is written once and never
 * edited; only the handle to it can be retired, and the whole record purged.
 */
import type { ArtifactId } from './artifact.ts';
import type { Outcome } from './outcome.ts';
import type { PartRecord } from './part.ts';
import type { SessionName } from './session.ts';

/** Which call this is, as the host knows it. */
export interface Call extends SessionName {
  /** The name of the tool. */
  readonly tool: string;
  /** The host's id of the call. With other content, the same id is a new version. */
  readonly callId?: string;
  /** The server that the tool belongs to, where there are several. */
  readonly server?: string;
  /** Arguments of the call. Kept like content, never logged. */
  readonly input?: unknown;
  /** What the output is, in place of the line that is made from its input or its text. */
  readonly title?: string;
  /** The JSON text that `input` was read from, where the host has it: kept as it was written. */
  readonly inputText?: string;
}

/** What is known of an output before it begins. */
export interface OutputDraft extends Omit<Call, 'input' | 'inputText'>, OutputName {
  /** When the call began. Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A stored output: its scope and its handle. */
export interface OutputName {
  /** Who may fetch it. */
  readonly scope: string;
  /** Its handle. */
  readonly id: ArtifactId;
}

/** What is kept of an output beside its content. */
export interface OutputRecord extends OutputDraft {
  /** Counts outputs of the same call id with other content, from 1. */
  readonly version: number;
  /** How the call ended. */
  readonly outcome: Outcome;
  /** False when the tool did not get to its end: what is here is what had arrived. */
  readonly complete: boolean;
  /** The text was cut before it reached us. */
  readonly sourceTruncated: boolean;
  /** When the call ended. Milliseconds since 1970. */
  readonly endedAt: number;
  /** Tool and most telling input, at most 100 chars, one line. */
  readonly summary: string;
  /** Whether a model was ever told the handle. */
  readonly disclosed: boolean;
  /** Set once the handle was retired: the record stays, fetching by handle ends. */
  readonly retiredAt?: number;
  /** What it holds, in the order in which the parts were declared. */
  readonly parts: readonly PartRecord[];
}

/** What is left of a purged output, so that a late fetch can be told it is gone. */
export interface Tombstone extends OutputName {
  /** When it was purged. Milliseconds since 1970. */
  readonly purgedAt: number;
}

/** Tools under which compaction keeps what a summary leaves out. They are in no count. */
export const COMPACTION_OUTPUTS = {
  message: 'user_message',
  transcript: 'spillway_messages',
  index: 'spillway_index',
  summary: 'spillway_summary',
} as const;

/** Whether compaction made an output that is kept under this name. */
export function isCompactionOutput(tool: string): boolean {
  return Object.values<string>(COMPACTION_OUTPUTS).includes(tool);
}

/** Where plain copies are kept. All of it is best effort: nothing here rejects. */
export interface PlainCopyFolder {
  /** The path that the copy will have; null if there is none, as for too many bytes. */
  path(output: OutputDraft, byteLength: number): string | null;
  /** Begins the copy of an output whose text is being captured. */
  begin(output: OutputDraft): PlainCopy;
  /** Removes the copy of a stored output; whether there was one. */
  remove(record: OutputRecord): Promise<boolean>;
}

/** A copy that is written while its output is captured. */
export interface PlainCopy {
  /** Adds bytes of a part; parts may take turns. Resolves when more can be taken. */
  write(part: number, bytes: Uint8Array): Promise<void>;
  /** Gives the whole copy its name, before the output is sealed. False if there is no copy. */
  finish(): Promise<boolean>;
  /** Removes it, finished or not: its output is shown whole, or is not stored. */
  remove(): Promise<void>;
}
