// Checks that people can read sources and pages in a window: no comment line of the sources and no
// line of prose in a page is longer than 110 columns (we wrap at 100). Tables, code blocks, links
// on a line of their own, directives of tools, and comments behind code are not prose. Run by
// `npm run check`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const WIDEST = 110;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
  cwd: root,
  maxBuffer: 1 << 28,
});
const files = listed
  .toString()
  .split('\0')
  .filter(
    (name) =>
      /\.(ts|tsx|mjs|js|md)$/.test(name) &&
      !/fixtures|corpus|^api\/|reference\/|inspector\/assets/.test(name),
  );
const problems = files.flatMap((file) => {
  const lines = textOf(file).split('\n');
  const wide = file.endsWith('.md') ? wideProse(lines) : wideComments(lines);
  return wide.map((i) => `${file}:${i + 1}: ${lines[i].length} columns; wrap at 100`);
});
for (const problem of problems) console.error(problem);
console.log(`${files.length} files, ${problems.length} lines wider than ${WIDEST} columns`);
if (files.length < 500) throw new Error('The sources were not found.');
process.exitCode = problems.length > 0 ? 1 : 0;

/** Nothing, if it was removed and not committed yet. */
function textOf(file) {
  try {
    return readFileSync(`${root}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function wideComments(lines) {
  return lines.flatMap((line, i) => {
    const isComment = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$))/.test(line);
    const isDirective = /biome-ignore|@ts-|\* \|/.test(line);
    return isComment && !isDirective && line.length > WIDEST && /\S\s+\S.*\s/.test(line.slice(0, WIDEST))
      ? [i]
      : [];
  });
}

function wideProse(lines) {
  let fence = null;
  return lines.flatMap((line, i) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
    if (fence !== null || mark !== undefined) return [];
    const isProse = !/^\s*(?:\||<|\[[^\]]+\]: | {4})/.test(line) && /\S\s+\S/.test(line.slice(0, WIDEST));
    // A long piece of code or a link cannot be wrapped.
    const words = line.replace(/`[^`]*`/g, 'x').replace(/\]\([^)]*\)/g, ']');
    return isProse && line.length > WIDEST && words.length > 100 ? [i] : [];
  });
}
