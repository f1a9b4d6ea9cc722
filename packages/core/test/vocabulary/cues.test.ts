/** The vocabulary says what it is meant to say, and its stems never miss what its patterns find. */
import { describe, expect, it } from 'vitest';
import { CUES } from '../../src/vocabulary/cues.ts';
import { LineFindings } from '../../src/vocabulary/found-lines.ts';
import { LineJudge } from '../../src/vocabulary/judge.ts';
import { isError, isWarning, Look } from '../../src/vocabulary/verdict.ts';
import {
  CueFlag,
  type OwnPatterns,
  standardVocabulary,
  stemOf,
  vocabularyWith,
} from '../../src/vocabulary/vocabulary.ts';
import { shown } from '../opening.ts';
import { piecesIn, tableOf } from '../tables.ts';
import { speaksOfFailure } from './failure-lines.ts';

/** The verdict on one line. */
function looked(line: string, own?: OwnPatterns) {
  const vocabulary = own === undefined ? standardVocabulary() : vocabularyWith(own);
  const table = tableOf(`${line}\n`, { vocabulary });
  const judge = new LineJudge(table, vocabulary);
  const verdict = judge.of(0, true);
  const [weight, flags] = [judge.weight[verdict] as number, judge.flags[verdict] as number];
  const cues = judge.isCued(0) ? judge.cuesOf(0).map(({ name }) => name) : [];
  return { weight, flags, cues, isCued: judge.isCued(0), contextFactor: judge.factor[verdict] as number };
}

/** What tools print, by the cue that is to see it. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'failed test': [
    '--- FAIL: TestParse (0.00s)',
    'not ok 3 - returns the sum',
    '  ✖ renders the page',
    'tests/test_a.py::test_b FAILED [ 50%]',
    '[  FAILED  ] Suite.Case (0 ms)',
    'test result: TIMEOUT!',
    '[-] throws when empty 12ms',
  ],
  'failure entry': [
    '  1) adds numbers',
    '12) OrderTest::testTotal',
    '  ● cart › adds an item',
    '---- parse::works stdout ----',
    '_______ test_discount _______',
    'ERROR: test_x (tests.A)',
    'Scenario: paying twice:',
  ],
  crash: [
    "thread 'main' panicked at src/main.rs:2:5:",
    'panic: runtime error: index out of range [3]',
    'Traceback (most recent call last):',
    'Segmentation fault (core dumped)',
    '==12==ERROR: AddressSanitizer: heap-use-after-free',
    'kernel BUG: at mm/slub.c',
    'Uncaught TypeError: x is undefined',
    'fatal: Out of memory, malloc failed',
    'Aborted message: no luck',
    'tar: write error: No space left on device',
    'fork: Cannot allocate memory',
    'write: Disk quota exceeded',
    'accept: too many open files',
  ],
  'error said': [
    'main.c:3:5: error: expected expression',
    'error[E0382]: borrow of moved value',
    'fatal: not a git repository',
  ],
  exception: ['java.lang.IllegalStateException: closed', 'ValueError: bad literal', '** (RuntimeError) oops'],
  'error tag': [
    '##[error]Process completed',
    'npm ERR! code E404',
    '[ERROR] Failed goal',
    'level=x CRITICAL down',
    'E   assert 1 == 2',
    '! LaTeX Error',
  ],
  expectation: [
    'Expected: 3 but was: 4',
    'expected 1 to equal 2',
    'AssertionError',
    'Failed asserting that false is true.',
    'wanted 5 got 6',
    'value was not equal',
  ],
  'summary of failures': [
    '=== FAILURES ===',
    'Failed tests:',
    'There were 2 failures',
    '* What went wrong',
    'short test summary info',
  ],
  stack: ['Stack trace:', 'backtrace follows', 'Thread 0 Crashed:', 'Faulting module', 'signal 11 (SIGSEGV)'],
  'error code': [
    'Error: ENOENT: no such file',
    'error TS2304: no name',
    'HTTP/1.1 503 Service Unavailable',
    'pod in CrashLoopBackOff',
    'status code: 404',
    'npm ERR! E404',
    'ORA-00942: table',
  ],
  'strong refusal': [
    'bash: foo: command not found',
    'No space left on device',
    'connection refused',
    'could not resolve host',
    'request timed out',
    'Killed',
    'failed to push some refs',
  ],
  'bad end': [
    'make: *** [all] Error 2',
    'Process exited with code 1',
    'BUILD FAILED in 3s',
    'npm ERR! code ELIFECYCLE',
    'returned non-zero exit status 2',
    'Command failed: x',
  ],
  'count of failures': ['Tests: 3 failed, 4 passed', 'failures=2', '2 errors generated.'],
  'first frames': ['#0  0x00007f in main ()', '    #1 0x55 in f', '00 pc 00012abc'],
  'lint finding': ['  3:5  error  no-undef', '12:1: warning'],
  comparison: ['left: 1', 'got: 4', 'assert x == y', 'it should be red', 'actual 3'],
  'place in a source': ['src/a.ts:12:3 it failed', 'tests/order_test.php:44: error'],
  cause: ['Caused by: java.io.IOException', 'because the file is gone', 'due to a conflict'],
  'weak refusal': [
    'unknown option',
    'file is missing',
    "can't do that",
    'invalid value',
    'deprecated call',
    'too many arguments',
  ],
  warning: ['warning: unused variable', 'WARN slow query'],
  'failure word': ['an error', 'it failed'],
  'message field': ['  "message": "no",', "reason = 'x'", '<failure message="no">'],
  result: [
    '  ➜  Local:   http://127.0.0.1:5199/',
    'Deployed to https://shop.example',
    'https://github.com/acme/shop/pull/482',
    'Successfully tagged shop:1.4.2',
    ' 13 files changed, 489 insertions(+)',
  ],
  'good end': [
    ' 0 fail',
    '[INFO] BUILD SUCCESS',
    'The command exited with 0.',
    'Process exited with code 0',
    'Finished: SUCCESS',
    '=== 12 passed in 0.3s ===',
    'test result: ok. 3 passed',
    'OK (12 tests, 30 assertions)',
  ],
  advisory: ['CVE-2024-12345 high', 'GHSA-abcd'],
  banner: ['==== step two ====', '--- results ---'],
};

describe('a cue', () => {
  it('has examples', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(CUES.map((cue) => cue.name).sort());
  });

  it.each(CUES.map((cue) => cue.name))('%s sees what it is for', (name) => {
    expect((EXAMPLES[name] ?? []).filter((line) => !looked(line).cues.includes(name))).toEqual([]);
  });

  it.each([
    '0 errors, 12 passed',
    'gcc -Wall -Werror -O2 -c main.c',
    'cc -c error_handler.o',
    '✓ fails when the token is missing (3 ms)',
    'Compiling failure v0.1.8',
    'for more information try --help',
    'error-pages-6c8d5f9b7-k4mhz    1/1     Running   0          2m',
    '  Passed Shop.Tests.CartTests.ThrowsAnErrorOnFailure [1 ms]',
    '#1 [internal] load build definition from Dockerfile',
    '    0 Warning(s)',
    '      ✖ pan up when the mouse moves over the border (skipped)',
    'KernelAddressSanitizer initialized',
    '    #62 0x792f in gpu::error::Codes gpu::raster::Decoder::Run(unsigned int) decoder.cc:1596',
  ])('is not taken from %j', (line) => {
    expect(looked(line).weight).toBeLessThan(2.5);
  });

  it.each([
    "src/part.c:80:5: warning: unused variable 'tmp' [-Wunused-variable]",
    "Order.cs(9,13): warning CS0168: The variable 'count' is declared but never used",
    '  1:1   warning  Unexpected var, use let or const instead  no-var',
    'w: file:///src/Cart.kt:30:13 Variable is never used',
  ])('takes a warning from %j, and no error', (line) => {
    const { flags, weight } = looked(line);
    expect(flags & CueFlag.warning).not.toBe(0);
    expect(weight).toBeGreaterThan(0.5);
    expect(weight).toBeLessThan(4);
  });

  it.each([
    '  0x0c2a8001df70: 00 00 00 00 fa fa fa fa fa fa fa fa fa fa fa fa',
    '=>0x0c047fff8000: fa fa 00[04]fa fa fa fa fa fa fa fa fa fa fa fa',
    'Shadow byte legend (one shadow byte represents 8 application bytes):',
    '  Stack after return:      f5',
    '00000010  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00',
    '    r4 8ef4edb8  r5 00000008  r6 00000002  r7 0000010c',
    '/home/ci/.cache/pkg/left-pad-1.3.0/package.json',
    'C:\\build\\out\\app.dll',
    '[ERROR] Re-run Maven using the -X switch to enable full debug logging.',
    'Unpacking cmake (2.8.12) ...',
  ])('gives %j little of what is said beside it', (line) => {
    expect(looked(line).contextFactor).toBeLessThanOrEqual(0.35);
  });

  it.each([
    '    #3 0x0003a1b0 in render src/page.c:9',
    'src/page.c:9:4',
    '/srv/app/cart.js:12',
    'left: 00 11 22',
    '+ CategoryInfo          : OperationStopped: (build:String) [], RuntimeException',
    'deadbeef went missing',
  ])('gives %j all of it', (line) => {
    expect(looked(line).contextFactor).toBe(1);
  });

  it('is not even looked for in a quiet line', () => {
    expect(looked('2026-01-01T10:00:00Z GET /index.html 200 12 ms').isCued).toBe(false);
  });
});

describe('a cue that is added', () => {
  const own = { errors: [/QXZ went away/], warnings: [] };
  const line = 'service 7: QXZ went away';

  it('counts for logs, for findings and for what a line says by itself', async () => {
    const log = Array.from({ length: 2_000 }, (_, i) => (i === 900 ? line : `step ${i} is done`)).join('\n');
    expect((await shown(log, { strategy: 'head_tail' })).text).not.toContain(line);
    for (const strategy of ['smart_summary', 'head_tail', 'auto', 'lines'])
      expect((await shown(log, { strategy }, { ownPatterns: own })).text).toContain(line);
    const errorsIn = (patterns: OwnPatterns) => {
      const findings = new LineFindings(vocabularyWith(patterns), 'any', () => false);
      for (const piece of piecesIn(log)) findings.push(piece);
      findings.finish();
      return findings.errors.lines;
    };
    expect([errorsIn(own), errorsIn({ errors: [], warnings: [] })]).toEqual([[901], []]);
  });

  it('as data is seen by everybody who asks whether a line speaks of failure', () => {
    for (const { name, weight, passes } of CUES.filter((cue) => cue.weight >= 7 && !cue.passes)) {
      expect([name, passes, weight >= 7]).toEqual([name, undefined, true]);
      expect((EXAMPLES[name] ?? []).some(speaksOfFailure)).toBe(true);
    }
  });
});

describe('patterns of a person', () => {
  const matches = (line: string, own: OwnPatterns) => {
    const { weight, flags } = looked(line, own);
    return [weight >= 4, (flags & CueFlag.warning) !== 0];
  };

  it('make a line an error or a warning', () => {
    const own = { errors: [/^QX-\d+ ended/], warnings: [/slowly/] };
    expect(matches('QX-17 ended', own)).toEqual([true, false]);
    expect(matches('it went slowly', own)).toEqual([false, true]);
    expect(matches('QX-17 went on', own)).toEqual([false, false]);
    expect(matches('QX-17 ended', { errors: [], warnings: [] })).toEqual([false, false]);
  });

  it('are looked for by what every match holds, or in every line', () => {
    expect(
      ['^QX-\\d+ ended', 'a.?bcd', 'ab+cde', 'x(y|z)w', 'a|b', '\\d\\d', 'E12[0-9]', '(?i)boom'].map(stemOf),
    ).toEqual([' ended', 'bcd', 'cde', null, null, null, null, null]);
    expect(stemOf('x'.repeat(500))).toBe('x'.repeat(32));
    expect(matches('xzw', { errors: [/x(y|z)w/], warnings: [] })).toEqual([true, false]);
  });

  it.each([/left (?:7|8)$/, /left 7$/])('tell lines apart that differ in a number only: %s', (pattern) => {
    const vocabulary = vocabularyWith({ errors: [pattern], warnings: [] });
    const table = tableOf('disks left 5\ndisks left 7\ndisks left 6\n', { vocabulary });
    const judge = new LineJudge(table, vocabulary);
    expect([0, 1, 2].map((row) => (judge.weight[judge.of(row, true)] as number) >= 4)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('may be more than there are bits in a number', () => {
    const errors = Array.from({ length: 70 }, (_, i) => new RegExp(`word${i}x`));
    expect(matches('here is word69x', { errors, warnings: [] })).toEqual([true, false]);
  });
});

describe('what a tool labels a warning', () => {
  it.each([
    'f98.c:1:20: warning: unused variable ‘unused_98’ [-Wunused-variable]',
    "src/Cart.cs(12,5): warning CS0168: The variable 'e' is declared but never used",
    "  12:5  warning  'total' is assigned a value but never used  no-unused-vars",
    '[WARNING] /src/Cart.java:[12,5] sun.misc.Unsafe is internal and may be removed: unsupported',
    'npm WARN deprecated har-validator@5.1.5: this library is no longer supported: invalid',
    '2026-01-01 10:00:00 WARN pool: connection refused, missing host; retrying',
    '##[warning]The runner is deprecated and unsupported',
  ])('is a warning, however strong its words: %s', (line) => {
    const { weight, flags } = looked(line);
    expect([flags & Look.warns, isError(weight, flags), isWarning(weight, flags)]).toEqual([
      Look.warns,
      false,
      true,
    ]);
  });

  it.each([
    'f200.c:1:40: error: ‘nope200’ undeclared; see the warning: above',
    'ERROR: 3 tests failed, WARN: 2',
    'tests/test_warnings.py::test_warning FAILED',
    'WARN Uncaught TypeError: x is undefined',
    '[ERROR] /src/Cart.java:[12,5] error: warnings found and -Werror specified',
  ])('does not make this one: %s', (line) => {
    const { weight, flags } = looked(line);
    expect([flags & Look.warns, isError(weight, flags)]).toEqual([0, true]);
  });

  it('is an error where a person says so', () => {
    const own = { errors: [/licence expired/], warnings: [] };
    const { weight, flags } = looked('a.c:1:2: warning: licence expired', own);
    expect(isError(weight, flags)).toBe(true);
  });
});
