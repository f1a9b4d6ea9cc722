// Every snippet of the five design documents that a user can paste, pasted: each test goes through
// the door that the document shows, and says what comes out.
import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Executed,
  filesBelow,
  freshWorkspace,
  handleOf,
  numberedLines,
  type Truncated,
  workspaceWith,
} from '../program.ts';

const S0_YAML = `tools:
  truncation:
    # Inline without truncation up to this size
    inline_limit: 8000
    
    # Create artifact above this size
    artifact_threshold: 50000
    
    # Maximum artifact size
    max_artifact_size: 10485760  # 10MB
    
    # Default strategy
    default_strategy: head_tail
    
    # Head/tail split ratio
    head_ratio: 0.6
    
    # Tool-specific overrides
    overrides:
      execute_command:
        strategy: tail
        inline_limit: 5000
      
      list_directory:
        strategy: element
        inline_limit: 10000
`;

const S3_YAML = `truncation:
  strategy: "head_tail"  # head_tail, smart_summary, size_limit, none
  max_chars: 50000      # ~50KB default
  max_lines: 1000       # Line-based limit
  head_lines: 100       # Lines to keep from start
  tail_lines: 100       # Lines to keep from end
  preserve_errors: true # Always include error messages
  preserve_warnings: true # Always include warnings
  content_detection: true # Detect and preserve structured data
`;

const S3_TOOLS = `# Tool-level configuration in tools.yaml (YAML tool definition)
command_executor:
  name: "command_executor"
  description: "Execute system commands"
  truncation:
    strategy: "head_tail"
    max_chars: 50000
    max_lines: 1000
    head_lines: 100
    tail_lines: 100
    preserve_errors: true
    preserve_warnings: true
    content_detection: true

browser_automation:
  name: "browser_automation"
  description: "Automate browser interactions"
  truncation:
    strategy: "smart_summary"
    max_chars: 30000
    preserve_errors: true
`;

const TEXT = numberedLines(2_500, 'a calm line of words with the number');
const LINES = TEXT.trimEnd().split('\n');
/** Lines that are unlike each other: runs of like lines are folded, and the room stays empty. */
const UNLIKE = Array.from(
  { length: 2_500 },
  (_, i) => `${wordOf(i)} ${wordOf(i * 7 + 3)} and ${wordOf(i * 31 + 5)} went on with ${wordOf(i * 3 + 1)}`,
);
const FOUND = {
  items: Array.from({ length: 900 }, (_, id) => ({ id, path: `src/file-${id}.ts`, hit: 'a match' })),
};

/** Four letters that tell a number. */
function wordOf(number: number): string {
  return [17_576, 676, 26, 1]
    .map((unit) => String.fromCharCode(97 + (Math.floor((number * 7_919) / unit) % 26)))
    .join('');
}

/** Lines of the text that are shown, by their number. */
function shownLines(content: string): number[] {
  return content.split('\n').flatMap((line) => {
    const index = LINES.indexOf(line);
    return index === -1 ? [] : [index + 1];
  });
}

describe.concurrent('the configuration of S0', () => {
  const tried = (input: string, tool: string) =>
    workspaceWith({ '.acode/config.yml': S0_YAML }).then(({ truncate }) => truncate(input, '--tool', tool));

  test('shows 60 to 40 of what read_file gives, with the marker in the middle', async () => {
    const { content, metadata } = await tried(TEXT, 'read_file');
    expect(metadata.strategy_used).toBe('head_tail');
    expect(content).toMatch(/^\.\.\. \[[\d,]+ lines \/ [\d,]+ chars omitted: \S.*\] \.\.\.$/m);
    const shown = shownLines(content);
    const head = shown.filter((line) => line < 1_250).length;
    expect(shown[0]).toBe(1);
    expect(shown.at(-1)).toBe(2_500);
    expect(head / shown.length).toBeGreaterThan(0.57);
    expect(head / shown.length).toBeLessThan(0.63);
  });

  test('shows the tail of a command in 5,000 chars', async () => {
    const { content, metadata } = await tried(TEXT, 'execute_command');
    expect(metadata.strategy_used).toBe('tail');
    expect(content.length).toBeLessThanOrEqual(5_000);
    expect(content).toMatch(/\.\.\. \[Beginning omitted: [\d,]+ lines \/ [\d,]+ chars/);
    const shown = shownLines(content);
    expect(shown).toEqual(LINES.map((_, i) => i + 1).slice(-shown.length));
  });

  test('shows a listing by its folders in 10,000 chars', async () => {
    const listing = LINES.map((_, i) => `src/folder-${i % 20}/file-${i}.txt`).join('\n');
    const { content, metadata } = await tried(listing, 'list_directory');
    expect(metadata.strategy_used).toBe('element');
    expect(content.length).toBeGreaterThan(5_000);
    expect(content.length).toBeLessThanOrEqual(10_000);
    for (let i = 0; i < 20; i++) expect(content).toContain(`folder-${i}/`);
  });

  test('leaves search results valid JSON with first and last elements and the number between', async () => {
    for (const tool of ['search_files', 'fetch']) {
      const { content, metadata } = await tried(JSON.stringify(FOUND), tool);
      expect(metadata.strategy_used).toBe('element');
      const { items } = JSON.parse(content);
      expect(items[0]).toEqual(FOUND.items[0]);
      expect(items.at(-1)).toEqual(FOUND.items.at(-1));
      expect(content).toMatch(/"\.\.\. \d+ items omitted: /);
    }
  });

  test('does not stand above a strategy that the call names', async () => {
    const { truncate } = await workspaceWith({ '.acode/config.yml': S0_YAML });
    const { content, metadata } = await truncate(JSON.stringify(FOUND, null, 1), '--strategy', 'head_tail');
    expect(metadata.strategy_used).toBe('head_tail');
    expect(() => JSON.parse(content)).toThrow();
  });

  test('says in the result how large it was, and refers to the whole', async () => {
    const { truncate, run } = await workspaceWith({ '.acode/config.yml': S0_YAML });
    const truncated = await truncate(TEXT, '--tool', 'read_file');
    expect(truncated.metadata.original_size).toBe(TEXT.length);
    expect(truncated.content).toContain(`[Artifact: ${handleOf(truncated)}]`);
    const { stdout } = await run(['artifacts', 'show', handleOf(truncated), '--raw']);
    expect(stdout).toBe(TEXT);
  });
});

describe.concurrent('without any settings', () => {
  const tried = async (input: string, tool: string): Promise<Truncated> =>
    (await freshWorkspace()).truncate(input, '--tool', tool);

  test('read_file shows both ends of a file, and reads its middle', async () => {
    const { content, metadata } = await tried(TEXT, 'read_file');
    expect(metadata.strategy_used).toBe('reading');
    const shown = shownLines(content);
    expect([shown[0], shown.at(-1)]).toEqual([1, 2_500]);
  });

  test('a command that failed shows its tail, one that did not both ends', async () => {
    const { run } = await freshWorkspace();
    const script = (code: number) =>
      `for (let i = 1; i <= 2500; i++) console.log('a calm line of words with the number ' + i); process.exitCode = ${code}`;
    const exec = async (code: number): Promise<Executed> => {
      const ran = await run(['exec', '--json', '--', process.execPath, '-e', script(code)]);
      return JSON.parse(ran.stdout);
    };
    const [failed, succeeded] = [await exec(3), await exec(0)];
    expect(failed.metadata.strategy_used).toBe('tail');
    expect(shownLines(failed.content).at(-1)).toBe(2_500);
    expect(shownLines(failed.content)[0]).toBeGreaterThan(1_000);
    expect(succeeded.metadata.strategy_used).toBe('head_tail');
    expect(shownLines(succeeded.content)[0]).toBe(1);
  });

  test('git_diff shows every file of a diff before more of any', async () => {
    const diff = Array.from(
      { length: 12 },
      (_, i) =>
        `diff --git a/f${i}.ts b/f${i}.ts\n--- a/f${i}.ts\n+++ b/f${i}.ts\n@@ -1,40 +1,40 @@\n` +
        Array.from({ length: 40 }, (_, n) => `-const a${n} = ${i};\n+const b${n} = ${i};\n`).join(''),
    ).join('');
    const { content, metadata } = await tried(diff, 'git_diff');
    expect(metadata.strategy_used).toBe('element');
    for (let i = 0; i < 12; i++) expect(content).toContain(`f${i}.ts`);
  });
});

describe.concurrent('the configuration of S3', () => {
  test('as a block of its own keeps 100 lines of each end, within 50,000 chars and 1,000 lines', async () => {
    const { truncate } = await workspaceWith({ '.acode/config.yml': S3_YAML });
    const { content, metadata } = await truncate(TEXT);
    expect(metadata.strategy_used).toBe('head_tail');
    expect(shownLines(content)).toEqual(
      [...LINES.keys()].map((i) => i + 1).filter((n) => n <= 100 || n > 2_400),
    );
  });

  test('bounds lines where it does not bound the ends', async () => {
    const lines = S3_YAML.split('\n').filter((line) => !/(?:head|tail)_lines/.test(line));
    const { truncate } = await workspaceWith({ '.acode/config.yml': lines.join('\n') });
    const { content } = await truncate(TEXT);
    expect(content.trimEnd().split('\n').length).toBeLessThanOrEqual(1_000);
    expect(shownLines(content).length).toBeGreaterThan(900);
  });

  test('keeps errors and warnings between the ends', async () => {
    const { truncate } = await workspaceWith({ '.acode/config.yml': S3_YAML });
    const lines = [...LINES];
    lines[1_200] = 'ERROR the disk is full';
    lines[1_700] = 'WARNING the disk is nearly full';
    const { content } = await truncate(`${lines.join('\n')}\n`);
    expect(content).toContain('ERROR the disk is full');
    expect(content).toContain('WARNING the disk is nearly full');
  });

  test('detects structured data although head_tail is the default: JSON stays valid', async () => {
    const { truncate } = await workspaceWith({ '.acode/config.yml': S3_YAML });
    const json = JSON.stringify(FOUND, null, 1);
    const { content, metadata } = await truncate(json);
    expect(metadata.strategy_used).toBe('element');
    expect(JSON.parse(content).items[0]).toEqual(FOUND.items[0]);
    const off = S3_YAML.replace('content_detection: true', 'content_detection: false');
    const plain = await workspaceWith({ '.acode/config.yml': off });
    expect((await plain.truncate(json)).metadata.strategy_used).toBe('head_tail');
  });

  test('in tools.yaml holds for the tools that it defines', async () => {
    const { truncate } = await workspaceWith({ 'tools.yaml': S3_TOOLS });
    const command = await truncate(TEXT, '--tool', 'command_executor');
    expect(command.metadata.strategy_used).toBe('head_tail');
    expect(shownLines(command.content)).toHaveLength(200);
    const browser = await truncate(UNLIKE.join('\n'), '--tool', 'browser_automation');
    expect(browser.metadata.strategy_used).toBe('smart_summary');
    expect(browser.content.length).toBeGreaterThan(20_000);
    expect(browser.content.length).toBeLessThanOrEqual(30_000);
    expect((await truncate(TEXT, '--tool', 'other')).content.length).toBeLessThanOrEqual(8_000);
  });

  test('in .env or the environment sets strategy and limit', async () => {
    const variables = 'TRUNCATION_STRATEGY=head_tail\nTRUNCATION_MAX_CHARS=50000\n';
    const file = await workspaceWith({ '.env': `# User-level in .env or config\n${variables}` });
    const process = await freshWorkspace({ TRUNCATION_STRATEGY: 'head_tail', TRUNCATION_MAX_CHARS: '50000' });
    for (const { truncate } of [file, process]) {
      const { content, metadata } = await truncate(TEXT);
      expect(metadata.strategy_used).toBe('head_tail');
      expect(content.length).toBeGreaterThan(45_000);
      expect(content.length).toBeLessThanOrEqual(50_000);
    }
  });

  test('none is valid in the file of the user and in the environment', async () => {
    const text = S3_YAML.replace('"head_tail"', '"none"');
    const own = await workspaceWith({ '.config/spillway/config.yml': text });
    const variable = await freshWorkspace({ TRUNCATION_STRATEGY: 'none' });
    for (const { truncate } of [own, variable]) {
      const { content, metadata } = await truncate(TEXT);
      expect(content).toBe(TEXT);
      expect(metadata).toMatchObject({ strategy_used: 'none', was_truncated: false });
    }
  });

  test('none in a file of the workspace is refused with the reason; its other lines hold', async () => {
    const text = S3_YAML.replace('"head_tail"', '"none"').replace('50000', '2000');
    for (const name of ['.acode/config.yml', '.acode/tools.yaml']) {
      const file = name.endsWith('tools.yaml') ? `x:\n  ${text.replaceAll('\n', '\n  ')}` : text;
      const { run } = await workspaceWith({ [name]: file });
      const { code, stdout, stderr } = await run(['truncate', '--tool', 'x'], { input: TEXT });
      expect(code).toBe(0);
      expect(stderr).toMatch(/strategy must not be none in a file of the workspace\. Set it in \S+/);
      expect(stdout.length).toBeGreaterThan(500);
      expect(stdout.length).toBeLessThanOrEqual(2_000);
    }
  });
});

describe.concurrent('a profile', () => {
  test.each(['profile', 'TRUNCATION_PROFILE'])('can be named by %s', async (by) => {
    const { truncate } = await (by === 'profile'
      ? workspaceWith({ '.acode/config.yml': 'tools:\n  truncation:\n    profile: mcp\n' })
      : freshWorkspace({ TRUNCATION_PROFILE: 'mcp' }));
    expect(shownLines((await truncate(TEXT)).content)).toHaveLength(200);
  });

  test('spill saves the whole under tool, call id and time, and says so first (S1)', async () => {
    const { run, root, artifacts } = await workspaceWith({
      'call.json': '{ "tool": "Bash", "call_id": "call_abc123" }',
    });
    const input = TEXT.slice(0, 60_000);
    const { stdout } = await run(['truncate', '--profile', 'spill', '--call', 'call.json'], { input });
    const header = stdout.split('\n')[0] ?? '';
    expect(header).toMatch(
      /^\[Output truncated: 40,000 of 60,000 chars hidden, full output saved to \S+ \(art_\w+\)\. Use a read tool or rg to get details\. Showing first 10,000 and last 10,000 chars below, cut inside .*\]$/,
    );
    const path = /saved to (\S+) /.exec(header)?.[1] ?? '';
    expect(path).toMatch(/Bash-call_abc123-\d{10}\.txt$/);
    expect(isAbsolute(path)).toBe(false);
    expect(await readFile(resolve(root, path), 'utf8')).toBe(input);
    expect((await filesBelow(artifacts)).some((file) => file.endsWith(path.split('/').at(-1) ?? ''))).toBe(
      true,
    );
    expect(stdout).toContain(input.slice(0, 10_000));
    expect(stdout).toContain(input.slice(-10_000));
    expect(stdout).not.toContain(input.slice(0, 10_001));
    expect(stdout).not.toContain(input.slice(-10_001));
  });

  test.each(['stdout', 'stderr'] as const)(
    'exec keeps the tail of both streams, 8,000 of %s (S2)',
    async (long) => {
      const { run } = await freshWorkspace();
      const other = long === 'stdout' ? 'stderr' : 'stdout';
      const code = `process.${other}.write('the other stream says this\\n'); for (let i = 1; i <= 3000; i++) process.${long}.write('line number ' + i + '\\n');`;
      const ran = await run(['exec', '--profile', 'exec', '--', process.execPath, '-e', code]);
      expect(ran.stdout).toContain('the other stream says this');
      expect(ran.stdout).toContain('line number 3000');
      expect(ran.stdout).toMatch(new RegExp(`\\.\\.\\. \\([\\d,]+ chars truncated from ${long}\\)`));
      expect(ran.stdout.length).toBeGreaterThan(7_000);
      expect(ran.stdout.length).toBeLessThanOrEqual(8_700);
    },
  );
});

describe.concurrent('the command line of S0', () => {
  test('lists, shows lines and cleans, also as acode', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(TEXT, '--tool', 'execute_command'));
    const { stdout: list } = await run(['artifacts', 'list']);
    expect(list).toMatch(/ID\s.*Size\s.*Source/);
    expect(list).toMatch(new RegExp(`${id}.*\\d+ KB.*execute_command`));
    const { stdout: page } = await run(['artifacts', 'show', id, '--lines', '1-50']);
    expect(page.trimEnd().split('\n')).toEqual(LINES.slice(0, 50));
    expect((await run(['artifacts', 'clean'])).code).toBe(0);
    const { code, stderr } = await run(['artifacts', 'show', id]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(id);
    const names = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).bin;
    expect(names.acode).toBe(names.spillway);
  });

  test('artifacts live below .acode/artifacts of the workspace', async () => {
    const { truncate, artifacts } = await freshWorkspace();
    expect(await filesBelow(artifacts).catch(() => [])).toEqual([]);
    await truncate(TEXT);
    expect((await filesBelow(artifacts)).length).toBeGreaterThan(0);
  });

  test('an output over 10 MiB is flagged, and one byte less is not', async () => {
    const { truncate } = await freshWorkspace();
    const flagOf = async (bytes: number) => (await truncate('x'.repeat(bytes))).metadata.exceeds_max;
    expect([await flagOf(10 * 1_024 * 1_024), await flagOf(10 * 1_024 * 1_024 + 1)]).toEqual([false, true]);
  });
});
