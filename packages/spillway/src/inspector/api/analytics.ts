/** Analytics: what was cut, saved, fetched again and perhaps lost. All tokens are estimates. */

/**
 * `GET /api/analytics?since=7d&tool=NAME` — `since` is a span (`90m`, `24h`, `7d`, `2w`), a date,
 * or absent for everything.
 */
export interface AnalyticsAnswer {
  readonly since_at: number | null;
  readonly total: ToolNumbers;
  readonly tools: readonly ToolNumbers[];
  readonly history: {
    readonly missing_results: number;
    readonly refetches: number;
    readonly reexecutions: number;
    readonly overflows_avoided: number;
  };
  /** Equal spans of time, oldest first, also the empty ones. */
  readonly buckets: readonly TimeBucket[];
  readonly bucket_ms: number;
  readonly losses: readonly LossRow[];
  readonly recommendations: readonly AdviceRow[];
  /** Why there is no recommendation; null where there is one. */
  readonly no_advice: string | null;
}

export interface ToolNumbers {
  readonly tool: string;
  readonly outputs: number;
  readonly cut: number;
  /** Results of which it is known what a model was shown. */
  readonly shown: number;
  readonly bytes: number;
  readonly median_chars: number;
  readonly p95_chars: number;
  readonly shown_chars: number;
  readonly fetched_chars: number;
  /** Net of what was fetched later; below 0 where more was read. */
  readonly tokens_saved: number;
  /** Cut outputs of which something was fetched later, and of which nothing was. */
  readonly refetched: number;
  readonly unfollowed: number;
  readonly reexecuted: number;
  readonly losses: number;
  readonly not_stored: number;
}

export interface TimeBucket {
  readonly from_at: number;
  readonly outputs: number;
  readonly cut: number;
  readonly fetched: number;
  readonly tokens_saved: number;
}

export interface LossRow {
  readonly id: string;
  readonly at: number;
  readonly tool: string;
  readonly session: string;
  readonly summary: string;
  readonly why: 'failure_left_out' | 'made_again';
  readonly part: string | null;
  readonly line: number | null;
}

export interface AdviceRow {
  readonly tool: string;
  readonly setting: string;
  readonly value: string | number | boolean;
  readonly current: string | number | boolean;
  /** One sentence with the numbers. */
  readonly sentence: string;
  /** The outputs it was computed from. */
  readonly evidence: readonly string[];
}
