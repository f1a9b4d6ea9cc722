// Makes the fixtures anew: small made-up projects, real tools. `node bench/retention/make.mjs [ID …]`
// runs them (git, Node, Python with pytest, GCC, make, CMake, Rust, Java, Perl, SQLite) and writes
// what they printed to fixtures/, with the list of what a reader needs of each. Tools that are not
// installed are skipped: their fixtures stay as they are.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const FIXTURES = new URL('./fixtures/', import.meta.url);
const LIST = new URL('./fixtures.jsonl', import.meta.url);
const range = (count) => Array.from({ length: count }, (_, i) => i);
const lines = (count, line) => range(count).map(line).join('\n');
const NAMES = [
  'orders',
  'prices',
  'stock',
  'carts',
  'refunds',
  'labels',
  'users',
  'taxes',
  'routes',
  'vouchers',
];
const named = (i) => `${NAMES[i % NAMES.length]}_${Math.floor(i / NAMES.length)}`;

const nodeTests = (failing) =>
  `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${lines(
    240,
    (i) =>
      `test('${named(i)} is priced with its discount', () => { assert.equal(Math.round(${i} * 0.9 * 100), ${failing.includes(i) ? `${i} * 100` : `Math.round(${i} * 90)`}); });`,
  )}\n`;
const pyTests = (broken) =>
  `import decimal\n\ndef total(n):\n    return sum(decimal.Decimal(i) for i in range(n))\n\n${lines(
    180,
    (i) =>
      `def test_${named(i)}_adds_up():\n    ${broken[i] ?? `assert total(${i}) == ${(i * (i - 1)) / 2}`}\n`,
  )}\n`;
const rustTests = (failing) =>
  `pub fn fee(n: u64) -> u64 {\n    n / 10\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n${lines(
    330,
    (i) =>
      `    #[test]\n    fn fee_of_${named(i)}() {\n        assert_eq!(fee(${i}0), ${failing.includes(i) ? i + 1 : i}, "the fee of ${named(i)}");\n    }`,
  )}\n}\n`;
const cargo = { 'Cargo.toml': '[package]\nname = "fees"\nversion = "0.1.0"\nedition = "2021"\n' };
const cFile = (i, extra = '') =>
  `#include <stdio.h>\nint ${named(i)}(int n) {\n  int unused_${i};\n  char small = n * 300;\n${extra}  printf("%s %d\\n", n, small);\n  return n + ${i};\n}\n`;
const cFiles = (count, broken = {}) =>
  Object.fromEntries(range(count).map((i) => [`src/${named(i)}.c`, cFile(i, broken[i])]));
const makefile = (count) =>
  `OBJECTS = ${range(count)
    .map((i) => `src/${named(i)}.o`)
    .join(' ')}\napp: $(OBJECTS)\n\tgcc -o app $(OBJECTS)\n%.o: %.c\n\tgcc -Wall -Wextra -c $< -o $@\n`;
const logLine = (i) =>
  `2026-05-0${1 + (i % 9)}T10:${String(i % 60).padStart(2, '0')}:00Z INFO worker-${i % 7} handled /api/${named(i)} in ${(i * 37) % 400} ms`;
const commits = (count) =>
  `git init -q -b main && git config user.email dev@example.com && git config user.name Dev && ${range(count)
    .map(
      (i) =>
        `mkdir -p src/${NAMES[i % 10]} && seq ${i} ${i + 30} > src/${NAMES[i % 10]}/${named(i)}.txt && git add -A && GIT_COMMITTER_DATE="2026-01-${String(1 + (i % 28)).padStart(2, '0')}T10:00:00Z" git commit -q --date="2026-01-${String(1 + (i % 28)).padStart(2, '0')}T10:00:00Z" -m "${i === 61 ? 'Fix the rounding of refunds' : `Add the table of ${named(i)}`}"`,
    )
    .join(' && ')}`;
const sources = Object.fromEntries(
  range(180).map((i) => [
    `src/${NAMES[i % 10]}/${named(i)}.js`,
    `import { priceOf } from '../prices/price.js';\n${lines(6, (k) => `export const ${named(i)}_${k} = priceOf(${i * k});`)}\n`,
  ]),
);
const items = (count, failing) =>
  range(count).map((id) => ({
    id: `ord-${1000 + id}`,
    customer: named(id),
    state: id === failing ? 'payment_failed' : 'shipped',
    total: (id * 1997) % 9000,
    ...(id === failing ? { error: 'card was declined by the issuer (code 51)' } : {}),
  }));

/** `setup` runs first and is not recorded; `needs` must all be in what `run` prints. */
const PROJECTS = [
  {
    id: 'node-test-failing',
    kind: 'failing',
    files: { 'orders.test.mjs': nodeTests([117, 181]) },
    run: 'node --test --test-reporter=spec orders.test.mjs',
    needs: [
      '✖ taxes_11 is priced with its discount',
      '✖ prices_18 is priced with its discount',
      '10530 !== 11700',
      '16290 !== 18100',
      'fail 2',
    ],
  },
  {
    id: 'node-test-tap',
    kind: 'failing',
    files: { 'orders.test.mjs': nodeTests([93]) },
    run: 'node --test --test-reporter=tap orders.test.mjs',
    needs: ['not ok 94 - carts_9 is priced with its discount', '8370 !== 9300', '# fail 1'],
  },
  {
    id: 'pytest-failing',
    kind: 'failing',
    files: { 'test_totals.py': pyTests({ 64: 'assert total(64) == 2017', 131: "total('131')" }) },
    run: 'python3 -m pytest -v -p no:cacheprovider test_totals.py',
    needs: [
      'FAILED test_totals.py::test_refunds_6_adds_up',
      'FAILED test_totals.py::test_prices_13_adds_up',
      "assert Decimal('2016') == 2017",
      "TypeError: 'str' object cannot be interpreted as an integer",
      '2 failed, 178 passed',
    ],
  },
  {
    id: 'pytest-import-error',
    kind: 'failing',
    files: {
      ...Object.fromEntries(
        range(40).map((i) => [
          `tests/test_${named(i)}.py`,
          i % 13 === 5
            ? 'from shop.pricing import price_of\n\ndef test_price():\n    assert price_of(1) == 1\n'
            : lines(6, (k) => `def test_${k}():\n    assert ${k} < 6\n`),
        ]),
      ),
      'shop/__init__.py': '',
    },
    run: 'python3 -m pytest -v -p no:cacheprovider --continue-on-collection-errors tests',
    needs: [
      'ERROR tests/test_labels_0.py',
      'ERROR tests/test_prices_3.py',
      "ModuleNotFoundError: No module named 'shop.pricing'",
      '3 errors',
    ],
  },
  {
    id: 'python-traceback',
    kind: 'failing',
    files: {
      'job.py': `import json\n\ndef read(line):\n    return json.loads(line)["total"]\n\nfor i in range(260):\n    print(f"batch {i}: 40 rows read, 40 written, checksum {i * 7919 % 9973}")\n    if i == 259:\n        read('{"sum": 1}')\n`,
    },
    run: 'python3 job.py',
    needs: [
      'Traceback (most recent call last):',
      'File "/project/job.py", line 4, in read',
      "KeyError: 'total'",
    ],
  },
  {
    id: 'gcc-errors',
    kind: 'failing',
    files: { ...cFiles(24, { 13: '  return n + missing_total;\n' }), Makefile: makefile(24) },
    run: 'make -k app',
    needs: [
      'src/carts_1.c:5:14: error: ‘missing_total’ undeclared (first use in this function)',
      'src/carts_1.o] Error 1',
    ],
  },
  {
    id: 'gcc-link-error',
    kind: 'failing',
    files: {
      ...cFiles(20),
      'src/main.c': 'int settle(int);\nint main(void) { return settle(3); }\n',
      Makefile: makefile(20).replace('OBJECTS = ', 'OBJECTS = src/main.o '),
    },
    run: 'make app',
    needs: ["undefined reference to `settle'", 'ld returned 1 exit status'],
  },
  {
    id: 'cmake-missing-package',
    kind: 'failing',
    files: {
      'CMakeLists.txt': `cmake_minimum_required(VERSION 3.10)\nproject(shop C)\n${lines(150, (i) => `message(STATUS "Checking for ${named(i)} - found, version ${i}.2")`)}\nfind_package(Ledger REQUIRED)\n${lines(20, (i) => `message(STATUS "Adding ${named(i)}")`)}\n`,
    },
    run: 'cmake -S . -B build',
    needs: [
      'CMake Error at CMakeLists.txt:153 (find_package):',
      'Could not find a package configuration file provided by "Ledger"',
      'Configuring incomplete, errors occurred!',
    ],
  },
  {
    id: 'cargo-test-failing',
    kind: 'failing',
    files: { ...cargo, 'src/lib.rs': rustTests([77, 120]) },
    run: 'cargo test --offline 2>&1',
    needs: [
      'tests::fee_of_taxes_7',
      'tests::fee_of_orders_12',
      'the fee of taxes_7',
      'test result: FAILED. 328 passed; 2 failed',
    ],
  },
  {
    id: 'cargo-build-error',
    kind: 'failing',
    files: {
      ...cargo,
      'src/lib.rs': `${lines(45, (i) => `pub fn fee_of_${named(i)}(n: u64) -> u64 {\n    let unused_${i} = n;\n    ${i === 29 ? '"nothing"' : `n / ${i + 1}`}\n}`)}\n`,
    },
    run: 'cargo build --offline 2>&1',
    needs: [
      'error[E0308]: mismatched types',
      'expected `u64`, found `&str`',
      '--> src/lib.rs:119:5',
      'could not compile `fees`',
    ],
  },
  {
    id: 'javac-errors',
    kind: 'failing',
    files: Object.fromEntries(
      range(40).map((i) => [
        `src/C${i}.java`,
        `import java.util.*;\nclass C${i} {\n${lines(4, (k) => `  @Deprecated List f${k}() { List l = new ArrayList(); l.add("${named(i)}"); return l; }`)}\n  int g() { return ${i === 23 ? 'new Ledger().total()' : i}; }\n}\n`,
      ]),
    ),
    run: 'javac -Xlint:all -d out src/*.java 2>&1',
    needs: ['src/C23.java:7: error: cannot find symbol', 'symbol:   class Ledger', '1 error'],
  },
  {
    id: 'perl-prove-failing',
    kind: 'failing',
    files: {
      't/totals.t': `use Test::More tests => 420;\n${lines(420, (i) => `is(${i} * 2, ${i === 141 ? 283 : i * 2}, '${named(i)} doubles');`)}\n`,
    },
    run: 'prove -v t 2>&1',
    needs: [
      "#   Failed test 'prices_14 doubles'",
      "#          got: '282'",
      "#     expected: '283'",
      'Failed 1/420 subtests',
      'Result: FAIL',
    ],
  },
  {
    id: 'node-crash',
    kind: 'failing',
    files: {
      'server.mjs': `import { writeSync } from 'node:fs'; const rows = ${JSON.stringify(range(420).map(named))};\nfor (const [i, row] of rows.entries()) writeSync(1, \`\${i} GET /api/\${row} 200 \${(i * 37) % 90} ms\\n\`);\nfunction settle(order) { return order.lines.length; }\nsettle({ id: 'ord-17' });\n`,
    },
    run: 'node server.mjs 2>&1',
    needs: [
      "TypeError: Cannot read properties of undefined (reading 'length')",
      'at settle (file:///project/server.mjs:3:',
    ],
  },
  {
    id: 'log-one-error',
    kind: 'failing',
    files: {
      'app.log': `${lines(320, (i) => (i === 207 ? '2026-05-03T10:27:00Z ERROR worker-4 could not write /api/refunds_20: disk quota exceeded (EDQUOT)' : logLine(i)))}\n`,
    },
    run: 'cat app.log',
    needs: ['could not write /api/refunds_20: disk quota exceeded (EDQUOT)'],
  },
  {
    id: 'git-merge-conflict',
    kind: 'git',
    files: Object.fromEntries(
      range(300).map((i) => [`src/${named(i)}.txt`, `${lines(30, (k) => `${i + k}`)}\n`]),
    ),
    setup: `${commits(1)} && git checkout -q -b other && sed -i '3s/$/ (theirs)/' src/*.txt && git commit -qam "Mark the third row" && git checkout -q main && sed -i '20s/$/ (ours)/' src/*.txt && sed -i '3s/$/ (ours)/' src/prices_3.txt src/taxes_24.txt && git commit -qam "Mark the last rows"`,
    run: 'git merge other',
    needs: [
      'CONFLICT (content): Merge conflict in src/prices_3.txt',
      'CONFLICT (content): Merge conflict in src/taxes_24.txt',
      'Automatic merge failed',
    ],
  },
  {
    id: 'node-test-green',
    kind: 'green',
    files: { 'orders.test.mjs': nodeTests([]) },
    run: 'node --test --test-reporter=spec orders.test.mjs',
    needs: ['tests 240', 'pass 240', 'fail 0'],
  },
  {
    id: 'pytest-green',
    kind: 'green',
    files: { 'test_totals.py': pyTests({}) },
    run: 'python3 -m pytest -v -p no:cacheprovider test_totals.py',
    needs: ['180 passed'],
  },
  {
    id: 'cargo-test-green',
    kind: 'green',
    files: { ...cargo, 'src/lib.rs': rustTests([]) },
    run: 'cargo test --offline 2>&1',
    needs: ['test result: ok. 330 passed; 0 failed'],
  },
  {
    id: 'make-green',
    kind: 'green',
    files: {
      ...Object.fromEntries(
        range(200).map((i) => [`src/${named(i)}.c`, `int ${named(i)}(int n) { return n + ${i}; }\n`]),
      ),
      'src/main.c': 'int main(void) { return 0; }\n',
      Makefile: makefile(200).replace('OBJECTS = ', 'OBJECTS = src/main.o '),
    },
    run: 'make app && ls -l app | wc -l && echo "build finished"',
    needs: ['gcc -o app src/main.o', 'build finished'],
  },
  {
    id: 'green-with-warning',
    kind: 'green',
    files: {
      'run.mjs': `for (let i = 0; i < 260; i++) { if (i === 133) console.warn('warning: the key "retries" is deprecated and will be removed in 3.0; use "attempts"'); console.log(\`step \${i}: \${['read', 'checked', 'wrote'][i % 3]} table_\${i} (\${(i * 91) % 700} rows)\`); }\nconsole.log('260 steps, 0 failed');\n`,
    },
    run: 'node run.mjs 2>&1',
    needs: ['the key "retries" is deprecated', '260 steps, 0 failed'],
  },
  {
    id: 'git-log-stat',
    kind: 'git',
    files: {},
    setup: commits(80),
    run: 'git log --stat',
    needs: ['Add the table of vouchers_7', 'Fix the rounding of refunds', 'Add the table of orders_0'],
  },
  {
    id: 'git-diff',
    kind: 'git',
    files: {},
    setup: `${commits(44)} && for f in src/*/*.txt; do sed -i '4s/.*/changed here/;20s/.*/and there/' $f; done`,
    run: 'git diff',
    needs: range(44).map((i) => `src/${NAMES[i % 10]}/${named(i)}.txt`),
  },
  {
    id: 'git-status',
    kind: 'git',
    files: {},
    setup: `${commits(20)} && for i in $(seq 1 330); do echo $i > scratch_output_of_run_$i.json; done && echo x >> src/prices/prices_1.txt && git rm -q src/carts/carts_0.txt && git mv src/users/users_1.txt src/users/people.txt`,
    run: 'git status',
    needs: [
      'On branch main',
      'deleted:    src/carts/carts_0.txt',
      'renamed:    src/users/users_1.txt -> src/users/people.txt',
      'modified:   src/prices/prices_1.txt',
    ],
  },
  {
    id: 'ls-recursive',
    kind: 'listing',
    files: { ...sources, 'package.json': '{}', 'README.md': '# shop', 'docs/adr/0001.md': 'x' },
    run: 'ls -lR .',
    needs: ['package.json', './docs/adr:', ...NAMES.map((name) => `./src/${name}:`)],
  },
  {
    id: 'find-files',
    kind: 'listing',
    files: { ...sources, 'config/production.yml': 'a: 1', '.github/workflows/ci.yml': 'on: push' },
    setup:
      'for d in $(seq 1 25); do mkdir -p node_modules/pkg_$d/dist; for f in $(seq 1 8); do echo > node_modules/pkg_$d/dist/chunk_$f.js; done; done',
    run: 'find . -type f | sort',
    needs: [
      './.github/workflows/ci.yml',
      './config/production.yml',
      ...NAMES.map((name) => `./src/${name}/`),
    ],
  },
  {
    id: 'grep-hits',
    kind: 'listing',
    files: { ...sources, 'src/prices/price.js': 'export function priceOf(n) {\n  return n * 1.19;\n}\n' },
    run: "grep -rn 'priceOf' src | sort",
    needs: ['src/prices/price.js:1:export function priceOf(n) {'],
  },
  {
    id: 'json-list',
    kind: 'data',
    format: 'json',
    files: { 'orders.json': JSON.stringify(items(220, 143)) },
    run: 'cat orders.json',
    needs: ['"id":"ord-1143"', 'card was declined by the issuer (code 51)'],
  },
  {
    id: 'json-nested',
    kind: 'data',
    format: 'json',
    files: {
      'report.json': JSON.stringify(
        {
          run: {
            id: 77,
            state: 'failed',
            shards: range(60).map((i) => ({
              name: named(i),
              seconds: i * 3,
              steps: range(4).map((k) => ({
                step: k,
                ok: !(i === 41 && k === 2),
                ...(i === 41 && k === 2 ? { message: 'timed out after 600 s waiting for the lock' } : {}),
              })),
            })),
          },
        },
        null,
        2,
      ),
    },
    run: 'cat report.json',
    needs: ['"state": "failed"', 'timed out after 600 s waiting for the lock'],
  },
  {
    id: 'json-lines',
    kind: 'data',
    files: {
      'events.ndjson': `${lines(240, (i) => JSON.stringify({ at: `2026-05-01T10:00:${String(i % 60).padStart(2, '0')}Z`, level: i === 99 ? 'error' : 'info', msg: i === 99 ? 'migration 0042_add_index failed: relation "orders" is locked' : `migrated ${named(i)}` }))}\n`,
    },
    run: 'cat events.ndjson',
    needs: ['migration 0042_add_index failed'],
  },
  {
    id: 'sqlite-table',
    kind: 'data',
    files: {
      'rows.sql': `create table o (id integer, customer text, total integer, state text);\n${lines(420, (i) => `insert into o values (${i}, '${named(i)}', ${(i * 1997) % 9000}, 'shipped');`)}\n`,
    },
    run: 'sqlite3 -header -csv :memory: ".read rows.sql" "select * from o"',
    needs: ['id,customer,total,state', '0,orders_0,0,shipped', '419,vouchers_41,'],
  },
];

const only = process.argv.slice(2);
const known = existsSync(LIST)
  ? readFileSync(LIST, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
const made = new Map(known.map((fixture) => [fixture.id, fixture]));
mkdirSync(FIXTURES, { recursive: true });
for (const project of PROJECTS.filter(({ id }) => only.length === 0 || only.includes(id))) {
  const { id, kind, files, setup, run, needs, format } = project;
  const folder = mkdtempSync(join(tmpdir(), 'retention-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    NO_COLOR: '1',
    CARGO_TERM_COLOR: 'never',
  };
  const shell = (line) =>
    spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8', maxBuffer: 1 << 26 });
  const ready = setup === undefined ? { status: 0 } : shell(setup);
  const { stdout, stderr, status } =
    ready.status === 0 ? shell(run) : { ...ready, stdout: ready.stdout ?? '' };
  rmSync(folder, { recursive: true, force: true });
  const text = `${stdout}${stderr}`.replaceAll(folder, '/project').replaceAll(process.env.HOME, '/home/dev');
  const missing = needs.filter((need) => !text.includes(need));
  if (missing.length > 0) {
    console.error(`${id}: left as it is; not printed: ${missing.join(' | ')}`);
    if (only.includes(id)) console.error(text.slice(-2_000));
    continue;
  }
  writeFileSync(new URL(`${id}.txt`, FIXTURES), text);
  const command = run.replace(' 2>&1', '');
  made.set(id, { id, kind, command, exit_code: status, ...(format === undefined ? {} : { format }), needs });
  console.log(`${id}: ${text.length} chars`);
}
const order = PROJECTS.map(({ id }) => made.get(id)).filter(Boolean);
writeFileSync(LIST, order.map((fixture) => `${JSON.stringify(fixture)}\n`).join(''));
