// Outputs of real commands, as many of them as are installed. Each text is { kind, bytes, complete,
// from }.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failingCompiles, programs } from './programs.mjs';
import { LEAST, modules, output, root, SAMPLE } from './reading.mjs';

const folders = [root, '/usr/share/doc', '/usr/include', '/etc', '/usr/lib', modules].filter((folder) =>
  existsSync(folder),
);
const words = ['error', 'return', 'version', 'TODO', 'size', 'http'];

/** A format of dpkg-query: names and what stands between them. */
function field(...parts) {
  return `-f=${parts.map((part, i) => (i % 2 === 0 ? `$\{${part}}` : part)).join('')}\n`;
}

/** [kind, command, arguments, where]. */
const commands = [
  ...folders.flatMap((folder) => [
    ['listing', 'ls', ['-laR', '.'], folder],
    ['listing', 'ls', ['-l'], folder],
    ['listing', 'ls', ['-R'], folder],
    ['listing', 'ls', ['-1'], folder],
    ['listing', 'find', ['.', '-type', 'f'], folder],
    ['listing', 'find', [folder, '-maxdepth', '3'], folder],
    ['listing', 'tree', ['-L', '3'], folder],
    ['listing', 'du', ['-a', '--max-depth=2'], folder],
  ]),
  ['listing', 'git', ['ls-files'], root],
  ['listing', 'git', ['ls-files', '-s'], root],
  ['listing', 'git', ['ls-tree', '-r', 'HEAD'], root],
  ['listing', 'git', ['ls-tree', '-r', '--name-only', 'HEAD'], root],
  ...folders.flatMap((folder) =>
    words.flatMap((word) => [
      ['hits', 'grep', ['-rnI', '--max-count=3', '--include=*.*', word, '.'], folder],
      ['hits', 'rg', ['-n', '--no-heading', '--max-count=3', word], folder],
      ['hits', 'rg', ['--vimgrep', '--max-count=3', word], folder],
      ['hits', 'rg', ['--heading', '-n', '--max-count=3', word], folder],
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
  ...folders.flatMap((folder) => [
    ['csv', 'python3', ['-c', csvWriter('excel'), folder], root],
    ['csv', 'python3', ['-c', csvWriter('unix'), folder], root],
    ['tsv', 'python3', ['-c', csvWriter('excel-tab'), folder], root],
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
  return [...commands, ...failingCompiles(), ...programs()].flatMap(([kind, command, args, cwd]) => {
    const text = output(command, args, cwd);
    if (text.length < LEAST) return [];
    const bytes = Buffer.from(text);
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
