// Every code block of the documentation is what it claims to be: programs run, transcripts are
// true. `SPILLWAY_WRITE_DOCS=1 npm test -- packages/spillway/test/docs` writes what they print into
// the pages.
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/table.ts';
import { parseCommandLine } from '../../src/flags.ts';
import { freshWorkspace, type Ran, type Workspace } from '../program.ts';
import {
  type Block,
  blocksOf,
  fileOf,
  isAsShown,
  KINDS,
  normalised,
  pages,
  proseOf,
  ROOT,
  rewrite,
} from './blocks.ts';

const blocks = pages().flatMap(blocksOf);
const HANDLE = /art_\d+_\w+/g;
const WRITES = process.env.SPILLWAY_WRITE_DOCS === '1';

const where = ({ page, line }: Block) => `${page}:${line}`;

test('every block says what it is, and every output stands behind the program that prints it', () => {
  expect(blocks.length).toBeGreaterThan(50);
  const transcribed = new Set(blocks.filter(({ kind }) => kind === 'console').map(({ page }) => page));
  const wrong = blocks.filter((block, i) => {
    const { kind, page } = block;
    const before = blocks[i - 1];
    const stray = before?.page !== page || !['js', 'ts'].includes(before.kind);
    if (fileOf(block) !== undefined) return !transcribed.has(page);
    return !KINDS.includes(kind) || (kind === 'output' && stray);
  });
  expect(wrong.map((block) => `${where(block)} ${block.kind}`)).toEqual([]);
  // A transcript is never passed off as something to look at.
  const transcripts = blocks.filter(({ kind, code }) => kind !== 'console' && /^\$ spillway /m.test(code));
  expect(transcripts.map(where)).toEqual([]);
});

describe.concurrent('a program', () => {
  const programs = blocks.flatMap((block, i) =>
    ['js', 'ts'].includes(block.kind) ? [{ block, next: blocks[i + 1] }] : [],
  );
  for (const { block, next } of programs) {
    test(`of ${where(block)} runs, and prints what the page shows`, async () => {
      const { code, stdout, stderr } = await runAlone(block);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      if (next?.kind !== 'output') return;
      compare(next, '```output', next.code, stdout);
    });
  }
});

describe.concurrent('the transcripts', () => {
  const transcripts = Map.groupBy(
    blocks.filter((block) => block.kind === 'console' || fileOf(block) !== undefined),
    ({ page }) => page,
  );
  for (const [page, onPage] of transcripts) {
    test(`of ${page} are what the program says, one after the other in one workspace`, async () => {
      const workspace = await freshWorkspace();
      const handles = new Map<string, string>();
      await symlink(join(ROOT, 'node_modules'), join(workspace.root, 'node_modules'));
      for (const block of onPage) {
        const file = fileOf(block);
        if (file !== undefined) await writeFile(join(workspace.root, file), block.code);
        for (const { command, shown } of file === undefined ? stepsOf(block) : []) {
          const actual = await follow(workspace, handles, command, shown);
          compare(block, `$ ${command}`, shown, actual);
        }
      }
    });
  }
});

test('every command line exists, with its flags', async () => {
  const lines = blocks
    .filter(({ kind }) => kind === 'sh')
    .flatMap((block) =>
      block.code.split('\n').flatMap((line) => {
        const command = /(?:^|\| )spillway (.*?)(?: {2,}#.*| [|<>].*)?$/.exec(line)?.[1];
        return command === undefined ? [] : [{ at: where(block), command }];
      }),
    );
  expect(lines.length).toBeGreaterThan(40);
  for (const { at, command } of lines) {
    const found = await commandIn(wordsOf(command));
    if (found === 'other') continue;
    const { entry, details, words } = found;
    const parse = () => parseCommandLine({ ...entry, ...details }, words);
    expect(parse, `${at}: ${command}`).not.toThrow();
  }
});

test('every command that a sentence or a table names exists, and so do its flags', async () => {
  const named = pages().flatMap((page) =>
    [...proseOf(page).matchAll(/`spillway ([a-z][^`]*)`/g)].map(([, command = '']) => ({ page, command })),
  );
  expect(named.length).toBeGreaterThan(100);
  for (const { page, command } of named) {
    const found = await commandIn(wordsOf(command.replaceAll('\n', ' ')));
    if (found === 'other') continue;
    const end = found.words.indexOf('--');
    const given = (end === -1 ? found.words : found.words.slice(0, end)).filter((word) =>
      word.startsWith('--'),
    );
    const known = [...found.details.flags.map(({ name }) => name), 'help'];
    expect(known, `${page}: ${command}`).toEqual(
      expect.arrayContaining(given.map((word) => word.slice(2).replace(/=.*/, ''))),
    );
  }
});

/** The entry that a command line names and the words behind it; what every program has is other. */
async function commandIn(words: readonly string[]) {
  const [first, second] = words;
  if (first === undefined || first.startsWith('--') || first === 'help') return 'other';
  const group = COMMANDS.some(({ name }) => name.startsWith(`${first} `)) && (second ?? '').startsWith('--');
  if (group) return 'other';
  const entry =
    COMMANDS.find(({ name }) => name === `${first} ${second}`) ?? COMMANDS.find(({ name }) => name === first);
  if (entry === undefined) throw new Error(`There is no command: spillway ${words.join(' ')}`);
  const { details } = await entry.load();
  return { entry, details, words: words.slice(entry.name.split(' ').length) };
}

function wordsOf(command: string): string[] {
  return (command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}

interface Step {
  readonly command: string;
  readonly shown: string;
}

function stepsOf({ code }: Block): Step[] {
  return code
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.split('\n');
      return { command, shown: lines.join('\n') };
    });
}

/** Runs a command as a reader would, who has handles of their own in place of those on the page. */
async function follow(
  workspace: Workspace,
  handles: Map<string, string>,
  command: string,
  shown: string,
): Promise<string> {
  const own = command.replaceAll(HANDLE, (handle) => handles.get(handle) ?? handle);
  const { stdout } = await workspace.shell(`{ ${own}\n} 2>&1`);
  const found = [...new Set(stdout.match(HANDLE) ?? [])];
  for (const [i, handle] of [...new Set(shown.match(HANDLE) ?? [])].entries())
    handles.set(handle, found[i] ?? handle);
  const onPage = new Map([...handles].map(([page, actual]) => [actual, page]));
  return stdout.replaceAll(HANDLE, (handle) => onPage.get(handle) ?? handle);
}

/** Fails where a text is not what a page shows, or writes it there. */
function compare(block: Block, line: string, shown: string, actual: string): void {
  if (isAsShown(actual, shown)) return;
  if (WRITES) rewrite(block, line, shown, actual);
  // The difference is easier to read than a pattern.
  else expect(normalised(actual), `${where(block)} ${line}`).toBe(normalised(shown));
}

/**
 * Runs a block in a folder with nothing in it but the packages that it imports, as they were built.
 */
async function runAlone({ kind, code }: Block): Promise<Ran> {
  const { root, shell } = await freshWorkspace();
  for (const [, name = ''] of code.matchAll(/from '((?:@[^/']+\/)?[^/'.]+)/g)) {
    if (name.startsWith('node:')) continue;
    const target = join(root, 'node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    if (!existsSync(target)) await symlink(join(ROOT, 'node_modules', name), target);
  }
  const file = join(root, kind === 'ts' ? 'block.mts' : 'block.mjs');
  await writeFile(file, code);
  return shell(`'${process.execPath}' '${file}'`);
}
