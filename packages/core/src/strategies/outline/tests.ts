/** Runs of tests that went well. */
import type { Plan, PlanFacts, PlanTier } from '../../model/plan.ts';
import { piecesOf, type Rows, sampleNames } from '../../table/plan.ts';
import { pluralize } from '../../text/numbers.ts';

const PASSED =
  /^\s*(?:✓|✔|√|ok\b|PASS\b|\[ {0,7}OK|\[PASS|--- PASS)|(?:\bPASSED\b|\sok)(?: +\[ *\d+%\])?(?: +\(?[\d.]+ ?m?s\)?)?$|\bPassed +[\d.]+ sec$|^\s*[\w./-]+ [.sx]+ +\[/;
/** What runners print of a test beside its result: its start, its time. */
const ROUTINE =
  /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) |# Subtest: |Start +\d+: )|^\s+(?:---|\.\.\.|duration_ms: .{0,40}|type: '\w{1,20}')$/;
const SUMMARY =
  /\b\d+ (?:passing|passed|pending|skipped|tests?|todo|failing|suites?|files?)\b|^\s*(?:Tests?|Test Files|Test Suites|Snapshots|Ran \d+|Duration|test result|TOTAL)\b/;
const STANDS_OUT =
  /\b(?:skip(?:ped)?|pending|xfail(?:ed)?|xpass|todo|warnings?|deprecat\w*|flaky)\b|^\s*(?:↓|- )/i;
/** `ok  example.com/app/store 0.10s`, or a file of tests. */
const SUITE_NAME = /^ok\s+([^\s/]+\/\S+)\t|(?:^|\s)((?:[\w.@-]+\/)*[\w.@-]+\.[A-Za-z]\w{0,4})(?=::|\s|$)/;
const LEAST_PASSED = 10;
const LEAST_SHARE = 0.35;
/** What the names of suites may take. */
const SUITES_CHARS = 120;
const LONGEST_SUITE = 60;
const MOST_ODD = 5;
const LONGEST_ODD = 160;
const MOST_FOOTER = 10;

/** A run of tests that went well: its summary, the suites by name, what was skipped or warned of. */
export function testsPlan(rows: Rows, { isFile, wentWell, unusual }: PlanFacts): Plan | null {
  const isOfTest = (text: string) => PASSED.test(text) || ROUTINE.test(text);
  if (isFile || !wentWell() || rows.share(isOfTest) < LEAST_SHARE) return null;
  const filled = rows.filled();
  const passed = new Set<number>();
  const odd: number[] = [];
  const totals: number[] = [];
  const files = new Set<string>();
  const groups = new Set<string>();
  for (const [at, row] of filled.entries()) {
    const text = rows.text(row);
    const isOdd = STANDS_OUT.test(text);
    if (PASSED.test(text) && !isOdd) {
      passed.add(row);
      const [, ofPackage, ofFile] = SUITE_NAME.exec(text) ?? [];
      const name = ofPackage ?? ofFile?.replace(/::.*/, '');
      if (name !== undefined && name.length < LONGEST_SUITE) files.add(name);
    } else if (ROUTINE.test(text)) passed.add(row);
    else if (SUMMARY.test(text)) totals.push(at);
    else if (isOdd) odd.push(row);
    else if (rows.indent(row) <= 2 && text.length < LONGEST_SUITE && standsAbove(rows, filled, at))
      groups.add(text.trim());
  }
  if (passed.size < LEAST_PASSED) return null;
  const footer = footerOf(filled, passed);
  // What stands right above the totals belongs to them.
  const summary = totals
    .slice(-6)
    .flatMap((at) => filled.slice(Math.max(0, at - 2), at + 1))
    .filter((row) => !passed.has(row));
  const others = unusual().filter((row) => !passed.has(row) && rows.text(row).length < LONGEST_ODD);
  const shown = [...new Set([...odd.slice(0, MOST_ODD), ...others.slice(0, MOST_ODD)])];
  // Groups of tests lie in files: they are told where no file is.
  const names = [...(files.size > 0 ? files : groups)];
  const listed = `${pluralize(names.length, 'suite')}: ${sampleNames(names, SUITES_CHARS)}`;
  const [first = 0] = filled;
  const firstPassed = filled.find((row) => row > first && passed.has(row)) ?? first;
  const tiers: PlanTier[] = [
    { pieces: piecesOf([...new Set([...summary, ...footer])].sort((a, b) => a - b)), share: 0.3 },
    { pieces: piecesOf([first]), share: 0.1 },
    {
      pieces: names.length < 2 || rows.table.isPruned ? [] : [{ row: firstPassed, text: listed }],
      share: 0.2,
    },
    { pieces: piecesOf(shown.sort((a, b) => a - b)), share: 0.15 },
  ];
  return { strategy: 'smart_summary', why: 'all tests passed', tiers, isQuoted: true };
}

/** Whether deeper rows begin below it, and the first of them that has none below it passed. */
function standsAbove(rows: Rows, filled: readonly number[], at: number): boolean {
  const [row, below] = [filled[at], filled[at + 1]];
  if (row === undefined || below === undefined || rows.indent(below) <= rows.indent(row)) return false;
  return PASSED.test(rows.text(below)) || standsAbove(rows, filled, at + 1);
}

/** What stands below the last test, without blank rows; the end of it, if it is long. */
function footerOf(filled: readonly number[], passed: ReadonlySet<number>): number[] {
  const last = filled.findLastIndex((row) => passed.has(row));
  // The last row is one of it in any case: `ok  example.com/app/store  2.1s`.
  return filled.slice(Math.max(Math.min(last + 1, filled.length - 1), filled.length - MOST_FOOTER));
}
