/** Spans of time as people write and read them: `7d` on the command line, `3 min` in a table. */
import { pluralize } from '@spillway/core/plugin';

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** What `30s`, `90m`, `24h`, `7d` or `2w` means, in milliseconds; undefined for anything else. */
export function spanOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** How long ago something was: `now`, `3 min`, `5 h`, `6 days`; after two months its date. */
export function ageOf(at: number, now: number): string {
  const ms = Math.max(0, now - at);
  if (ms < UNITS_MS.m) return 'now';
  if (ms < UNITS_MS.h) return `${Math.floor(ms / UNITS_MS.m)} min`;
  if (ms < UNITS_MS.d) return `${Math.floor(ms / UNITS_MS.h)} h`;
  const days = Math.floor(ms / UNITS_MS.d);
  return days <= 60 ? pluralize(days, 'day') : new Date(at).toISOString().slice(0, 10);
}

/**
 * What `--since` means, in milliseconds since 1970; undefined if it was not given. `refuse` makes
 * the error for what is neither a span nor a date.
 */
export function sinceWhen(
  text: string | undefined,
  now: number,
  refuse: (takes: string) => Error,
): number | undefined {
  if (text === undefined) return undefined;
  const span = spanOf(text);
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (span === undefined && Number.isNaN(at))
    throw refuse('since takes 90m, 24h, 7d, 2w, or a date such as 2024-05-01.');
  return span === undefined ? at : now - span;
}
