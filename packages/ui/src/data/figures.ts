/** Numbers, sizes and times as people read them. */

const whole = new Intl.NumberFormat('en-US');
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `1,548` */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** `1 line`, `3 lines`, `1 match`, `2 matches`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `762 B`, `7.9 KB`, `125 KB`: thousands, as disks count. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `84 k`, `1.2 M`, `930`. */
export function formatShort(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return formatCount(Math.round(value));
  return size < 999_500 ? `${Math.round(value / 1_000)} k` : `${(value / 1_000_000).toFixed(1)} M`;
}

/** A share as `6 %`; what is there but below one is `<1 %`. */
export function formatShare(part: number, of: number): string {
  if (of <= 0) return '0 %';
  const share = (part / of) * 100;
  return share > 0 && share < 1 ? '<1 %' : `${Math.round(share)} %`;
}

/** `14:00:44`; with the day once it is not today's. */
export function formatTime(at: number, now = Date.now()): string {
  return isSameDay(at, now) ? clock.format(at) : `${day.format(at)} ${minute.format(at)}`;
}

export function formatExact(at: number): string {
  return exact.format(at);
}

/** `now`, `12 min`, `2 h`, `yesterday`, `14 Nov`. */
export function formatAgo(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (isSameDay(at, now)) return `${Math.floor(minutes / 60)} h`;
  return isSameDay(at, now - 86_400_000) ? 'yesterday' : day.format(at);
}

/** The start of a span of time: `14:00` for hours, `16 Nov` for days. */
export function formatSpan(at: number, spanMs: number): string {
  if (spanMs >= 86_400_000) return day.format(at);
  return spanMs >= 21_600_000 ? `${day.format(at)} ${minute.format(at)}` : minute.format(at);
}

/** `119 ms`, `2.4 s`, `12 s`, `3 min`, `2 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${ms < 10_000 ? (ms / 1_000).toFixed(1) : Math.floor(ms / 1_000)} s`;
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 3_600_000)} h`;
}

/** `66–106`, or `66` for one line. */
export function formatLines(first: number, last: number): string {
  return first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`;
}

function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}
