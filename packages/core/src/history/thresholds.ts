/**
 * How full a context window is, in names: a share strictly above a threshold has passed it. Units:
 * tokens.
 */

/** `normal`, past `warn_at`, past `compact_at`, past `hard_at`. */
export type Fullness = 'normal' | 'warning' | 'critical' | 'hard';

/** The thresholds as shares of the window. */
export interface Thresholds {
  readonly warnAt: number;
  readonly compactAt: number;
  readonly hardAt: number;
}

/** What a request comes to, and where the thresholds lie. */
export interface RequestNumbers {
  readonly tokens: number;
  /** Null where no window was given. */
  readonly window: number | null;
  readonly fullness: Fullness;
  readonly warning: number | null;
  readonly critical: number | null;
  readonly hard: number | null;
}

/** What fills a request, in tokens. */
export interface WindowComposition {
  readonly system: number;
  readonly messages: number;
  /** What stands for older messages. */
  readonly summary: number;
  readonly results: number;
  /** What the host keeps free: tool definitions, room for the answer. */
  readonly reserved: number;
}

/** Weighs a request against a window. */
export function weigh(tokens: number, window: number | null, thresholds: Thresholds): RequestNumbers {
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
