/** Short outputs of real tools, as they were printed; paths and ids shortened. */
import type { ContentKind } from '../../src/model/content.ts';

interface Output {
  readonly tool: string;
  readonly kind: ContentKind;
  readonly text: string;
}

export const DIFF = `commit 3eddbde092b008276eb7baf0b1cd51b79f899e3d
Author: A <a@example.com>
Date:   Thu May 2 10:00:00 2024 +0000

    Two instead of one

diff --git a/src/a.ts b/src/a.ts
index cc798ff..66d48fc 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-export const a = 1;
+export const a = 2;
`;

export const CSV = `name,version,licence,homepage
zod,4.1.2,MIT,https://zod.dev
"left, right",1.0.0,"MIT ""or"" ISC",https://example.com/a?b=c,d
re2js,1.2.0,MIT,https://github.com/le0pard/re2js
yaml,2.8.0,ISC,https://eemeli.org/yaml/
`.replace(',d\n', '\n');

export const JSON_TEXT = `{
  "name": "demo", "n": [-1.5e+3, 0, true, false, null],
  "text": "a \\"quoted\\" \\u00e9 \\\\ [not] {this}, é😀",
  "deep": {"a": [{"b": {}}, []], "c": ""}
}
`;

export const OUTPUTS: readonly Output[] = [
  { tool: 'git show', kind: 'diff', text: DIFF },
  {
    tool: 'git format-patch with a long list of files before the change',
    kind: 'diff',
    text: `From 3eddbde092b008276eb7baf0b1cd51b79f899e3d Mon Sep 17 00:00:00 2001
From: A <a@example.com>
Date: Thu, 2 May 2024 10:00:00 +0000
Subject: [PATCH] Two instead of one

---
 src/a.ts | 2 +-
 src/b.ts | 2 +-
`,
  },
  {
    tool: 'diff -u, with times behind the names',
    kind: 'diff',
    text: `--- a.txt\t2024-05-01 10:00:00.000000000 +0000
+++ b.txt\t2024-05-02 10:00:00.000000000 +0000
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
`,
  },
  { tool: 'a CSV file', kind: 'csv', text: CSV },
  {
    tool: 'a pretty-printed JSON array',
    kind: 'json',
    text: '[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n]\n',
  },
  { tool: 'a JSON object', kind: 'json', text: JSON_TEXT },
  { tool: 'jq -c', kind: 'ndjson', text: '{"a":1}\n{"a":2}\n\n[3]\n' },
  {
    tool: 'an SVG',
    kind: 'xml',
    text: '<?xml version="1.0"?>\n<!-- > -->\n<svg xmlns="x"><g id=\'a>b\'/></svg>\n',
  },
  {
    tool: 'a web page',
    kind: 'html',
    text: '<!DOCTYPE html>\n<html><head><title>a</title><body><p>one<p>two<br></html>',
  },
  {
    tool: 'df -h',
    kind: 'table',
    text: `Filesystem      Size  Used Avail Use% Mounted on
devtmpfs         12G     0   12G   0% /dev
tmpfs            24G     0   24G   0% /dev/shm
/dev/vda        252G   25G   77G  25% /
`,
  },
  {
    tool: 'ps aux',
    kind: 'table',
    text: `USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root         1  0.3  0.0  50592 21900 ?        SLl  03:56   0:26 /sbin/init splash
root         2  0.0  0.0      0     0 ?        S    03:56   0:00 [kthreadd]
root         3  0.0  0.0      0     0 ?        S    03:56   0:00 [pool_workqueue_release]
`,
  },
  {
    tool: 'kubectl get pods',
    kind: 'table',
    text: `NAME                        READY   STATUS             RESTARTS   AGE
web-5d4f8c7b9-abcde         1/1     Running            0          3d
web-5d4f8c7b9-fghij         0/1     CrashLoopBackOff   12         3d
worker-7c9d8f6b5-klmno      1/1     Running            1          12h
`,
  },
  {
    tool: 'node console.table',
    kind: 'table',
    text: `┌─────────┬─────┬─────┐
│ (index) │ a   │ b   │
├─────────┼─────┼─────┤
│ 0       │ 1   │ 'x' │
│ 1       │ 2   │ 'y' │
└─────────┴─────┴─────┘
`,
  },
  {
    tool: 'ls -la',
    kind: 'listing',
    text: `total 20
drwxr-xr-x 4 root root 4096 Nov 15 06:02 .
drwxr-xr-x 4 root root 4096 Nov 15 06:02 ..
-rw-r--r-- 1 root root    7 Nov 15 06:02 README.md
drwxr-xr-x 3 root root 4096 Nov 15 06:02 src
`,
  },
  { tool: 'ls -R', kind: 'listing', text: '.:\nREADME.md\nsrc\n\n./src:\na.ts\nlib\n\n./src/lib:\nb.ts\n' },
  { tool: 'find', kind: 'listing', text: '.\n./src\n./src/a.ts\n./src/lib\n./src/lib/b.ts\n./README.md\n' },
  { tool: 'git ls-files', kind: 'listing', text: 'README.md\nsrc/a.ts\nsrc/lib/b.ts\n' },
  {
    tool: 'git ls-tree -r',
    kind: 'listing',
    text: `100644 blob 0805455a24b6c68fbc38d0fa5d121f735984285d\tREADME.md
100644 blob 66d48fc1e6c22993b92f606edc7e45d9ce689810\tsrc/a.ts
100644 blob 6e273c4ac97a42f1e9682538f4e0d55d197f7ec1\tsrc/lib/b.ts
`,
  },
  {
    tool: 'tree',
    kind: 'listing',
    text: '.\n├── README.md\n└── src\n    ├── a.ts\n    └── lib\n        └── b.ts\n\n2 directories, 3 files\n',
  },
  {
    tool: 'grep -rn',
    kind: 'hits',
    text: `src/a.ts:1:export const a = 2;
src/lib/b.ts:1:import { a } from "../a.ts";
src/lib/b.ts:2:console.error('error: ' + a);
`,
  },
  {
    tool: 'git grep --column',
    kind: 'hits',
    text: `src/a.ts:1:14:export const a = 2;
src/lib/b.ts:1:10:import { a } from "../a.ts";
src/lib/b.ts:2:13:console.log(a);
`,
  },
  { tool: 'grep -n in one file', kind: 'hits', text: '3:const a = 1;\n17:  return a;\n40:}\n' },
  {
    tool: 'gcc',
    kind: 'compiler',
    text: `bad.c: In function ‘main’:
bad.c:3:11: warning: initialization of ‘int’ from ‘char *’ makes integer from pointer without a cast [-Wint-conversion]
    3 |   int x = "a";
      |           ^~~
bad.c:4:18: error: ‘y’ undeclared (first use in this function)
    4 |   printf("%d\\n", y);
      |                  ^
`,
  },
  {
    tool: 'tsc',
    kind: 'compiler',
    text: `bad.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.
bad.ts(3,1): error TS2304: Cannot find name 'g'.
`,
  },
  {
    tool: 'tsc --pretty, in colour',
    kind: 'compiler',
    text: "\x1b[96mbad.ts\x1b[0m:\x1b[93m1\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mType 'string' is not assignable to type 'number'.\n\n\x1b[7m1\x1b[0m const a: number = 'x';\n\x1b[7m \x1b[0m \x1b[91m      ~\x1b[0m\n",
  },
  {
    tool: 'rustc',
    kind: 'compiler',
    text: `error[E0425]: cannot find value \`z\` in this scope
 --> bad.rs:1:46
  |
1 | fn main() { let x: i32 = "a"; println!("{}", z); }
  |                                              ^

error: aborting due to 1 previous error
`,
  },
  {
    tool: 'javac',
    kind: 'compiler',
    text: `Bad.java:1: error: incompatible types: String cannot be converted to int
public class Bad { int x = "a"; void f() { g(); } }
                           ^
Bad.java:1: error: cannot find symbol
public class Bad { int x = "a"; void f() { g(); } }
                                           ^
  symbol:   method g()
  location: class Bad
2 errors
`,
  },
  {
    tool: 'pytest',
    kind: 'test',
    text: `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
rootdir: /tmp/fx
collected 2 items

test_x.py .F                                                             [100%]

=================================== FAILURES ===================================
____________________________________ test_b ____________________________________

>   def test_b(): assert [1] == [2]
E   assert [1] == [2]

test_x.py:2: AssertionError
========================= 1 failed, 1 passed in 1.75s ==========================
`,
  },
  {
    tool: 'a passing vitest run, in colour',
    kind: 'test',
    text: `\n\x1b[1m\x1b[46m RUN \x1b[49m\x1b[22m \x1b[36mv5.1.0 \x1b[39m\x1b[90m/app\x1b[39m\n
 \x1b[32m✓\x1b[39m test/utf8.test.ts \x1b[2m(\x1b[22m\x1b[2m11 tests\x1b[22m\x1b[2m)\x1b[22m\x1b[33m 193\x1b[2mms\x1b[22m\x1b[39m
 \x1b[32m✓\x1b[39m test/pieces.test.ts \x1b[2m(\x1b[22m\x1b[2m4 tests\x1b[22m\x1b[2m)\x1b[22m\x1b[33m 55\x1b[2mms\x1b[22m\x1b[39m
 Test Files  2 passed (2)
      Tests  15 passed (15)
`,
  },
  {
    tool: 'node --test',
    kind: 'test',
    text: '✔ adds (0.724056ms)\n✖ fails (0.664577ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ duration_ms 210.61595\n',
  },
  {
    tool: 'TAP',
    kind: 'test',
    text: 'TAP version 13\n# Subtest: adds\nok 1 - adds\n  ---\n  duration_ms: 0.804325\n  ...\n1..1\n',
  },
  {
    tool: 'cargo test, with a panic',
    kind: 'test',
    text: `running 2 tests
test adds ... ok
test fails ... FAILED

failures:

---- fails stdout ----
thread 'fails' (17285) panicked at t.rs:2:22:
assertion \`left == right\` failed
  left: 1
 right: 2

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.17s
`,
  },
  {
    tool: 'go test -v',
    kind: 'test',
    text: '=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n=== RUN   TestSub\n--- PASS: TestSub (0.00s)\nPASS\nok  \texample.com/m\t0.002s\n',
  },
  {
    tool: 'python',
    kind: 'trace',
    text: `Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s, idx=_w(s, 0).end())
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
`,
  },
  {
    tool: 'java',
    kind: 'trace',
    text: `Exception in thread "main" java.lang.IllegalStateException: deep
\tat Fail.f(Fail.java:1)
\tat Fail.f(Fail.java:1)
\tat Fail.main(Fail.java:1)
`,
  },
  {
    tool: 'AddressSanitizer',
    kind: 'trace',
    text: `=================================================================
==17427==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x5636c59de1d2 bp 0x7ffd09ba39e0 sp 0x7ffd09ba39d8
READ of size 4 at 0x602000000010 thread T0
    #0 0x5636c59de1d1 in main /tmp/fx/a.c:2
    #1 0x7fbdea445249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
`,
  },
  {
    tool: 'go',
    kind: 'trace',
    text: `panic: runtime error: index out of range [3] with length 2

goroutine 1 [running]:
main.main()
\t/tmp/x.go:5 +0x1d
exit status 2
`,
  },
  {
    tool: 'dpkg',
    kind: 'log',
    text: `2025-06-24 14:36:25 startup archives unpack
2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36-1~deb12u1 252.38-1~deb12u1
2025-06-24 14:36:25 status triggers-pending libc-bin:amd64 2.36-9+deb12u10
`,
  },
  {
    tool: 'a service that logs JSON behind its times',
    kind: 'log',
    text: '2024-05-01T10:00:00Z INFO {"a":1}\n2024-05-01T10:00:01Z INFO {"a":2}\n2024-05-01T10:00:02Z WARN {"a":3}\n',
  },
  {
    tool: 'logging of Python, one comma a line',
    kind: 'log',
    text: '2024-05-01 10:00:00,123 INFO a\n2024-05-01 10:00:00,124 INFO b\n2024-05-01 10:00:00,125 INFO c\n2024-05-01 10:00:00,126 INFO d\n',
  },
  {
    tool: 'sh -x',
    kind: 'log',
    text: "+ echo a\na\n+ ls /nonexistent\nls: cannot access '/nonexistent': No such file or directory\n",
  },
  {
    tool: 'cat of a PEM file',
    kind: 'binary',
    text: '-----BEGIN CERTIFICATE-----\nMIIDAzCCAeugAwIBAgIUQm\n-----END CERTIFICATE-----\n',
  },
];
