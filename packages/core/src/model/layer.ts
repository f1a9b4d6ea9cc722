/**
 * Settings as they are given, before they are merged: each layer belongs to a level, may be for
 * some tools only, and says where it came from. Levels, the weakest first: system, user, tool, task
 * (the session's settings, then those of one call).
 */
import type { FieldName, PolicyPatch } from './policy.ts';

export const LEVELS = ['system', 'user', 'tool', 'task'] as const;
/** How strong a layer is. */
export type Level = (typeof LEVELS)[number];

/** Some settings of one source, for all tools or some. */
export interface PolicyLayer {
  /** How strong it is: task over tool over user over system. */
  readonly level: Level;
  /** `built-in`, `profile spill`, a file, an environment variable, `session`, `call`. */
  readonly source: string;
  /** A tool's name or a pattern with `*` and `?`, in any case; absent: every tool. */
  readonly tool?: string;
  /** The settings that it gives. */
  readonly patch: PolicyPatch;
  /** Set where strangers may have written it: it may not lift bounds. */
  readonly untrusted?: true;
  /** Where a single field was set, if that is known: a file and its line. */
  readonly at?: { readonly [K in FieldName]?: string };
}
