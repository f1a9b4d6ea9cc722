/** Which calls read a file. */
import { describe, expect, it, test } from 'vitest';
import { filePrinted, purposeOf, readsFile } from '../../src/capture/call-purpose.ts';

test('the file that a command prints is named as the system knows it', () => {
  const printed = (command: string) => filePrinted('bash', { command });
  expect(printed(String.raw`type C:\logs\app.log`)).toBe(String.raw`C:\logs\app.log`);
  expect(printed(String.raw`cat my\ notes.md`)).toBe('my notes.md');
});

describe('a call reads a file', () => {
  it.each(['read_file', 'Read', 'view', 'mcp__fs__read_text_file', 'readFile', 'ViewCode'])(
    'where its tool is called %s',
    (tool) => expect(readsFile(tool, {})).toBe(true),
  );

  it('where an editor is asked to view', () => {
    expect(readsFile('str_replace_editor', { command: 'view', path: 'a.ts' })).toBe(true);
    expect(readsFile('str_replace_editor', { command: 'create', path: 'a.ts' })).toBe(false);
  });

  it.each([
    'cat src/a.ts',
    "sed -n '1,80p' src/a.ts",
    "nl -ba src/a.py | sed -n '200,300p'",
    'cd "my lib" && cat a.ts | head -n 50',
    'head -50 a.ts; echo ---; cat b.ts 2>/dev/null',
    '/usr/bin/cat a.ts',
  ])('where its command only prints files: %s', (command) => {
    expect(readsFile('bash', { command })).toBe(true);
    expect(readsFile('exec_command', { cmd: command })).toBe(true);
    expect(readsFile('shell', { command: ['bash', '-lc', command] })).toBe(true);
    const quoted = `'${command.replaceAll("'", String.raw`'\''`)}'`;
    expect(readsFile('execute_command', { command: `bash -lc ${quoted}` })).toBe(true);
  });

  it.each([
    'npm test',
    'cat a.ts | grep name',
    'cat a.ts > b.ts',
    'cat $(git ls-files)',
    'for f in *; do cat $f; done',
    'cat a.ts && npm test',
    'tail -n 5',
    "sed 's/a/b/' a.ts",
    'echo done',
    '',
  ])('but not where it does anything else: %s', (command) =>
    expect(readsFile('bash', { command })).toBe(false),
  );

  it('and no other tool prints files by its command', () => {
    expect(readsFile('deploy', { command: 'cat a.ts' })).toBe(false);
    expect(readsFile('bash', undefined)).toBe(false);
  });
});

describe('a cell of a notebook', () => {
  it('is a command where it hands its code to the shell', () => {
    expect(purposeOf('jupyter', '!python train.py --epochs 1').isCommand).toBe(true);
    expect(purposeOf('jupyter', { code: '%%bash\nmake test' }).isCommand).toBe(true);
    expect(purposeOf('jupyter', 'model.fit(x, y)').isCommand).toBe(false);
  });
});
