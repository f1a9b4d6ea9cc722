/**
 * How full a context window is, in names: a share strictly above a threshold has passed it. Units:
 * tokens.
 */
import type { Policy } from '../model/policy.ts';

/** `normal`, past `warn_at`, past `compact_at`, past `hard_at`. */
export type Fullness = 'normal' | 'warning' | 'critical' | 'hard';

/** What a request comes to, and where the thresholds lie. */
export interface RequestNumbers {
  /** Everything that is sent, as counted before it is sent. */
  readonly tokens: number;
  /** The window; null where none was given, and so for the thresholds. */
  readonly window: number | null;
  /** The highest threshold that is passed. */
  readonly fullness: Fullness;
  /** Tokens at `warn_at`. */
  readonly warning: number | null;
  /** Tokens at `compact_at`. */
  readonly critical: number | null;
  /** Tokens at `hard_at`. */
  readonly hard: number | null;
}

/** What fills a request, in tokens. */
export interface WindowComposition {
  /** Instructions that are messages. */
  readonly system: number;
  /** What users and models said, calls included. */
  readonly messages: number;
  /** What stands for older messages. */
  readonly summary: number;
  /** What tools returned, as it is shown. */
  readonly results: number;
  /** What the host keeps free: tool definitions, room for the answer. */
  readonly reserved: number;
}

/** Weighs a request against a window. */
export function weigh(
  tokens: number,
  window: number | null,
  thresholds: Pick<Policy, 'warnAt' | 'compactAt' | 'hardAt'>,
): RequestNumbers {
  if (window === null)
    return { tokens, window, fullness: 'normal', warning: null, critical: null, hard: null };
  const { warnAt, compactAt, hardAt } = thresholds;
  const [warning, critical, hard] = [warnAt, compactAt, hardAt].map((share) =>
    Math.floor(window * share),
  ) as [number, number, number];
  const fullness =
    tokens > hard ? 'hard' : tokens > critical ? 'critical' : tokens > warning ? 'warning' : 'normal';
  return { tokens, window, fullness, warning, critical, hard };
}
