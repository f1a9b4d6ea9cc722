// How many checks passed, failed and were skipped: the line that people and CI read, and the file
// through which a step hands its counts to `npm run verify` (scripts/dev.mjs names it in
// SPILLWAY_COUNTS_FILE).
import { writeFileSync } from 'node:fs';

export function countsLine({ passed, failed, skipped = 0 }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

export function reportCounts(counts) {
  console.log(countsLine(counts));
  const file = process.env.SPILLWAY_COUNTS_FILE;
  if (file) writeFileSync(file, JSON.stringify(counts));
}
