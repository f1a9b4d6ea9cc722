/**
 * Numbers as people and models read them: thousands separators and sizes, the same in every locale.
 */

export function formatCount(value: number): string {
  return Math.abs(value) < 1_000 ? String(value) : String(value).replace(/\B(?=(?:\d{3}){1,7}$)/g, ',');
}

/** `1 line`, `1,200 lines`. */
export function pluralize(value: number, thing: string): string {
  return `${formatCount(value)} ${thing}${value === 1 ? '' : 's'}`;
}

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** `890 KB`, `2.3 MB`: powers of 1,000, one decimal below 10. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return pluralize(bytes, 'byte');
  let value = bytes;
  let unit = -1;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit]}`;
}

/** `0.25 s`, `12.3 s`, `30 s`, `3 min 20 s`, `2 h 5 min`: as exact as a reader needs it. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 99.95) return `${Number(Math.max(0.01, seconds).toFixed(seconds < 1 ? 2 : 1))} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return withRest(minutes, 'min', Math.round(seconds) - minutes * 60, 's');
  const hours = Math.floor(minutes / 60);
  return withRest(hours, 'h', minutes - hours * 60, 'min');
}

function withRest(value: number, unit: string, rest: number, smaller: string): string {
  return rest === 0 ? `${formatCount(value)} ${unit}` : `${formatCount(value)} ${unit} ${rest} ${smaller}`;
}
