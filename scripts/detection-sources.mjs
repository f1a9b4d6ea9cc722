// Texts of a known kind that nobody here wrote, for scripts/detection-table.mjs: files named by their extension, outputs of
// real commands, and the corpora of real outputs where they are. Each gives { kind, bytes, complete, from }.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLE = 8_192;
/** Shorter texts are never cut. */
const LEAST = 200;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

// --- files ---------------------------------------------------------------------------------------------------------

const python = output('python3', ['-c', 'import sys; print(sys.prefix)']).trim() || '/nowhere';
const modules = join(root, 'node_modules');
/** [folder, file name, kind, most files]. JSON is told by parsing all of it, see `parsedKind`. */
const files = [
  [modules, /(?<!\.d)\.[cm]?[jt]sx?$/, 'code', 250],
  [modules, /\.d\.[cm]?ts$/, 'code', 120],
  [modules, /\.s?css$/, 'code', 40],
  [modules, /\.(json|map)$/, 'parsed', 250],
  [modules, /\.(md|markdown)$/i, 'prose', 200],
  [modules, /^licen[cs]e(\.txt)?$/i, 'prose', 60],
  [modules, /\.(html?|svg|xml)$/, 'extension', 40],
  [modules, /\.ya?ml$/, 'code', 30],
  ['/usr/share', /\.html?$/, 'html', 120],
  ['/usr/share', /\.(xml|svg|xsl|xsd)$/, 'xml', 150],
  ['/usr/share', /\.(json)$/, 'parsed', 60],
  ['/usr/share', /\.(py|pl|pm|sh|tcl|el|sql|css|php|js|lua|m4)$/, 'code', 200],
  ['/usr/share', /\.(csv|tsv)$/, 'extension', 40],
  ['/usr/share/doc', /^copyright$/, 'prose', 80],
  ['/usr/share/doc', /^(README|NEWS|TODO|FAQ|HACKING)(\.(txt|md|Debian|rst))?$/, 'prose', 80],
  ['/usr/share/common-licenses', /./, 'prose', 20],
  ['/usr/include', /\.h(pp)?$/, 'code', 150],
  [python, /\.pyi?$/, 'code', 200],
  [python, /\.(c|h|f90|pyx|java|cpp|sh)$/, 'code', 80],
  [python, /\.(csv|tsv)$/, 'extension', 60],
  [python, /\.(rst|md)$/, 'prose', 40],
  [python, /\.(png|gz|zip|so|pyc|npz|ico|gif)$/, 'binary', 40],
  [join(homedir(), '.pyenv/plugins'), /\.(patch|diff)$/, 'diff', 60],
  ['/usr/share', /\.(patch|diff)$/, 'diff', 40],
  ['/var/log', /\.log$/, 'logs', 20],
  [join(homedir(), '.npm/_logs'), /\.log$/, 'logs', 10],
];
/** Of one folder, so that no package fills the table. */
const MOST_PER_FOLDER = 2;
const CSV_PER_FOLDER = 8;

export function fileTexts() {
  return files.flatMap(([folder, pattern, kind, most]) => {
    const found = spread(
      walk(folder, pattern, kind === 'extension' || kind === 'diff' ? CSV_PER_FOLDER : MOST_PER_FOLDER),
      most,
    );
    return found.flatMap((path) => {
      const text = readStart(path);
      const label = kind === 'parsed' ? parsedKind(path) : kind === 'extension' ? extensionKind(path) : kind;
      return text.bytes.length < LEAST || label === undefined ? [] : [{ ...text, kind: label, from: path }];
    });
  });
}

function walk(folder, pattern, perFolder, depth = 0) {
  if (depth > 12 || !existsSync(folder) || (depth > 0 && folder === join(root, 'packages'))) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const here = entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(folder, entry.name));
  const below = entries
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => walk(join(folder, entry.name), pattern, perFolder, depth + 1));
  // Folders of a kind lie side by side: half as many again for each level up.
  return spread(
    [...spread(here, perFolder), ...below],
    depth === 0 ? Number.POSITIVE_INFINITY : perFolder * (depth > 2 ? 3 : 12),
  );
}

/** At most so many, evenly over the list: the same ones each time. */
function spread(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

function readStart(path) {
  const size = statSync(path).size;
  const bytes = Buffer.alloc(Math.min(size, SAMPLE));
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, bytes.length, 0);
  closeSync(file);
  return { bytes, complete: size <= SAMPLE };
}

/** json, ndjson, or undefined for what is neither: by parsing the whole file. */
function parsedKind(path) {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const isNested = (line) => {
    try {
      return typeof JSON.parse(line) === 'object' && JSON.parse(line) !== null;
    } catch {
      return false;
    }
  };
  if (isNested(text)) return 'json';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length >= 2 && lines.every(isNested) ? 'ndjson' : undefined;
}

function extensionKind(path) {
  const extension = path.split('.').at(-1).toLowerCase();
  return { htm: 'html', svg: 'xml' }[extension] ?? extension;
}

// --- commands ------------------------------------------------------------------------------------------------------

const places = [root, '/usr/share/doc', '/usr/include', '/etc', '/usr/lib', modules].filter((place) =>
  existsSync(place),
);
const words = ['error', 'return', 'version', 'TODO', 'size', 'http'];

/** A format of dpkg-query: names and what stands between them. */
function field(...parts) {
  return `-f=${parts.map((part, i) => (i % 2 === 0 ? `$\{${part}}` : part)).join('')}\n`;
}

/** [kind, command, arguments, where]. */
const commands = [
  ...places.flatMap((place) => [
    ['listing', 'ls', ['-laR', '.'], place],
    ['listing', 'ls', ['-l'], place],
    ['listing', 'ls', ['-R'], place],
    ['listing', 'ls', ['-1'], place],
    ['listing', 'find', ['.', '-type', 'f'], place],
    ['listing', 'find', [place, '-maxdepth', '3'], place],
    ['listing', 'tree', ['-L', '3'], place],
    ['listing', 'du', ['-a', '--max-depth=2'], place],
  ]),
  ['listing', 'git', ['ls-files'], root],
  ['listing', 'git', ['ls-files', '-s'], root],
  ['listing', 'git', ['ls-tree', '-r', 'HEAD'], root],
  ['listing', 'git', ['ls-tree', '-r', '--name-only', 'HEAD'], root],
  ...places.flatMap((place) =>
    words.flatMap((word) => [
      ['hits', 'grep', ['-rnI', '--max-count=3', '--include=*.*', word, '.'], place],
      ['hits', 'rg', ['-n', '--no-heading', '--max-count=3', word], place],
      ['hits', 'rg', ['--vimgrep', '--max-count=3', word], place],
      ['hits', 'rg', ['--heading', '-n', '--max-count=3', word], place],
    ]),
  ),
  ...words.flatMap((word) => [
    ['hits', 'git', ['grep', '-n', word, '--', 'packages'], root],
    ['hits', 'git', ['grep', '-n', '-A2', word, '--', 'packages'], root],
    ['hits', 'git', ['grep', '-n', '--column', word, '--', 'packages'], root],
    ['hits', 'grep', ['-rI', '--max-count=3', word, '.'], '/usr/include'],
    ['hits', 'grep', ['-n', word, 'package-lock.json'], root],
  ]),
  ...[0, 1, 2, 3, 5, 8, 13].flatMap((back) => [
    ['diff', 'git', ['show', `HEAD~${back}`], root],
    ['diff', 'git', ['show', '--color', `HEAD~${back}`], root],
    ['diff', 'git', ['format-patch', '--stdout', '-1', `HEAD~${back}`], root],
  ]),
  ...[
    'docs',
    'examples',
    'bench',
    'scripts',
    'packages/core/src',
    'packages/core/test',
    'packages/spillway',
  ].flatMap((folder) => [
    ['diff', 'git', ['log', '-p', '--', folder], root],
    ['diff', 'git', ['log', '--format=', '-p', '-U1', '--', folder], root],
    [
      'diff',
      'git',
      ['diff', '--no-color', '4b825dc642cb6eb9a060e54bf8d69288fbee4904', 'HEAD', '--', folder],
      root,
    ],
  ]),
  ['diff', 'diff', ['-u', '/etc/services', '/etc/protocols'], '/'],
  ['table', 'ps', ['aux'], root],
  ['table', 'ps', ['-ef'], root],
  ['table', 'ps', ['-eo', 'pid,ppid,stat,comm'], root],
  ['table', 'df', [], root],
  ['table', 'df', ['-h'], root],
  ['table', 'df', ['-i'], root],
  ['table', 'free', [], root],
  ['table', 'dpkg', ['-l'], root],
  ['table', 'dpkg-query', ['-W', field('binary:Package;-40', ' ', 'Version;-30', ' ', 'Architecture')], root],
  ['table', 'pip', ['list'], root],
  ['table', 'lsblk', [], root],
  ['table', 'ss', ['-tan'], root],
  ['table', 'netstat', ['-an'], root],
  ['table', 'docker', ['images'], root],
  ['table', 'lsof', ['-p', String(process.pid)], root],
  ['table', 'sh', ['-c', 'column -t -s: /etc/passwd'], root],
  ['table', 'sh', ['-c', 'column -t /proc/mounts'], root],
  ['table', 'sh', ['-c', 'sed 1d /proc/net/dev | column -t'], root],
  ['table', 'cat', ['/proc/partitions'], root],
  ['table', 'vmstat', ['1', '3'], root],
  ['table', 'top', ['-b', '-n1'], root],
  [
    'table',
    'sqlite3',
    ['-box', ':memory:', 'select name, type, builtin, enc from pragma_function_list limit 80'],
    root,
  ],
  [
    'table',
    'sqlite3',
    ['-column', '-header', ':memory:', 'select name, type, builtin, enc from pragma_function_list limit 80'],
    root,
  ],
  [
    'table',
    'sqlite3',
    ['-markdown', ':memory:', 'select name, type, builtin, enc from pragma_function_list limit 80'],
    root,
  ],
  ...places.flatMap((place) => [
    ['csv', 'python3', ['-c', csvWriter('excel'), place], root],
    ['csv', 'python3', ['-c', csvWriter('unix'), place], root],
    ['tsv', 'python3', ['-c', csvWriter('excel-tab'), place], root],
  ]),
  ['tsv', 'dpkg-query', ['-W', field('Package', '\t', 'Version', '\t', 'Architecture')], root],
  [
    'csv',
    'dpkg-query',
    ['-W', field('Package', ',', 'Version', ',', 'Architecture', ',', 'Installed-Size')],
    root,
  ],
  ['binary', 'base64', [process.execPath], root],
  ['binary', 'base64', ['-w0', join(root, 'package-lock.json')], root],
  ['prose', 'man', ['ls'], root],
  ['prose', 'git', ['log', '-5', '--format=%B'], root],
  ['test', 'npx', ['vitest', 'run', 'packages/core/test/text'], root],
  ['test', 'npx', ['vitest', 'run', '--reporter=verbose', 'packages/core/test/text'], root],
  ...['test_bool', 'test_int', 'test_bisect', 'test_heapq'].flatMap((name) => [
    ['test', 'python3', ['-m', 'unittest', '-v', `test.${name}`], root],
  ]),
];

/** Name, size, mode and age of the files below a folder, written by Python's own CSV module. */
function csvWriter(dialect) {
  return [
    'import csv, os, sys',
    `out = csv.writer(sys.stdout, dialect='${dialect}')`,
    "out.writerow(['path', 'size', 'mode', 'mtime', 'note'])",
    'for folder, _, names in os.walk(sys.argv[1]):',
    '  for name in sorted(names)[:4]:',
    '    path = os.path.join(folder, name)',
    '    if os.path.isfile(path):',
    '      stat = os.stat(path)',
    `      out.writerow([path, stat.st_size, oct(stat.st_mode), stat.st_mtime, 'large, "very" large' if stat.st_size > 50000 else ''])`,
  ].join('\n');
}

export function commandTexts() {
  const folder = mkdtempSync(join(tmpdir(), 'detection-'));
  return [...commands, ...failingCompiles(), ...programs(folder)].flatMap(([kind, command, args, cwd]) => {
    const said = output(command, args, cwd);
    if (said.length < LEAST) return [];
    const bytes = Buffer.from(said);
    return [
      {
        kind,
        bytes: bytes.subarray(0, SAMPLE),
        complete: bytes.length <= SAMPLE,
        from: `$ ${command} ${args.join(' ')}`.slice(0, 120),
      },
    ];
  });
}

/** stdout and stderr of a command; empty if it is not there. */
function output(command, args, cwd = '/') {
  const run = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 1 << 28,
    env: { ...process.env, LC_ALL: 'C.UTF-8', RUST_BACKTRACE: '1' },
  });
  if (run.error !== undefined && run.stdout === null) return '';
  if (run.status !== 0 && ['git', 'docker', 'man', 'ss', 'netstat', 'lsof', 'npx'].includes(command))
    return '';
  return `${(run.stdout ?? '').slice(0, 100_000)}${(run.stderr ?? '').slice(0, 100_000)}`;
}

/** Real sources that a stricter compiler complains about. */
function failingCompiles() {
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
function programs(folder) {
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

// --- corpora -------------------------------------------------------------------------------------------------------

const corpora = resolve(process.env.SPILLWAY_CORPORA ?? join(root, '../shared/corpora'));
/** The manifests' own words for a kind; several kinds may be right. */
const PLAIN = {
  'passing CI log': 'logs',
  'prose, non-Latin script': 'prose',
  'git diff': 'diff',
  'file listing': 'listing',
  'code search': 'hits',
};

export function corporaTexts() {
  if (!existsSync(corpora)) {
    console.warn(`Real outputs not found at ${corpora}: the table is made without them.`);
    return [];
  }
  const read = (name) =>
    readFileSync(join(corpora, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const text = (item, kind) => ({ ...readStart(join(corpora, item.file)), kind, from: item.id });
  return [
    ...read('structured').flatMap((item) =>
      typeof item.valid !== 'boolean' && item.kind === 'json-validity'
        ? []
        : [text(item, structuredLabel(item))],
    ),
    ...read('plain').flatMap((item) =>
      PLAIN[item.kind] === undefined ? [] : [text(item, PLAIN[item.kind])],
    ),
    ...read('failures').map((item) => text(item, failureLabel(item))),
  ];
}

function structuredLabel(item) {
  if (item.kind !== 'json-validity') return item.kind;
  return parsedKind(join(corpora, item.file)) === 'json' ? 'json' : 'not json';
}

function failureLabel(item) {
  const path = join(corpora, item.file);
  if (item.file.endsWith('.xml') || readFileSync(path, 'utf8').slice(0, 10).includes('<?xml')) return 'xml';
  return parsedKind(path) ?? 'logs';
}
