import { describe, expect, it } from 'vitest';
import { isSureFailure } from '../../src/vocabulary/sure.ts';

describe('a line that surely speaks of a failure', () => {
  it.each([
    'ERROR migrating record 1500: constraint violated',
    '[FATAL] cannot go on',
    'error: linking with `cc` failed',
    'error[E0308]: mismatched types',
    'psql:load.sql:1500: ERROR:  duplicate key value',
    'src/a.ts(3,4): error TS2322: Type mismatch',
    'tar: home/ada/.ssh/id_ed25519: Cannot open: Permission denied',
    'rg: ./secrets/keys: Permission denied (os error 13)',
    "ls: cannot access 'x': No such file or directory",
    'curl: (7) Failed to connect to localhost port 80',
    'Traceback (most recent call last):',
    "KeyError: 'chapter_17'",
    'java.lang.IllegalStateException: closed',
    'not ok 17 - reads the file',
    '[ ] step 15: FAILED, the files are not in place',
    'time=12 level=error msg="object not stored"',
    '{"level":"error","msg":"x"}',
    '{"level":50,"msg":"x"}',
    '10.0.0.1 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 503 326 "-" "curl"',
    'worker-7      0/1     CrashLoopBackOff    212        4d',
    'FEHLER: Datensatz 1500 verletzt die Eindeutigkeit',
    'Ошибка: файл не найден',
    '错误：找不到文件',
    'make: *** [Makefile:4: all] Error 2',
    'The command "mix test" exited with 1.',
    '=================================== FAILURES ===================================',
    '============ 2 failed, 28 passed in 1.20s ============',
    '** (RuntimeError) the line does not match',
    '**error:{assertEqual,[{module,acc_tests},',
  ])('is told by its form: %s', (line) => {
    expect(isSureFailure(line, 'bare')).toBe(true);
  });

  it('may have words between its time stamp and its label', () => {
    expect(isSureFailure('worker sync ERROR lost the connection', 'stamped')).toBe(true);
    expect(isSureFailure('worker sync ERROR lost the connection', 'bare')).toBe(false);
  });

  it.each([
    'level=info status=200 msg="stored"',
    'src/error-handler.ts',
    'ERROR_CODES = { 1: "x" }',
    'export class ParseError extends Error {',
    "  throw new Error('closed');",
    "  error: 'something else',",
    '// ERROR: kept for old clients',
    '# Errors and warnings',
    "src/log.ts:12:  error: 'x',",
    'error: 0',
    'errors: none',
    '0 errors, 0 warnings',
    'The ERROR state is entered when the peer closes.',
    'The log levels are DEBUG, INFO, WARN and ERROR.',
    '10.0.0.1 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 503 "-" "curl"',
    'web-1         1/1     Running             0          4d',
    'test_error_handling passed',
  ])('is not a line that only contains the word: %s', (line) => {
    expect(isSureFailure(line, 'bare')).toBe(false);
  });
});
