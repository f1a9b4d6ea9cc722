// Commands that fail and tests that run: compilers on real sources, and small programs in a folder
// of their own. Each command is [kind, command, arguments, where].
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modules, spread, walk } from './reading.mjs';

/** Real sources that a stricter compiler complains about. */
export function failingCompiles() {
  const headers = spread(walk('/usr/include', /\.h$/, 1), 40);
  const scripts = spread(walk(modules, /(?<!\.d)\.js$/, 1), 12);
  const tsc = join(modules, 'typescript/lib/tsc.js');
  return [
    ...headers.map((path) => [
      'compiler',
      'gcc',
      ['-fsyntax-only', '-x', 'c', '-std=c89', '-pedantic', '-Wall', '-Wextra', path],
      '/',
    ]),
    ...headers
      .slice(0, 10)
      .map((path) => [
        'compiler',
        'g++',
        ['-fsyntax-only', '-x', 'c++', '-std=c++98', '-pedantic', '-Wall', '-Wsystem-headers', path],
        '/',
      ]),
    ...scripts.flatMap((path, i) => [
      [
        'compiler',
        process.execPath,
        [tsc, '--noEmit', '--checkJs', '--strict', '--pretty', String(i % 2 === 0), path],
        '/',
      ],
    ]),
  ];
}

/** Small programs that fail, and small tests, run by the tools that are installed. */
export function programs() {
  const folder = mkdtempSync(join(tmpdir(), 'detection-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tests =
    "const test = require('node:test'); const assert = require('node:assert');\nfor (let i = 0; i < 30; i++) test('adds ' + i, () => assert.equal(i % 7 === 3 ? 1 : 0, 0));\n";
  const pytest =
    "import pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_small(n):\n    assert n % 9 != 4\ndef test_text():\n    assert 'a\\nb' == 'a\\nc'\n";
  const js = write(
    'fail.js',
    "function f(n) { if (n === 0) throw new TypeError('deep'); f(n - 1); }\nf(8);\n",
  );
  const py = write(
    'fail.py',
    'def f(n):\n    return 1 / n if n == 0 else f(n - 1)\ntry:\n    f(9)\nexcept ZeroDivisionError as e:\n    raise ValueError("again") from e\n',
  );
  const c = write(
    'fail.c',
    '#include <stdlib.h>\nstatic int g(int *p) { return p[12]; }\nint main(void) { int *p = malloc(8); free(p); return g(p); }\n',
  );
  const java = write(
    'Fail.java',
    'public class Fail { static int f(int n) { if (n == 0) throw new IllegalStateException("deep", new RuntimeException("cause")); return f(n - 1); }\n public static void main(String[] a) { f(9); } }\n',
  );
  const badJava = write(
    'Bad.java',
    'import java.util.List;\npublic class Bad { int x = "a"; List<Foo> y; void f() { g(); int z = 1 return; } String h() { } }\n',
  );
  const rust = write(
    'fail.rs',
    'fn f(n: u32) -> u32 { if n == 0 { let v: Vec<u32> = vec![]; v[1] } else { f(n - 1) } }\nfn main() { f(6); }\n',
  );
  const badRust = write(
    'bad.rs',
    'use std::fs::Nothing;\nfn main() { let x: i32 = "a"; let y = x.foo(); let v = vec![1]; drop(v); println!("{:?} {}", v, z); }\n',
  );
  const rustTest = write(
    'tests.rs',
    '#[test] fn adds() { assert_eq!(1 + 1, 2); }\n#[test] fn fails() { assert_eq!(vec![1, 2], vec![1, 3]); }\n#[test] fn third() {}\n',
  );
  const node = process.execPath;
  const shell = (line) => ['sh', ['-c', line], folder];
  const jsTest = write('some.test.js', tests);
  const pyTest = write('test_some.py', pytest);
  return [
    ['trace', node, [js], folder],
    ['trace', node, ['-e', 'Promise.reject(new Error("x")); setTimeout(() => {}, 9)'], folder],
    ['trace', 'python3', [py], folder],
    ['trace', 'python3', ['-c', 'import json; json.loads("{")'], folder],
    ['trace', 'java', [java], folder],
    ['trace', ...shell(`gcc -g -fsanitize=address ${c} -o asan && ./asan`)],
    ['trace', ...shell(`rustc -g ${rust} -o panic && ./panic`)],
    ['compiler', 'javac', [badJava], folder],
    ['compiler', 'rustc', [badRust], folder],
    ['compiler', 'rustc', ['--error-format=short', badRust], folder],
    ['test', ...shell(`rustc --test ${rustTest} -o t && ./t`)],
    ...['spec', 'tap'].map((reporter) => [
      'test',
      node,
      ['--test', `--test-reporter=${reporter}`, jsTest],
      folder,
    ]),
    ...[[], ['-v'], ['-q'], ['-v', '-k', 'small and 1']].map((args) => [
      'test',
      'python3',
      ['-m', 'pytest', '-p', 'no:cacheprovider', ...args, pyTest],
      folder,
    ]),
    [
      'test',
      'perl',
      ['-e', 'use Test::More tests => 30; is($_ % 8, $_ == 17 ? 0 : $_ % 8, "mod $_") for 1..30;'],
      folder,
    ],
  ];
}
