// Checks that api/ holds what the built declarations say, and that every export is documented; with
// --write makes the reports so. Needs a build. Run by `npm run check`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readApi } from './api.mjs';
import { root } from './toolchain.mjs';

const command = 'npm run build && node scripts/check-api.mjs --write';
for (const { name, report, text, undocumented } of readApi()) {
  const file = join(root, report);
  if (process.argv.includes('--write')) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (kept !== text) wrong(`The surface of ${name} is not the one in ${report}:\n${difference(kept, text)}`);
  if (kept !== text) wrong(`If that is meant, write the report anew: ${command}`);
  if (undocumented.length > 0) wrong(`${name} exports without a /** comment */: ${undocumented.join(', ')}.`);
}
if (!process.exitCode) console.log('the reports in api/ are up to date');

/** The lines that only one of the two has; enough to see what changed. */
function difference(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const gone = old.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const come = now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`);
  return [...gone, ...come].slice(0, 40).join('\n');
}

function wrong(message) {
  console.error(message);
  process.exitCode = 1;
}
