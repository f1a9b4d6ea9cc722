/** What a relay is given. */
import type { SettingsInput, Spillway } from '@spillway/core';
import type { ClientPort } from './ports.ts';
import type { ToolDirectory } from './tool-directory.ts';
import type { ToolResults } from './tool-results.ts';

export interface RelayOptions {
  readonly spillway: Spillway;
  readonly client: ClientPort;
  readonly tools: ToolDirectory;
  readonly results: ToolResults;
  readonly scope: string;
  /** Where the last release kept outputs of this client: its handles still resolve. */
  readonly formerScope: string | null;
  readonly session: string;
  /** Settings that hold for the whole session. */
  readonly settings: SettingsInput;
  readonly allowUnbounded: boolean;
  /** Told what the client is called. */
  readonly introduced: (client: string) => void;
  /** Milliseconds without a sign of life after which a request is given up; 0 never. */
  readonly timeoutMs: number;
  /** For people: what went wrong, never what a tool said. */
  readonly log: (line: string) => void;
}
