/** Milliseconds of a clock that nobody sets. Not `performance`, which takes longer to load than to ask. */
export function monotonicMs(): number {
  return process.uptime() * 1_000;
}
