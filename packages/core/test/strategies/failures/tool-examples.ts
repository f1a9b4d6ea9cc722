/**
 * What a reader must see of each failing fixture to know why it failed. `why` is the cause: it must
 * survive every strategy that preserves errors. `also` is what tells where and what to do:
 * `smart_summary` has room for it. Each entry is part of one line of the fixture, without its
 * colours.
 */
export interface ToolExample {
  readonly why: readonly string[];
  readonly also: readonly string[];
}

export const TOOL_EXAMPLES: Readonly<Record<string, ToolExample>> = {
  'ansible-failing': {
    why: [
      `fatal: [web1]: FAILED! => {"changed": false, "msg": "Could not find or access 'settings.missing.json'`,
      'fatal: [web2]: FAILED! => {"changed": false, "cmd": "systemctl-of-nobody reload shop"',
    ],
    also: [
      'TASK [Copy the settings] ***',
      'TASK [Reload the service] ***',
      'web1                       : ok=2    changed=2    unreachable=0    failed=1',
      'web2                       : ok=2    changed=1    unreachable=0    failed=1',
    ],
  },
  'ansible-syntax': {
    why: [
      'ERROR! We were unable to read either as JSON nor YAML',
      "The error appears to be in '/home/dev/shop/bad.yml': line 4, column 6",
    ],
    also: ['Syntax Error while loading YAML.', "did not find expected '-' indicator", '     ^ here'],
  },
  'ansible-unreachable': {
    why: ['fatal: [web3]: UNREACHABLE! =>', 'failed: [web1] (item=worker) =>'],
    also: ['TASK [Start the services] ***', 'unreachable=1    failed=0', 'unreachable=0    failed=1'],
  },
  'asan-overflow': {
    why: [
      'ERROR: AddressSanitizer: heap-buffer-overflow on address',
      'SUMMARY: AddressSanitizer: heap-buffer-overflow',
    ],
    also: [
      'WRITE of size 12',
      'in copy /home/dev/shop/over.c:3',
      'is located 0 bytes to the right of 4-byte region',
    ],
  },
  'bash-not-found': { why: ['deploy.sh: line 3: kubctl: command not found'], also: ['deploying'] },
  'biome-check': {
    why: [
      'src/lint.js:3:9 lint/suspicious/noDoubleEquals',
      '× Using == may be unsafe if you are relying on type coercion.',
      'src/lint.js:4:5 lint/suspicious/noDebugger',
      '× This is an unexpected use of the debugger statement.',
    ],
    also: [
      '> 3 │   if (a == b) {',
      '> 4 │     debugger;',
      '! This variable unusedTotal is unused.',
      'Found 2 errors.',
    ],
  },
  'c-assert': {
    why: [`main: Assertion \`sizeof(int) == 8 && "block size"' failed.`],
    also: ['reading 3 blocks'],
  },
  'cargo-build': {
    why: [
      'error[E0609]: no field `name` on type `&Cart`',
      'error[E0308]: mismatched types',
      '^^^^^^^^^^^ expected `u32`, found `usize`',
    ],
    also: [
      ' --> src/lib.rs:4:40',
      ' --> src/lib.rs:8:22',
      '  --> src/lib.rs:10:5',
      '^^^^^ expected `usize`, found `u32`',
      'error: could not compile `shop` (lib) due to 3 previous errors',
    ],
  },
  'cargo-test': {
    why: [
      'panicked at src/lib.rs:2:52:',
      'index out of bounds: the len is 2 but the index is 2',
      'panicked at src/lib.rs:10:83:',
      'called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }',
      'assertion `left == right` failed: ten percent of 200',
    ],
    also: [
      'test tests::takes_ten_percent_off ... FAILED',
      '  left: 0',
      ' right: 180',
      'test result: FAILED. 2 passed; 3 failed;',
      'error: test failed, to rerun pass `--lib`',
    ],
  },
  'clang-errors': {
    why: [
      "queue.c:5:17: error: no member named 'lenght' in 'struct queue'",
      "queue.c:7:23: error: expected ';' after return statement",
      'queue.c:10:27: error: too few arguments to function call, expected 2, have 1',
    ],
    also: [
      '    q->items[q->lenght++] = item;',
      '                ^~~~~~',
      '2 warnings and 3 errors generated.',
    ],
  },
  'cmake-build': {
    why: ["undefined reference to `queue_flush'", 'collect2: error: ld returned 1 exit status'],
    also: [
      "main.c.o: in function `main':",
      'gmake[2]: *** [CMakeFiles/shop.dir/build.make:114: shop] Error 1',
    ],
  },
  'cmake-configure': {
    why: [
      'CMake Error at lib/CMakeLists.txt:1 (target_link_libraries):',
      'Cannot specify link libraries for target "pricing" which is not built by',
    ],
    also: ['-- Configuring incomplete, errors occurred!'],
  },
  'ctest-failing': {
    why: ['***Failed    0.02 sec', 'The following tests FAILED:', '  2 - orders (Failed)'],
    also: ['expected 3 items, found 2', '0% tests passed, 2 tests failed out of 2'],
  },
  'docker-build': {
    why: [
      "src/cart.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      'ERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2',
    ],
    also: [' > [5/5] RUN npm run build:', 'Dockerfile:6', '   6 | >>> RUN npm run build'],
  },
  'docker-legacy-build': {
    why: ["The command '/bin/sh -c /app/prepare.sh' returned a non-zero code: 3"],
    also: ['page 2 has a layout of its own', 'Step 3/4 : RUN /app/prepare.sh'],
  },
  'docker-no-daemon': {
    why: ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.'],
    also: [],
  },
  'docker-pull': {
    why: ['docker: Error response from daemon: pull access denied for registry.example.com/shop/api'],
    also: ["Unable to find image 'registry.example.com/shop/api:1.4.0' locally"],
  },
  'dotnet-build': {
    why: [
      "Cart.cs(14,20): error CS0246: The type or namespace name 'Rates' could not be found",
      "Cart.cs(22,17): error CS0029: Cannot implicitly convert type 'string' to 'int'",
    ],
    also: ['Build FAILED.', '    2 Error(s)'],
  },
  'dotnet-exception': {
    why: [
      'Unhandled exception. System.InvalidOperationException: No price for an ordered item',
      " ---> System.Collections.Generic.KeyNotFoundException: The given key 'milk' was not present in the dictionary.",
    ],
    also: ['Cart.cs:line 31', 'Cart.cs:line 44'],
  },
  'dotnet-test': {
    why: ['Failed Shop.Tests.CartTests.TakesTenPercentOff [6 ms]', 'Assert.Equal() Failure: Values differ'],
    also: ['Expected: 180', 'Actual:   0', 'CartTests.cs:line 17', 'Failed!  - Failed:     1, Passed:     3'],
  },
  'eslint-problems': {
    why: [
      "1:5   error    'unusedTotal' is assigned a value but never used",
      "3:9   error    Expected '===' and instead saw '=='",
      "6:10  error    'undefinedName' is not defined",
    ],
    also: ['/home/dev/shop/src/lint.js', '✖ 5 problems (4 errors, 1 warning)'],
  },
  'gcc-errors': {
    why: [
      'queue.c:5:17: error: ‘struct queue’ has no member named ‘lenght’',
      'queue.c:7:23: error: expected ‘;’ before ‘}’ token',
      'queue.c:10:12: error: too few arguments to function ‘queue_push’',
    ],
    also: [
      'queue.c: In function ‘queue_push’:',
      '    5 |     q->items[q->lenght++] = item;',
      '      |                 ^~~~~~',
      'queue.c:4:5: note: declared here',
    ],
  },
  'gcc-missing-header': {
    why: ['noheader.c:2:10: fatal error: config_generated.h: No such file or directory'],
    also: ['    2 | #include "config_generated.h"', 'compilation terminated.'],
  },
  'git-conflict': {
    why: ['CONFLICT (content): Merge conflict in a.txt', 'Automatic merge failed; fix conflicts'],
    also: ['Auto-merging a.txt'],
  },
  'git-push': {
    why: [
      "fatal: 'origin' does not appear to be a git repository",
      'fatal: Could not read from remote repository.',
    ],
    also: ['Please make sure you have the correct access rights'],
  },
  'git-rejected': {
    why: [' ! [rejected]        HEAD -> main (fetch first)', 'error: failed to push some refs to'],
    also: ['hint: Updates were rejected because the remote contains work that you do'],
  },
  'go-build': {
    why: [
      './main.go:5:2: imported and not used: "os"',
      './main.go:9:2: count declared but not used',
      './main.go:10:14: undefined: totl',
      './main.go:11:20: cannot use 7 (untyped int constant) as string value in variable declaration',
    ],
    also: ['# example.com/shop'],
  },
  'go-panic': {
    why: ['--- FAIL: TestName (0.00s)', 'panic: runtime error: index out of range [1] with length 1'],
    also: ['goroutine 6 [running]:', '/home/dev/shop/cart/cart.go:4', 'FAIL\texample.com/shop/cart\t0.034s'],
  },
  'go-race': {
    why: ['WARNING: DATA RACE', '--- FAIL: TestParallel (0.00s)', 'race detected during execution of test'],
    also: ['/home/dev/shop/cart/cart.go:21 +0x44', 'FAIL\texample.com/shop/cart\t0.018s'],
  },
  'go-test': {
    why: [
      '--- FAIL: TestDiscount (0.00s)',
      'cart_test.go:7: Discount(200, 10) = 0, want 180',
      '--- FAIL: TestTable/half (0.00s)',
      'cart_test.go:15: negative: -400',
    ],
    also: ['FAIL\texample.com/shop/cart\t0.002s'],
  },
  'gradle-compile': {
    why: [
      "Cart.kt:14:21 Unresolved reference 'totals'.",
      "Cart.kt:22:9 Type mismatch: inferred type is 'String', but 'Int' was expected.",
    ],
    also: [
      '> Task :compileKotlin FAILED',
      "Execution failed for task ':compileKotlin'.",
      'BUILD FAILED in 2s',
    ],
  },
  'gradle-dependency': {
    why: ['* What went wrong:', '> Could not find com.example.pricing:rates:2.1.0.'],
    also: [
      "Could not determine the dependencies of task ':compileJava'.",
      'root project :',
      'BUILD FAILED in 812ms',
    ],
  },
  'gradle-test': {
    why: [
      'CartTest > takesTenPercentOff() FAILED',
      'AssertionFailedError: ten percent of 200 ==> expected: <180> but was: <0>',
      'CartTest > readsTheStock() FAILED',
      'java.lang.NullPointerException at CartTest.java:20',
    ],
    also: ['4 tests completed, 2 failed', "Execution failed for task ':test'.", 'BUILD FAILED in 3s'],
  },
  'gxx-templates': {
    why: [
      'map.cpp:10:12: error: ‘class std::map<std::__cxx11::basic_string<char>, Price>’ has no member named ‘push_back’',
      'map.cpp:11:31: error: conversion from ‘int’ to non-scalar type',
      'error: no match for ‘operator<’ (operand types are ‘Price’ and ‘Price’)',
    ],
    also: ['   10 |     byName.push_back({"tea", {3}});', 'map.cpp:8:14:   required from here'],
  },
  'java-exception': {
    why: [
      'Exception in thread "main" java.lang.IllegalStateException: no price for an ordered item',
      'Caused by: java.lang.NullPointerException: Cannot invoke',
    ],
    also: ['at Orders.checkout(Orders.java:10)', 'at Orders.total(Orders.java:5)'],
  },
  'javac-symbols': {
    why: [
      'Broken.java:6: error: cannot find symbol',
      'Broken.java:4: error: cannot find symbol',
      'Broken.java:5: error: incompatible types: String cannot be converted to int',
    ],
    also: ['  symbol:   class Price', '  symbol:   variable length', '3 errors'],
  },
  'jest-failing': {
    why: ['● cart › adds', '    Expected: 6', '    Received: 5', '● cart › keeps names', '+     "green",'],
    also: [
      '    > 3 |   test(',
      'at Object.<anonymous> (cart.test.cjs:3:69)',
      'Tests:       2 failed, 1 passed, 3 total',
    ],
  },
  'kubectl-describe-crash': {
    why: [
      'Reason:       CrashLoopBackOff',
      'Reason:       OOMKilled',
      'Exit Code:    137',
      'Readiness probe failed: Get "http://10.42.1.37:8080/health"',
    ],
    also: ['    Last State:     Terminated', 'Back-off restarting failed container api'],
  },
  'kubectl-get-pods': {
    why: [
      'api-5d9c7b6f4-x2lqp        0/1     CrashLoopBackOff',
      'worker-6c8d5f9b7-k4mhz     0/1     ImagePullBackOff',
      'migrate-1-9xw2r            0/1     Error',
      '3 Insufficient memory.',
      'Failed to pull image "registry.example.com/shop/worker:1.4.1"',
      'error: deployment "api" exceeded its progress deadline',
    ],
    also: ['cache-0                    0/1     Pending'],
  },
  'kubectl-refused': {
    why: ['The connection to the server 127.0.0.1:6443 was refused'],
    also: ['"Unhandled Error" err='],
  },
  'kubectl-yaml': {
    why: ['error: error parsing bad.yaml: error converting YAML to JSON: yaml: line 5'],
    also: [],
  },
  'kubelet-log': {
    why: ['"container start failed" pod="shop/api-5d9c7b6f4-x2lqp"', 'timed out waiting for the condition'],
    also: ['"Volume took long to attach"'],
  },
  'ld-undefined': {
    why: ["undefined reference to `queue_push'", "undefined reference to `queue_flush'"],
    also: ["in function `main':", 'collect2: error: ld returned 1 exit status'],
  },
  'make-compile': {
    why: [
      'queue.c:5:17: error: ‘struct queue’ has no member named ‘lenght’',
      'queue.c:6:14: error: format ‘%s’ expects argument of type ‘char *’',
      'queue.c:10:12: error: too few arguments to function ‘queue_push’',
      'make: *** [<builtin>: queue.o] Error 1',
    ],
    also: ['cc1: all warnings being treated as errors', 'cc -Wall -Werror -O2   -c -o queue.o queue.c'],
  },
  'make-no-rule': {
    why: ["make: *** No rule to make target 'assets.tar', needed by 'site'.  Stop."],
    also: [],
  },
  'maven-compile': {
    why: [
      '[ERROR] COMPILATION ERROR :',
      'Cart.java:[5,81] illegal start of expression',
      '[INFO] BUILD FAILURE',
    ],
    also: ['[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile'],
  },
  'maven-dependency': {
    why: ['[ERROR] Failed to execute goal on project shop: Could not resolve dependencies'],
    also: ['[WARNING] The POM for com.example.pricing:rates:jar:2.1.0 is missing', '[INFO] BUILD FAILURE'],
  },
  'maven-surefire': {
    why: [
      '[ERROR] shop.CartTest.namesTheThird -- Time elapsed: 0.058 s <<< ERROR!',
      'java.lang.IndexOutOfBoundsException: Index: 2 Size: 2',
      '[ERROR] shop.CartTest.takesTenPercentOff -- Time elapsed: 0.005 s <<< FAILURE!',
      'AssertionFailedError: ten percent of 200 ==> expected: <180> but was: <0>',
    ],
    also: [
      'at shop.CartTest.namesTheThird(CartTest.java:8)',
      'at shop.CartTest.takesTenPercentOff(CartTest.java:7)',
      '[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0',
      '[INFO] BUILD FAILURE',
    ],
  },
  'mocha-failing': {
    why: [
      '  1) Cart',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:',
      '  2) Cart',
      'Error: Timeout of 20ms exceeded.',
    ],
    also: [
      '         adds prices:',
      '+   sum: 5',
      'at Context.<anonymous> (mocha/cart.cjs:5:36)',
      '  2 failing',
    ],
  },
  'msbuild-link': {
    why: [
      'Main.obj : error LNK2019: unresolved external symbol "int __cdecl total(int)"',
      'shop.exe : fatal error LNK1120: 1 unresolved externals',
    ],
    also: ['Done Building Project "C:\\src\\shop\\shop.vcxproj" (default targets) -- FAILED.'],
  },
  'node-test-tap': {
    why: [
      'not ok 2 - takes ten percent off',
      '0 !== 180',
      'not ok 4 - reads the stored cart',
      "error: 'Unexpected end of JSON input'",
    ],
    also: ["location: '/home/dev/shop/test/cart.test.js:6:3'", "error: '2 subtests failed'", '# fail 2'],
  },
  'node-uncaught': {
    why: [
      'file:///home/dev/shop/src/server.js:7',
      "TypeError: Cannot read properties of undefined (reading 'listen')",
    ],
    also: ['server.listen(settings.listen.port);', '                       ^', 'Node.js v24.21.0'],
  },
  'npm-404': {
    why: [
      'npm error code E404',
      'npm error 404 Not Found - GET https://registry.npmjs.org/left-pad-of-the-shop-that-is-not',
    ],
    also: [
      "npm error 404  The requested resource 'left-pad-of-the-shop-that-is-not@^2.1.0' could not be found",
    ],
  },
  'npm-eresolve': {
    why: [
      'npm error ERESOLVE could not resolve',
      'npm error Found: ms@2.0.0',
      'npm error peer ms@"^1.0.0 || >=2.1.0" from theme@3.2.1',
    ],
    also: ['npm error While resolving: theme@3.2.1', 'npm error Conflicting peer dependency: ms@2.1.3'],
  },
  'npm-etarget': {
    why: ['npm error code ETARGET', 'npm error notarget No matching version found for ms@^99.0.0.'],
    also: [],
  },
  'npm-install-script': {
    why: [
      'npm error path /home/dev/shop/node_modules/fast-hash',
      'npm error command sh -c node-gyp-build-missing || node build.js',
      'npm error gyp ERR! find Python Python is not set from command line or npm configuration',
    ],
    also: [
      'npm error code 1',
      'npm error command failed',
      'npm error sh: 1: node-gyp-build-missing: not found',
    ],
  },
  'npm-missing-script': {
    why: ['npm error Missing script: "deploy"'],
    also: ['npm error To see a list of scripts, run:'],
  },
  'npm-run-build': {
    why: ["Error: ENOENT: no such file or directory, open 'build.config.json'"],
    also: [
      '> shop@1.4.0 build',
      'at file:///home/dev/shop/scripts/build.js:3:27',
      "path: 'build.config.json'",
    ],
  },
  'npm-test': {
    why: [
      '✖ takes ten percent off (',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '  0 !== 180',
      '✖ reads the stored cart (',
      'SyntaxError: Unexpected end of JSON input',
    ],
    also: ['test at test/cart.test.js:6:3', 'ℹ fail 2', '✖ failing tests:'],
  },
  'perl-die': {
    why: ['no price for  at order.pl line 4.'],
    also: ['Use of uninitialized value in concatenation (.) or string at order.pl line 4.'],
  },
  'pip-missing': {
    why: [
      'ERROR: Could not find a version that satisfies the requirement nothing-of-the-kind',
      'ERROR: No matching distribution found for nothing-of-the-kind',
    ],
    also: [],
  },
  'powershell-7': {
    why: [
      "The term 'Publish-Site' is not recognized as a name of a cmdlet",
      'Publish-Site: C:\\src\\shop\\deploy.ps1:24',
    ],
    also: ['  24 |  Publish-Site -Name shop -Path .\\out'],
  },
  'powershell-error': {
    why: [
      "Get-Content : Cannot find path 'C:\\src\\shop\\settings.json' because it does not exist.",
      'At C:\\src\\shop\\deploy.ps1:12 char:13',
      'You cannot call a method on a null-valued expression.',
      'At C:\\src\\shop\\deploy.ps1:13 char:1',
    ],
    also: ['+ $settings = Get-Content settings.json', '+ FullyQualifiedErrorId : InvokeMethodOnNull'],
  },
  'pytest-collection': {
    why: ["E   ModuleNotFoundError: No module named 'orders_missing'", 'ERROR collecting test_import.py'],
    also: ['test_import.py:1: in <module>', 'ERROR test_import.py', '1 error in 2.75s'],
  },
  'pytest-failing': {
    why: [
      "E       ConnectionError: could not connect to database 'orders' on port 5432",
      'E       AssertionError: assert 179 == 180',
      "E       FileNotFoundError: [Errno 2] No such file or directory: 'orders.json'",
      'E       AssertionError: percent 110',
    ],
    also: [
      'ERROR at setup of test_stored',
      '>       assert discount(order) == 180',
      'test_orders.py:13: AssertionError',
      'FAILED test_orders.py::test_range[110] - AssertionError: percent 110',
      '3 failed, 4 passed, 1 error in 2.33s',
    ],
  },
  'python-traceback': {
    why: [
      'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 13 (char 12)',
      'RuntimeError: settings are not readable',
    ],
    also: [
      'File "/home/dev/shop/report.py", line 6, in settings',
      'The above exception was the direct cause of the following exception:',
      'File "/home/dev/shop/report.py", line 8, in settings',
    ],
  },
  'python-unittest': {
    why: [
      'ERROR: test_load (__main__.OrderTest.test_load)',
      "FileNotFoundError: [Errno 2] No such file or directory: 'orders.json'",
      'FAIL: test_discount (__main__.OrderTest.test_discount)',
      'AssertionError: 179 != 180',
      "AssertionError: Lists differ: ['tea', 'milk'] != ['tea', 'sugar']",
    ],
    also: [
      'File "/home/dev/shop/unit.py", line 6, in test_discount',
      "+ ['tea', 'sugar']",
      'FAILED (failures=2, errors=1)',
    ],
  },
  'terraform-plan': {
    why: [
      'Error: Invalid function argument',
      'Invalid value for "path" parameter: no file exists at "site.json"; this',
    ],
    also: ['  on main.tf line 10, in resource "terraform_data" "site":', '  10:   input = file("site.json")'],
  },
  'terraform-plan-colour': {
    why: [
      '│ Error: Invalid function argument',
      '│ Invalid value for "path" parameter: no file exists at "site.json"; this',
    ],
    also: [
      '│   on main.tf line 10, in resource "terraform_data" "site":',
      '│   10:   input = file("site.json")',
    ],
  },
  'terraform-validate': {
    why: [
      '│ Error: Reference to undeclared input variable',
      '│   on main.tf line 9, in resource "terraform_data" "site":',
      '│ Error: Reference to undeclared local value',
    ],
    also: [
      '│    9:   input = var.regoin',
      '│ An input variable with the name "regoin" has not been declared. Did you',
      '│ A local value with the name "version" has not been declared.',
    ],
  },
  'tsc-errors': {
    why: [
      "src/order.ts(4,68): error TS2339: Property 'cost' does not exist on type 'Line'.",
      "src/order.ts(9,24): error TS2322: Type 'number' is not assignable to type 'string'.",
      "src/order.ts(10,13): error TS2552: Cannot find name 'totals'. Did you mean 'total'?",
    ],
    also: ["src/order.ts(7,25): error TS2339: Property 'name' does not exist on type 'Line'."],
  },
  'tsc-pretty': {
    why: [
      "src/order.ts:4:68 - error TS2339: Property 'cost' does not exist on type 'Line'.",
      "src/order.ts:10:13 - error TS2552: Cannot find name 'totals'. Did you mean 'total'?",
    ],
    also: ["  The expected type comes from property 'id'", 'Found 4 errors in the same file', '   ~~~~~~'],
  },
  'vitest-failing': {
    why: [
      ' FAIL  test/price.test.ts > price > reads cents',
      "AssertionError: expected { amount: 12, currency: 'EUR' } to deeply equal { amount: 12.5, currency: 'EUR' }",
      ' FAIL  test/price.test.ts > price > fails when the currency is missing',
      "TypeError: Cannot read properties of undefined (reading 'EUR')",
    ],
    also: ['+   "amount": 12,', ' ❯ test/price.test.ts:5:56', '      Tests  3 failed | 1 passed (4)'],
  },
};
