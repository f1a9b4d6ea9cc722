// The commands that notices and pages of the program name, as literals.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandHintOf, shellWords } from '../src/commands/command-hint.ts';
import { freshWorkspace, numberedLines } from './program.ts';

const commandHint = commandHintOf(['spillway']);
const ID = 'art_1700000000_0000000000000000';

it('names the command for a place in an output, quoted for a shell where it must be', () => {
  expect(commandHint.show(ID, {})).toBe(`spillway artifacts show ${ID}`);
  expect(commandHint.show(ID, { part: 'stderr', lines: '13-186' })).toBe(
    `spillway artifacts show ${ID} --part stderr --lines 13-186`,
  );
  expect(commandHint.show(ID, { pattern: "it's a (b|c)", context: 2, cursor: '1.2.3' })).toBe(
    `spillway artifacts show ${ID} --grep 'it'\\''s a (b|c)' --context 2 --cursor 1.2.3`,
  );
  expect(commandHint.show(ID, { xml_path: '//b/@c' })).toBe(
    `spillway artifacts show ${ID} --xml-path //b/@c`,
  );
  expect(commandHint.show(ID, { json_path: '$.a[0]' })).toBe(
    `spillway artifacts show ${ID} --json-path '$.a[0]'`,
  );
});

it('names the command that writes the bytes to files', () => {
  expect(commandHint.export(ID)).toBe(`spillway artifacts export ${ID}`);
});

it('names npx where npx started the program and the project has it: its name alone would not be found', async () => {
  const { run, root } = await freshWorkspace();
  const env = { npm_command: 'exec', PATH: `${root}/node_modules/.bin` };
  const cut = () => run(['truncate', '--limit', '600'], { input: numberedLines(3_000), env });
  expect((await cut()).stdout).toMatch(/ More: \S+ \S+spillway\.js artifacts show art_\w+ --lines [\d-]+\]/);
  await mkdir(join(root, 'node_modules/spillway'), { recursive: true });
  expect((await cut()).stdout).toMatch(/ More: npx --no spillway artifacts show art_\w+ --lines [\d-]+\]/);
  const page = await run(['artifacts', 'show', 'last'], { env });
  expect(page.stderr).toMatch(/ Next: npx --no spillway artifacts show art_\w+ --cursor /);
});

it.each([
  ['a b', ['a', 'b']],
  [`'it'\\''s' "a \\"b\\"" c\\ d`, ["it's", 'a "b"', 'c d']],
  ['', []],
  ['a | b', null],
  ['a $(b)', null],
  ["'open", null],
])('reads the words of %s as a shell does', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});
