/**
 * The ledger: what happened to outputs, append-only, numbers and names only. Statistics and
 * recommendations are computed from it. It never holds captured content.
 */
import type { ArtifactId } from './artifact.ts';
import type { Call } from './output.ts';
import { type FieldName, settingName } from './policy.ts';
import type { ProjectionRecord } from './projection.ts';

/** What can happen to an output or a session. */
export type EventType =
  | 'captured'
  | 'projected'
  | 'fetched'
  | 'reexecuted'
  /** A person said of a suspected loss that it is none (`loss: false`), or took that back. */
  | 'judged'
  | 'not_stored'
  /** A text that our own renderer had made was offered as the result of a tool. */
  | 'rendered_write'
  /** A request was made while a call had no result. */
  | 'missing_result'
  /** A request was made, or refused: what it takes of the window, in tokens. */
  | 'prepared'
  /** A provider told how many tokens it read for a request: those, and what was expected. */
  | 'reported'
  /** A request was refused, or its new results were made smaller, to fit the window. */
  | 'overflow_avoided'
  /** Older messages were summarised, or repeated reads dropped: how many. */
  | 'compacted'
  /** A shadow compared the host's old text of an output with the original. */
  | 'compared'
  | 'session_ended'
  | 'found_idle'
  | 'revoked'
  | 'purged';

/** One thing that happened. */
export interface LedgerEvent {
  /** What happened. */
  readonly type: EventType;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whose store it happened in. */
  readonly scope: string;
  /** The agent's run, where it is about one. */
  readonly session?: string;
  /** The tool, where it is about one. */
  readonly tool?: string;
  /** The output, where it is about one. */
  readonly output?: ArtifactId;
  /** Sizes, ranges, strategy and policy hash: what the type of event needs. */
  readonly data?: Readonly<Record<string, string | number | boolean>>;
}

/** The event that an output was shown; `changed`: the settings that somebody gave. */
export function projectedEvent(
  { tool, session, scope }: Pick<Call, 'tool' | 'session' | 'scope'>,
  { output, audience, at, policy, projection: { metadata } }: ProjectionRecord,
  changed: readonly FieldName[] = [],
): LedgerEvent {
  const data = {
    audience,
    limit: Number(policy.inlineLimit),
    chars: metadata.truncated_size + metadata.notice_size,
    cut: metadata.was_truncated,
    strategy: metadata.strategy_used,
    policy: metadata.policy_hash,
    ...(changed.length === 0 ? {} : { settings: changed.map(settingName).join(' ') }),
    ...(typeof metadata.strategy_error === 'string' ? { error: metadata.strategy_error } : {}),
  };
  return { type: 'projected', at, tool, session, scope, output, data };
}
