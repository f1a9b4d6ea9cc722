/**
 * What is shown of commands that went well: whole pieces first, then lines of ours below a marker
 * that tell what its gap holds. Every line that a model reads is pinned here.
 */
import { describe, expect, it } from 'vitest';
import type { PolicyPatch } from '../../src/model/policy.ts';
import { openSpillway } from '../opening.ts';

const SESSION = { session: 's', scope: 's' };

async function ran(
  command: string,
  text: string,
  inlineLimit = 4_000,
  policy: PolicyPatch = {},
): Promise<string> {
  const call = { ...SESSION, tool: 'execute_command', input: { command } };
  const options = { policy: { inlineLimit, ...policy }, outcome: { status: 'ok' as const, exitCode: 0 } };
  return (await openSpillway().process(call, { kind: 'text', text }, options)).projection.text;
}

async function read(path: string, text: string, inlineLimit = 4_000): Promise<string> {
  const call = { ...SESSION, tool: 'read_file', input: { path } };
  return (await openSpillway().process(call, { kind: 'text', text }, { policy: { inlineLimit } })).projection
    .text;
}

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i));
const hash = (i: number) => (0xabcdef00 + i).toString(16).padEnd(40, '0');
const day = (i: number) => String(28 - (i % 28)).padStart(2, '0');

describe('git log', () => {
  const log = (count: number) =>
    lines(count, (i) =>
      [
        `commit ${hash(i)}`,
        `Author: Ann Example <ann@example.com>`,
        `Date:   Mon Jun ${day(i)} 10:00:00 2026 +0200`,
        '',
        `    fix: error handling of case ${i}`,
        '',
        `    ${'Long words about it. '.repeat(20)}`,
        '',
        '',
      ].join('\n'),
    ).join('');

  it('shows the newest commits whole, the others by a line each, and how many there are', async () => {
    const shown = await ran('git log', log(100));
    expect(shown).toContain(
      `commit ${hash(0)}\nAuthor: Ann Example <ann@example.com>\nDate:   Mon Jun 28 10:00:00 2026 +0200\n\n    fix: error handling of case 0\n`,
    );
    expect(shown).toContain('\n· abcdef05 2026-06-23 Ann Example: fix: error handling of case 5\n');
    expect(shown).toContain(
      '· abcdef63 2026-06-13 Ann Example: fix: error handling of case 99\n· 100 commits, 2026-06-13 to 2026-06-28',
    );
  });

  it('counts no errors in subjects', async () => {
    expect(await ran('git log', log(100))).not.toMatch(/^\[.*Errors/m);
  });

  it('leaves the room empty that says nothing new', async () => {
    const shown = await ran(
      'git log --oneline',
      lines(2_000, (i) => `${hash(i).slice(0, 8)} change ${i}\n`).join(''),
      8_000,
    );
    expect(shown.length).toBeLessThan(5_000);
    expect(shown).toContain('abcdef00 change 0\nabcdef01 change 1\n');
  });
});

describe('git diff', () => {
  const file = (path: string, hunks: number, word = 'value') =>
    [
      `diff --git a/${path} b/${path}`,
      'index 1111111..2222222 100644',
      `--- a/${path}`,
      `+++ b/${path}`,
      ...lines(hunks, (i) =>
        [
          `@@ -${i * 9 + 1},3 +${i * 9 + 1},4 @@ function f${i}() {`,
          ' before',
          `-old ${word} ${i}`,
          `+new ${word} ${i}`,
          `+more ${word} ${i}`,
          ' after',
        ].join('\n'),
      ),
    ].join('\n');
  const diff = [
    file('package-lock.json', 200),
    ...lines(12, (i) => file(`src/module-${i}.ts`, i + 1, `error${i}`)),
    'diff --git a/old.ts b/new.ts',
    'similarity index 100%',
    'rename from old.ts',
    'rename to new.ts',
    '',
  ].join('\n');

  it('names each file with its changes, and shows source before what is generated', async () => {
    const shown = await ran('git diff', diff);
    expect(shown).toContain('· package-lock.json +400 −200\n');
    for (let i = 0; i < 12; i++) expect(shown).toContain(`· src/module-${i}.ts +${2 * (i + 1)} −${i + 1}\n`);
    expect(shown).toContain('· old.ts → new.ts +0 −0');
    expect(shown).toContain('-old error0 0');
    expect(shown).not.toContain('-old value');
    expect(shown).toContain('· 14 files changed, +556 −278');
  });
});

describe('a listing', () => {
  it('is a line a folder with counts', async () => {
    const paths = lines(900, (i) => `./src/part-${i % 9}/file-${i}.ts`).concat(
      lines(9, (i) => `./docs/${i}.md`),
    );
    const shown = await ran('find . -type f', `${paths.join('\n')}\n`);
    expect(shown).toContain('· (909): src/ (900), docs/ (9)\n');
    expect(shown).toContain('· docs/ (9): 0.md, 1.md, 2.md, 3.md, 4.md, 5.md, 6.md, 7.md, 8.md\n');
    expect(shown).toContain('· src/ (900): part-0/ (100), part-1/ (100), part-2/ (100)');
    expect(shown).toContain('· 909 entries');
  });

  it('that is a tree has its root, and what was said above it', async () => {
    const tree = lines(300, (i) => `${i === 299 ? '└──' : '├──'} package-${i}@1.0.${i}`).join('\n');
    const shown = await ran('npm ls', `npm warn Unknown config "a".\nshop@2.0.0 /srv/shop\n${tree}\n`);
    expect(shown).toContain('npm warn Unknown config "a".\nshop@2.0.0 /srv/shop\n');
  });

  it('is no deeper than max_depth', async () => {
    const paths = lines(600, (i) => `src/part-${i % 3}/deep-${i % 7}/file-${i}.ts`).join('\n');
    expect(await ran('find src', paths)).toContain('· src/part-0/deep-');
    const shown = await ran('find src', paths, 4_000, { maxDepth: 1 });
    expect(shown).toContain('part-0/ (200)');
    expect(shown).not.toContain('· src/part-0/');
  });

  it('has the same lines under element, with more names: a strategy that is named gets all room', async () => {
    const paths = lines(900, (i) => `src/part-${i % 9}/file-${i}.ts\n`).join('');
    const heads = (text: string) => text.match(/^· .*?: /gm);
    const auto = await ran('find src', paths, 10_000);
    const named = await ran('find src', paths, 10_000, { strategy: 'element' });
    expect(heads(named)).toEqual(heads(auto));
    expect(auto.length).toBeLessThan(6_000);
    expect(named.length).toBeGreaterThan(7_000);
  });

  it('of names below their folders is a line a folder', async () => {
    const folder = (i: number) => `./part-${i}:\n${lines(90, (j) => `file-${j}.ts`).join('\n')}\n`;
    const shown = await ran('ls -R', lines(9, folder).join('\n'));
    for (let i = 0; i < 9; i++) expect(shown).toContain(`· ./part-${i}: (90): file-0.ts, `);
  });

  it('stays one where the command failed', async () => {
    const call = { ...SESSION, tool: 'execute_command', input: { command: 'find .' } };
    const text = lines(900, (i) => `./src/part-${i % 9}/file-${i}.ts\n`).join('');
    const options = { policy: { inlineLimit: 4_000 }, outcome: { status: 'error' as const, exitCode: 1 } };
    const { projection } = await openSpillway().process(call, { kind: 'text', text }, options);
    expect(projection.text).toContain('part-0/ (100), part-1/ (100)');
  });

  it('is none where sentences stand below a line with a colon', async () => {
    const block = (i: number) => `Part ${i}:\n${lines(60, (j) => `some words ${j}`).join('\n')}\n`;
    expect(await ran('run', lines(9, block).join('\n'))).toContain('some words 3\n');
  });

  it('with a mode and a hash before each path is one too', async () => {
    const entry = (i: number) => `100644 blob ${hash(i)}\tsrc/part-${i % 9}/file-${i}.ts\n`;
    expect(await ran('git ls-tree -r HEAD', lines(300, entry).join(''))).toContain(
      'part-0/ (34), part-1/ (34)',
    );
  });

  it('with a size before each path shows the largest', async () => {
    const entry = (i: number) => `${i === 137 ? 900_000 : i} /usr/part-${i % 9}/file-${i}.ts\n`;
    const shown = await ran("find /usr -printf '%s %p\\n'", lines(300, entry).join(''));
    expect(shown).toContain('900000 /usr/part-2/file-137.ts\n');
    expect(shown).toContain('· /usr/ (300): part-0/ (34), part-1/ (34)');
  });

  it('that is sorted by size shows more of the largest, whichever end they stand at', async () => {
    const falling = lines(900, (i) => `${900 - i}M\t/usr/lib/part-${i % 30}/package-${i}\n`);
    for (const listed of [falling, falling.toReversed()]) {
      const shown = await ran('du -h /usr/lib | sort -h', listed.join(''), 8_000);
      expect(shown).toContain('900M\t/usr/lib/part-0/package-0');
      expect(shown).toContain('860M\t/usr/lib/part-10/package-40');
    }
  });

  it('with a count behind each path shows the files with most', async () => {
    const text = lines(400, (i) => `src/part-${i % 20}/module-${i}.ts:${i % 97 === 5 ? i : 0}\n`).join('');
    const shown = await ran('grep -rc TODO src', text);
    expect(shown).toContain('src/part-16/module-296.ts:296\n');
    expect(shown).toContain('· 400 entries');
    expect(shown).not.toContain('hits');
  });

  it('counts no total as an entry', async () => {
    const text = lines(300, (i) => `  ${(i * 7919) % 900} src/part-${i % 20}/module-${i}.ts\n`).join('');
    const shown = await ran('find src -type f | xargs wc -l', `${text} 134550 total\n`);
    expect(shown).toContain('· 300 entries');
    expect(shown).toContain('134550 total');
  });

  it('of changed files counts what became of them', async () => {
    const entry = (i: number) => `${i % 3 === 0 ? 'A' : 'M'}\tsrc/part-${i % 9}/file-${i}.ts\n`;
    const shown = await ran('git diff --name-status', lines(300, entry).join(''));
    expect(shown).toContain('· src/ (300: 200 M, 100 A): part-0/ (34), part-1/ (34)');
    expect(shown).toContain('· src/part-1/ (34: 34 M): M file-1.ts');
  });

  it('that is longer than a table shows its outer entries, and counts nothing', async () => {
    const path = (i: number) =>
      i % 5_000 === 7 ? `top-${i}/\n` : `src/part-${i % 97}/deep/er/file-${i}.ts\n`;
    const shown = await ran('find .', lines(60_000, path).join(''));
    for (let i = 7; i < 60_000; i += 5_000) expect(shown).toContain(`top-${i}/\n`);
    expect(shown).not.toContain('entries');
  });
});

describe('records', () => {
  it('are shown by the largest numbers, rare values and names from the whole list', async () => {
    const size = (i: number) => (i === 123 ? 9_000_000 : 1_000 + ((i * 37) % 400));
    const record = (i: number) =>
      `-rw-r--r--  1 root ${i === 321 ? 'guest' : 'staff'} ${String(size(i)).padStart(12)} Nov 16 16:13 tool-${i}.bin with no error`;
    const shown = await ran('ls -l', `total 4\n${lines(400, record).join('\n')}\n`);
    for (const i of [0, 123, 321, 399]) expect(shown).toContain(record(i));
    expect(shown.length).toBeLessThan(3_200);
  });

  it('are shown by their names where they are long', async () => {
    const record = (i: number) =>
      `ii  package-${i}   ${1 + (i % 7)}.${i}-1    amd64   ${'what it is for '.repeat(6)}`;
    const shown = await ran('dpkg -l', `${lines(500, record).join('\n')}\n`);
    expect(shown).toContain('· 500 names: package-0 1.0-1, ');
    expect(shown).toContain(', package-499 3.499-1, … ');
  });

  it('are counted without the header above them and the sentence below', async () => {
    const header = 'Name Version Size Kind\n';
    const packages = lines(500, (i) => `package-${i} 1.${i}-1 ${i * 37} all-of-the-architectures\n`);
    const shown = await ran('packages', `${header}${packages.join('')}All packages are listed here.\n`);
    expect(shown).toContain('· 500 names: package-0 1.0-1, ');
  });

  it('of paths are shown by how their paths begin', async () => {
    const text = lines(400, (i) => `-rw-r--r-- dev/dev ${i * 7} web/${i % 2 ? 'lib' : 'bin'}/f${i}.js\n`);
    const more = lines(100, (i) => `-rw-r--r-- dev/dev ${i * 7} web/doc/f${i}.md\n`);
    const shown = await ran('tar tv', [...text, ...more].join(''));
    expect(shown).toContain('· names begin with: web/bin (200), web/lib (200), web/doc (100)\n');
  });

  it('that are settings are shown by how their names begin, and some of each family', async () => {
    const families = ['net.ipv4.conf', 'kernel', 'vm', 'fs.inotify'];
    const setting = (i: number) => `${families[i % 4]}.setting_${i} = ${i}`;
    const shown = await ran('sysctl -a', `${lines(600, setting).join('\n')}\n`);
    expect(shown).toContain('· names begin with: net.ipv4 (150), kernel (150), vm (150), fs.inotify (150)\n');
    expect(shown).toContain('vm.setting_598 = 598');
  });
});

describe('records of several lines', () => {
  it('are shown by the first of them, and what tells the others apart', async () => {
    const record = (i: number) =>
      `Package: tool-${i}\nVersion: 1.${i}\nSection: utils\nPriority: optional\n` +
      `Maintainer: The Team <team@example.com>\nDescription: ${'what it is for '.repeat(9)}\n\n`;
    const shown = await ran('apt-cache show', lines(40, record).join(''));
    expect(shown).toContain('Package: tool-0\nVersion: 1.0\nSection: utils\nPriority: optional\n');
    expect(shown).toContain('\n8: Package: tool-1\n9: Version: 1.1\n15: Package: tool-2\n');
    expect(shown).toContain('Package: tool-39\n');
  });

  it('leave out the digits of keys and signatures', async () => {
    const digits = lines(60, (i) => `    ${`${(i % 90) + 10}:`.repeat(15)}\n`).join('');
    const certificate = (i: number) =>
      `Certificate:\n    Issuer: CN = ca\n    Subject: CN = host-${i}\n    Serial: ${i}\n    Key:\n${digits}    Value:\n${digits}`;
    const shown = await ran('openssl x509 -text', lines(3, certificate).join(''));
    for (let i = 0; i < 3; i++) expect(shown).toContain(`Subject: CN = host-${i}\n`);
    expect(shown).not.toContain('10:10:10');
    expect(shown.length).toBeLessThan(1_000);
  });
});

describe('places in files', () => {
  it('are no records: they are shown by file', async () => {
    const hit = (i: number) => `src/file-${Math.floor(i / 60)}.ts:${i + 1}: return text('value ${i}')\n`;
    expect(await ran('make', lines(600, hit).join(''))).toMatch(/\d hits in src\/file-/);
  });
});

describe('a run of tests that went well', () => {
  it('is none where the last column of a table is ok', async () => {
    const row = (i: number) =>
      `2025-01-${day(i)},station-${i % 5},${i / 10},${i === 400 ? 'offline' : 'ok'}\n`;
    const shown = await ran('report', `day,station,degrees,state\n${lines(800, row).join('')}`);
    expect(shown).toContain(row(400));
    expect(shown.length).toBeGreaterThan(1_000);
  });

  it('is its summary, the suites and what stands out, in 600 chars', async () => {
    const run = [
      ...lines(2_000, (i) => ` ✓ test/suite-${i % 5}.test.ts > case ${i} handles an error`),
      '',
      ' Test Files  5 passed (5)',
      '      Tests  2000 passed (2000)',
      '   Duration  1.2s',
      '',
    ].join('\n');
    const shown = await ran('vitest run', run, 8_000);
    expect(shown).toContain('      Tests  2000 passed (2000)\n');
    expect(shown).toContain('· 5 suites: test/suite-0.test.ts, test/suite-1.test.ts');
    expect(shown).not.toMatch(/Errors/);
    expect(shown.length).toBeLessThanOrEqual(600);
  });
});

describe('a manual', () => {
  it('is its headings, and the options of each section', async () => {
    const text = [
      'TOOL(1)                  User Commands                  TOOL(1)',
      '',
      'NAME',
      '       tool - does something',
      '',
      ...['SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS'].flatMap((heading, at) => [
        heading,
        ...lines(
          40,
          (i) =>
            `       -${'abcdefgh'[at]}${i}, --option-${at}-${i}\n              ${'Explained at length. '.repeat(3)}\n`,
        ),
      ]),
    ].join('\n');
    const shown = await ran('man tool', text);
    expect(shown).toContain('NAME\n       tool - does something\n');
    expect(shown).toMatch(/^\d+: EXIT STATUS$/m);
    expect(shown).toMatch(/^· 80 options: -\w\d+, --option-/m);
  });

  it('has no term that is the end of a paragraph', async () => {
    const section = (name: string) =>
      `${name}\n       A sentence about ${name.toLowerCase()} goes on in\n       while the command\n\n              ls -l\n\n       or\n\n              ls\n\n       first-${name.toLowerCase()}\n              Explained here.\n\n       second-${name.toLowerCase()}\n              Explained there, at some length.\n\n`;
    const names = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'PROMPTING', 'EXPANSION', 'NOTES', 'SEE ALSO'];
    const shown = await ran('man tool', names.map(section).join('').repeat(3));
    expect(shown).toContain('· 2 terms: first-prompting, second-prompting\n');
    expect(shown).not.toMatch(/terms?:.*(?:while|\bor\b)/);
  });

  it('that lists commands names them', async () => {
    const section = (at: number) => [
      `Commands of kind ${'ABCD'[at]}`,
      ...lines(30, (i) => `   command-${at}-${i}      Does one of many things that take some words to tell`),
      '',
    ];
    const shown = await ran('tool help -a', [0, 1, 2, 3].flatMap(section).join('\n'), 4_000);
    expect(shown).toMatch(/^\d+: Commands of kind D$/m);
    expect(shown).toMatch(/^· 30 terms: command-3-0, /m);
  });
});

describe('source code that is read', () => {
  it('has the signatures of what is left out below its markers, with their lines', async () => {
    const text = lines(
      60,
      (i) =>
        `export function part${i}(value: string): string {\n${'  // something happens here\n'.repeat(12)}  return value;\n}\n\n`,
    ).join('');
    const shown = await read('src/parts.ts', text);
    expect(shown).toMatch(
      /omitted: \d+-\d+\] \.\.\.\n\d+: export function part\d+\(value: string\): string \{\n/,
    );
    const named = shown.match(/function part\d+/g) ?? [];
    expect(new Set(named).size).toBeGreaterThan(15);
  });
});

describe('a row listed below a marker', () => {
  it('stands apart from the next shown line, whose heading it is not', async () => {
    const warning = (i: number) => `warning: unused variable: \`unused${i}\`
   --> src/lib.rs:${i + 4}:36
    |
${i + 4} | pub fn fun${i}(a: u32) -> u32 { let unused${i} = 3; a * ${i} }
    |                              ^^^^^^^ help: if this is intentional, prefix it: \`_unused${i}\`

`;
    const text = `   Compiling demo v0.1.0\n${lines(150, warning).join('')}    Finished in 0.4s\n`;
    const shown = await ran('cargo build', text, 8_000);
    expect(shown).toMatch(/\] \.\.\.\n\d+: warning: unused variable: `unused\d+`\n\n/);
    expect(shown).not.toMatch(/\n\d+: .*\n(?!\d+: |· |\n)/);
  });
});

describe('a small room', () => {
  it('has the error before its stack', async () => {
    const text = `${lines(60, (i) => `building module ${i} of the tree with ${'abcdefgh'[i % 8]}`).join('\n')}
file:///app/src/server.js:42
    throw new TypeError('no port');
          ^

TypeError: no port is set for the server
    at start (file:///app/src/server.js:42:11)
    at main (file:///app/src/main.js:10:3)
    at ModuleJob.run (node:internal/modules/esm/module_job:234:25)
    at async loadESM (node:internal/process/esm_loader:28:7)

Node.js v20.20.2
`;
    const call = { ...SESSION, tool: 'execute_command', input: { command: 'node server.js' } };
    for (const inlineLimit of [350, 400, 500]) {
      const options = { policy: { inlineLimit }, outcome: { status: 'error' as const, exitCode: 1 } };
      const { projection } = await openSpillway().process(call, { kind: 'text', text }, options);
      expect(projection.text).toContain('TypeError: no port is set for the server\n');
    }
  });
});
