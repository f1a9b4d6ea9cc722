/** Lists of files and folders. */
import { CONFIDENCE, type Format, type LineShapes, type ShapeScore } from '../../model/format.ts';
import type { SampleLine } from '../../model/text-sample.ts';
import { anyOf } from '../by-line/patterns.ts';
import { listingPlan, worthOfPaths } from './plan.ts';

const LISTING_SHAPES: LineShapes = {
  kind: 'listing',
  share: 0.45,
  plain: 0,
  cover: 0.9,
  least: 2,
  weighted: [
    [
      1,
      anyOf([
        /^(?:\s{0,12}\d{1,12}\s{1,12}\d{1,12} )?[-dlbcps][-rwxsStT]{9}[.+@]?\s{1,8}\d/, // ls -l, tar tv, find -ls
        /^[│├└|`\s\u00a0]{0,200}(?:[├└]─[─┬]|[|`+]--) /, // tree, npm ls
        /^\d{6} (?:blob|tree|commit) [0-9a-f]{40}/, // git ls-tree
        /^\d{6} [0-9a-f]{40} \d\t/,
        /^(?:[ MADRCU?!]{2}) [^\s:;,]{1,240}(?: -> [^\s]{1,240})?$/, // git status --short
        /^[0-9a-f]{32,128} [ *]\S/, // sha256sum
        /^\d{1,12}[KMGT]?\t[^\t,;]{1,240}$|^\d+(?:\.\d)?[KMGT]\s{1,8}\.{0,2}\//, // du
        /^\[(?:DIR|FILE)\] \S/,
        /^\d\d\/\d\d\/\d{4}\s{1,4}\d\d:\d\d/, // dir
        /^total \d{1,12}[KMG]?$|^\d+ director(?:y|ies)(?:, \d+ files?)?$/,
        /^\s{0,4}\S{1,200}\s{1,200}\|\s{1,12}(?:\d+ [+-]{0,200}|Bin .{1,60})$/, // git diff --stat
        /^\.{1,2}:?$|^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)[^:;,(){}<>"'=|\t]{0,240}:?$/, // a path alone
        /^[\w@.+~%#-]{1,80}(?:[/\\][\w@.+~%#$[\]()-]{1,120}){1,40}[/\\]?:?$/,
      ]),
    ],
    [0.8, anyOf([/^[\w@.+~-]{1,80}\.\w{1,10}$/, /^[\w@.+~-]{1,60}\/$/])],
    [0.4, anyOf([/^[A-Za-z_@.][\w@.+~-]{0,80}$/])],
  ],
};

export const listing: Format = {
  name: 'listing',
  kinds: ['listing'],
  hints: [{ kind: 'listing', tools: /(?:^|_)(?:list|ls|glob|find_files|tree|dir)(?:_|$)|directory/ }],
  shapes: [LISTING_SHAPES],
  recognisers: [
    {
      confidence: CONFIDENCE.lines,
      recognise: ({ lines }, { shaped, shapes }) =>
        shaped === null && areNames(lines, shapes) ? { kind: 'listing' } : null,
    },
  ],
  plan: listingPlan,
  worth: worthOfPaths,
  errorLines: 'quoted',
};

const LEAST_NAMES = 5;
const IN_ORDER = 0.8;

function areNames(lines: readonly SampleLine[], score: ShapeScore): boolean {
  if (lines.length < LEAST_NAMES || score.covered('listing') < score.lines) return false;
  const names = lines.map(({ text }) => text.toLowerCase().replace(/^[^a-z0-9]+/, ''));
  const ordered = names.filter((name, i) => i > 0 && name > (names[i - 1] ?? '')).length;
  return ordered >= (lines.length - 1) * IN_ORDER;
}
