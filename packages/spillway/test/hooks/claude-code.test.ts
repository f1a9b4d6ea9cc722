/** Claude Code's PostToolUse: each tool's own result shape, bounded, and the way back. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace, numberedLines, PROGRAM } from '../program.ts';
import { bash, claudeCall, claudeShown, hooked, PASSED } from './hooked.ts';

const LONG = numberedLines(3_000);

interface BashResult {
  readonly stdout: string;
  readonly stderr: string;
}

describe.concurrent('a long result of Bash', () => {
  it('is answered in its own shape, within the limit, and its handle leads back to all of it', async () => {
    const workspace = await freshWorkspace();
    const given = bash(LONG, { returnCodeInterpretation: 'fine', interrupted: false });
    const shown = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, given);
    expect(shown).toEqual({ ...given, stdout: shown.stdout });
    expect(shown.stdout.length).toBeLessThanOrEqual(8_000);
    const [, id = ''] = /artifacts show (art_\w+) --lines/.exec(shown.stdout) ?? [];
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(LONG);
  });

  it('names the command that fetches more as the model can run it', async () => {
    const workspace = await freshWorkspace();
    const { stdout } = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, bash(LONG));
    const [, call = ''] = /More: (.*)\]/.exec(stdout) ?? [];
    const { code, stdout: page } = await workspace.shell(call);
    expect(code).toBe(0);
    expect(LONG).toContain(page.trimEnd());
  });

  it('names the tool of a gateway where the agent has one', async () => {
    const workspace = await freshWorkspace();
    const { stdout } = await claudeShown<BashResult>(
      workspace,
      'Bash',
      { command: 'make' },
      bash(LONG),
      '--tool-name',
      'mcp__x__get_artifact',
    );
    expect(stdout).toMatch(/More: mcp__x__get_artifact\(artifact_id="art_\w+", lines="\d+-\d+"\)\]/);
  });

  it('keeps standard error apart, under the one limit', async () => {
    const workspace = await freshWorkspace();
    const given = { ...bash(LONG), stderr: 'warning: deprecated\n' };
    const shown = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, given);
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toContain('[stderr: 20 chars, 1 line]\nwarning: deprecated');
    expect(shown.stdout.length).toBeLessThanOrEqual(8_000);
  });

  it('that Claude Code kept in a file is read there, and the file is no longer named', async () => {
    const workspace = await freshWorkspace();
    const whole = numberedLines(20_000);
    const path = join(workspace.root, 'tool-results', 'b1.txt');
    await mkdir(join(workspace.root, 'tool-results'));
    await writeFile(path, whole);
    const given = bash(whole.slice(0, 30_000), {
      persistedOutputPath: path,
      persistedOutputSize: Buffer.byteLength(whole),
    });
    const shown = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, given);
    expect(Object.keys(shown)).not.toContain('persistedOutputPath');
    expect(Object.keys(shown)).not.toContain('persistedOutputSize');
    expect(shown.stdout).toContain(whole.trimEnd().split('\n').at(-1));
    const [id = ''] = await workspace.ids();
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(whole);
  });

  it('whose file is gone is bounded as what came, and says that it was cut before', async () => {
    const workspace = await freshWorkspace();
    const given = bash(LONG, { persistedOutputPath: '/gone/b1.txt', persistedOutputSize: 90_000 });
    const { stdout } = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, given);
    expect(stdout.slice(0, 600)).toContain('cut before');
  });

  it('stays below what Claude Code would keep in a file again, whatever the limit is', async () => {
    const workspace = await freshWorkspace({ TRUNCATION_INLINE_LIMIT: '60000' });
    const given = bash(numberedLines(10_000));
    const { stdout } = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, given);
    expect(stdout.length).toBeLessThanOrEqual(30_000);
    expect(stdout.length).toBeGreaterThan(25_000);
  });
});

describe.concurrent('a long result of another tool', () => {
  it('Read: shows the file from its start, so that the numbers of its lines stay true', async () => {
    const workspace = await freshWorkspace();
    const content = numberedLines(9_000);
    const file = { filePath: '/x/a.ts', content, numLines: 9_000, startLine: 200, totalLines: 9_200 };
    const given = { type: 'text', file };
    const shown = await claudeShown<typeof given>(workspace, 'Read', { file_path: '/x/a.ts' }, given);
    expect(shown).toEqual({ ...given, file: { ...file, content: shown.file.content } });
    const lines = shown.file.content.split('\n');
    const next = Number(
      /Next: Read\(file_path="\/x\/a.ts", offset=(\d+), limit=\d+\)\]$/.exec(shown.file.content)?.[1],
    );
    const count = next - 200;
    expect(lines.slice(0, count)).toEqual(content.split('\n').slice(0, count));
    expect(lines).toHaveLength(count + 2);
    expect(shown.file.content.length).toBeLessThanOrEqual(32_000);
    expect(shown.file.content.length).toBeGreaterThan(31_000);
  });

  it('Read: a range of up to 32,000 chars passes whole, unless somebody has set another limit', async () => {
    const content = LONG.slice(0, LONG.lastIndexOf('\n', 32_000));
    const file = { filePath: '/x/a.ts', content, numLines: 2_700, startLine: 200, totalLines: 9_000 };
    const input = { file_path: '/x/a.ts', offset: 200, limit: 2_700 };
    const given = { type: 'text', file };
    const workspace = await freshWorkspace();
    const call = claudeCall(workspace, 'Read', input, given);
    expect(await hooked(workspace, 'claude-code', call)).toMatchObject(PASSED);
    const small = await freshWorkspace({ TRUNCATION_INLINE_LIMIT: '5000' });
    const shown = await claudeShown<typeof given>(small, 'Read', input, given);
    expect(shown.file.content.length).toBeLessThanOrEqual(5_000);
  });

  it('Grep, WebFetch: replaces the text alone', async () => {
    const workspace = await freshWorkspace();
    const hits = Array.from({ length: 900 }, (_, i) => `src/f${i % 9}.ts:${i}:const x = ${i};`).join('\n');
    const grep = { mode: 'content', numFiles: 0, filenames: [], content: hits, numLines: 900 };
    const shown = await claudeShown<typeof grep>(workspace, 'Grep', { pattern: 'x' }, grep);
    expect(shown).toEqual({ ...grep, content: shown.content });
    expect(shown.content.length).toBeLessThanOrEqual(8_000);
    const page = { bytes: 9, code: 200, codeText: 'OK', result: LONG, durationMs: 1, url: 'https://e/' };
    const fetched = await claudeShown<typeof page>(workspace, 'WebFetch', { url: page.url }, page);
    expect(fetched).toEqual({ ...page, result: fetched.result });
    expect(fetched.result.length).toBeLessThanOrEqual(8_000);
  });

  it('Glob, Grep for files: stays a list of lines, with its counts', async () => {
    const workspace = await freshWorkspace();
    const filenames = Array.from({ length: 100 }, (_, i) => `packages/${'deep/'.repeat(20)}file-${i}.ts`);
    const glob = { filenames, durationMs: 17, numFiles: 100, truncated: true, totalMatches: 400 };
    const shown = await claudeShown<typeof glob>(workspace, 'Glob', { pattern: '**' }, glob);
    expect(shown).toEqual({ ...glob, filenames: shown.filenames });
    expect(shown.filenames.join('\n').length).toBeLessThanOrEqual(8_000);
    expect(shown.filenames[0]).toMatch(/^\[/);
    const grep = { mode: 'files_with_matches', numFiles: 100, filenames };
    expect(await claudeShown<typeof grep>(workspace, 'Grep', { pattern: 'x' }, grep)).toMatchObject({
      mode: 'files_with_matches',
      numFiles: 100,
    });
  });

  it('MCP: stays a list of blocks, with images and unknown blocks in their order', async () => {
    const workspace = await freshWorkspace();
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    };
    const link = { type: 'resource_link', uri: 'file:///a', name: 'a' };
    const given = [
      { type: 'text', text: LONG, annotations: { priority: 1 } },
      image,
      { type: 'text', text: 'end' },
      link,
    ];
    const shown = await claudeShown<typeof given>(workspace, 'mcp__github__list', {}, given);
    expect(shown.filter(({ type }) => type !== 'text')).toEqual([image, link]);
    const texts = shown.flatMap((block) => ('text' in block ? [block.text] : []));
    expect(texts.join('').length).toBeLessThanOrEqual(8_000);
    expect(shown[0]).toMatchObject({ type: 'text', annotations: { priority: 1 } });
    expect(texts.at(-1)).toBe('end');
    const words = await claudeShown<string>(workspace, 'mcp__github__list', {}, LONG);
    expect(words.length).toBeLessThanOrEqual(8_000);
  });

  it('MCP: JSON stays JSON, its notice in a block of its own', async () => {
    const workspace = await freshWorkspace();
    const rows = JSON.stringify(Array.from({ length: 900 }, (_, id) => ({ id, name: `row ${id}` })));
    const shown = await claudeShown<{ text: string }[]>(workspace, 'mcp__db__rows', {}, [
      { type: 'text', text: rows },
    ]);
    expect(shown).toHaveLength(2);
    expect(JSON.parse(shown[1]?.text ?? '')).toContainEqual({ id: 899, name: 'row 899' });
  });
});

describe.concurrent('a result that stays as it is', () => {
  it.each([
    ['is short', 'Bash', { command: 'ls' }, bash('a\nb\n')],
    ['is an image', 'Bash', { command: 'plot' }, bash(LONG, { isImage: true })],
    ['is of a task in the background', 'Bash', { command: 'x &' }, bash(LONG, { backgroundTaskId: 'b1' })],
    ['is an image that was read', 'Read', { file_path: '/x.png' }, { type: 'image', file: { base64: LONG } }],
    ['has a shape that is not known', 'Agent', {}, { content: [{ type: 'text', text: LONG }] }],
    ['is no object', 'Bash', { command: 'x' }, LONG],
    ['is empty', 'mcp__x__y', {}, []],
    ['was printed by us', 'Bash', { command: 'spillway artifacts show art_1 2>&1' }, bash(LONG)],
    [
      'was printed by us twice',
      'Bash',
      { command: 'spillway artifacts list; acode sessions list' },
      bash(LONG),
    ],
    [
      'was printed by us in another folder',
      'Bash',
      { command: `cd 'a b' && spillway artifacts show art_1 --grep 'a|b; "c"'` },
      bash(LONG),
    ],
    [
      'was printed by this very program',
      'Bash',
      { command: `${process.execPath} '${PROGRAM}' artifacts show art_1` },
      bash(LONG),
    ],
    [
      'was printed by what npx brings',
      'Bash',
      { command: 'npx -y spillway artifacts show art_1' },
      bash(LONG),
    ],
  ])('because it %s', async (_, tool, input, response) => {
    const workspace = await freshWorkspace();
    expect(
      await hooked(workspace, 'claude-code', claudeCall(workspace, tool, input, response)),
    ).toMatchObject(PASSED);
  });

  it('is stored all the same', async () => {
    const workspace = await freshWorkspace();
    await hooked(workspace, 'claude-code', claudeCall(workspace, 'Bash', { command: 'ls' }, bash('a\n')));
    const [id = ''] = await workspace.ids('--all');
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe('a\n');
  });

  it('belongs to another event', async () => {
    const workspace = await freshWorkspace();
    const call = { ...claudeCall(workspace, 'Bash', {}, bash(LONG)), hook_event_name: 'PreToolUse' };
    expect(await hooked(workspace, 'claude-code', call)).toMatchObject(PASSED);
  });
});

describe.concurrent('a tool that is left out', () => {
  const config = (exclude: string) => `truncation: { overrides: { Bash: { exclude: ${exclude} } } }\n`;

  it('of storing is bounded, and nothing is kept', async () => {
    const workspace = await freshWorkspace();
    await mkdir(join(workspace.root, '.config', 'spillway'), { recursive: true });
    await writeFile(join(workspace.root, '.config', 'spillway', 'config.yml'), config('storing'));
    const { stdout } = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, bash(LONG));
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stdout).toContain('Full output not stored (the setting exclude leaves it out)');
    expect(await workspace.ids('--all')).toEqual([]);
  });

  it('of everything passes, and nothing is kept; a workspace cannot let it pass', async () => {
    const own = await freshWorkspace();
    await mkdir(join(own.root, '.config', 'spillway'), { recursive: true });
    await writeFile(join(own.root, '.config', 'spillway', 'config.yml'), config('everything'));
    const call = (one: typeof own) => claudeCall(one, 'Bash', { command: 'make' }, bash(LONG));
    expect(await hooked(own, 'claude-code', call(own))).toMatchObject(PASSED);
    const theirs = await freshWorkspace();
    await mkdir(join(theirs.root, '.acode'), { recursive: true });
    await writeFile(join(theirs.root, '.acode', 'config.yml'), config('everything'));
    const { stdout } = await claudeShown<BashResult>(theirs, 'Bash', { command: 'make' }, bash(LONG));
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    for (const one of [own, theirs]) expect(await one.ids('--all')).toEqual([]);
  });
});

it('what is saved is told against what Claude Code would have shown by itself', async () => {
  const workspace = await freshWorkspace();
  const whole = numberedLines(20_000);
  const path = join(workspace.root, 'b1.txt');
  await writeFile(path, whole);
  const persisted = { persistedOutputPath: path, persistedOutputSize: whole.length };
  const given = bash(whole.slice(0, 30_000), persisted);
  const { stdout } = await claudeShown<BashResult>(workspace, 'Bash', { command: 'make' }, given);
  const stats = JSON.parse((await workspace.run(['stats', '--json'])).stdout);
  const more = stdout.length - 2_240;
  expect(stats.total.shown_more).toEqual({ outputs: 1, chars: more });
  expect(stats.total.estimated_tokens_saved).toBe(Math.round(-more / 4));
  expect((await workspace.run(['stats'])).stdout).toContain(
    'chars more than their agent shows by itself: errors and both ends, which its own cut leaves out, and the way to the rest.',
  );
});
