// Promises of the design documents that only the program can prove: each fails where its feature is
// missing.
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow, freshWorkspace, numberedLines, parsed, type Truncated } from '../program.ts';

/** Lines of different lengths, all different: none can be mistaken for a piece of another. */
const LINES = Array.from({ length: 3_000 }, (_, i) => `${i + 1}: ${'ab '.repeat(i % 13)}end of ${i + 1}`);
const TEXT = `${LINES.join('\n')}\n`;

describe.concurrent('the strategy', () => {
  test('tail shows complete lines, to the last one', async () => {
    const { truncate } = await freshWorkspace();
    for (const limit of ['4000', '5555', '8000', '16001']) {
      const { content, metadata } = await truncate(TEXT, '--strategy', 'tail', '--limit', limit);
      const [, body = ''] = content.split(/^\.\.\. \[Beginning omitted: .*\] \.\.\.\n/m);
      const shown = body.trimEnd().split('\n');
      expect(metadata.strategy_used).toBe('tail');
      expect(shown.length).toBeGreaterThan(50);
      expect(shown).toEqual(LINES.slice(-shown.length));
    }
  });

  test.each(['head_tail', 'smart_summary', 'size_limit', 'none'])(
    '%s can be named and is used',
    async (strategy) => {
      const { truncate } = await freshWorkspace();
      const { content, metadata } = await truncate(TEXT, '--strategy', strategy);
      expect(metadata.strategy_used).toBe(strategy);
      expect(content === TEXT).toBe(strategy === 'none');
      expect(content).toContain(`${LINES[0]}\n${LINES[1]}\n`);
      expect(content.trimEnd().endsWith(LINES.at(-1) ?? '')).toBe(strategy !== 'size_limit');
    },
  );

  test('that does not exist is refused with those that do', async () => {
    const { run } = await freshWorkspace();
    const { code, stderr } = await run(['truncate', '--strategy', 'head_tale'], { input: TEXT });
    expect(code).toBe(2);
    for (const name of ['head_tail', 'smart_summary', 'size_limit', 'none']) expect(stderr).toContain(name);
  });

  test('element keeps JSON and XML what they are', async () => {
    const { truncate } = await freshWorkspace();
    const records = Array.from({ length: 900 }, (_, i) => ({ id: i, name: `record ${i}`, tags: ['a', 'b'] }));
    const json = await truncate(JSON.stringify({ records }), '--strategy', 'element');
    const { records: kept } = JSON.parse(json.content);
    expect(kept[0]).toEqual(records[0]);
    expect(kept.at(-1)).toEqual(records.at(-1));
    expect(json.content).toMatch(/"\.\.\. \d+ items omitted: \$\.records\[\d+:\d+\] \.\.\."/);
    const items = records.map(({ id, name }) => `<record id="${id}"><name>${name}</name></record>`);
    const xml = await truncate(
      `<?xml version="1.0"?>\n<all>${items.join('\n')}</all>\n`,
      '--strategy',
      'element',
    );
    expect(openElements(xml.content)).toEqual([]);
    expect(xml.content).toContain('<name>record 0</name>');
    expect(xml.content).toContain('<name>record 899</name>');
    for (const { metadata } of [json, xml])
      expect(metadata).toMatchObject({ was_truncated: true, strategy_used: 'element' });
  });

  test('element shows nothing that is nested deeper than max_depth', async () => {
    const { truncate } = await freshWorkspace();
    const nest = (level: number): unknown =>
      level === 0
        ? 'bottom'
        : { [`level ${level}`]: nest(level - 1), list: [[[[level]]]], pad: 'x'.repeat(400) };
    const text = JSON.stringify(nest(12));
    const depths: number[] = [];
    for (const flags of [['--set', 'max_depth=2'], ['--set', 'max_depth=4'], []]) {
      const { content } = await truncate(text, '--strategy', 'element', '--limit', '3000', ...flags);
      depths.push(depthOf(JSON.parse(content)));
    }
    expect(depths[0]).toBeLessThanOrEqual(2);
    expect(depths[1]).toBeLessThanOrEqual(4);
    expect(depths[1]).toBeGreaterThan(depths[0] ?? 0);
    expect(depths[2]).toBeGreaterThan(4);
  });

  test('head_tail with head_lines and tail_lines shows so many lines of each end', async () => {
    const { truncate } = await freshWorkspace();
    const ends = ['--set', 'head_lines=100', '--set', 'tail_lines=40', '--set', 'max_lines=1000'];
    const { content } = await truncate(TEXT, '--strategy', 'head_tail', '--limit', '50000', ...ends);
    const shown = content.split('\n').filter((line) => LINES.includes(line));
    expect(shown).toEqual([...LINES.slice(0, 100), ...LINES.slice(-40)]);
  });

  test('smart_summary keeps the heads of sections and the end of a log', async () => {
    const { truncate } = await freshWorkspace();
    const sections = ['fetch', 'compile', 'link', 'test'].map(
      (name) => `==> ${name}\n${numberedLines(400, `${name} step`)}`,
    );
    const footer = 'Finished 4 sections in 12 files\n';
    const { content } = await truncate(
      `Build of example 1.2.3\n${sections.join('')}${footer}`,
      '--strategy',
      'smart_summary',
    );
    for (const name of ['fetch', 'compile', 'link', 'test']) expect(content).toContain(`==> ${name}\n`);
    expect(content).toContain('Build of example 1.2.3\n');
    expect(content.trimEnd().endsWith(footer.trimEnd())).toBe(true);
  });
});

describe.concurrent('the profile', () => {
  test('spill leaves an output under its limit alone: no notice, no handle, no file', async () => {
    const { truncate, artifacts } = await freshWorkspace();
    const text = 'x'.repeat(39_999);
    const { content, notice, metadata, artifact } = await truncate(`${text}\n`, '--profile', 'spill');
    expect(content).toBe(`${text}\n`);
    expect({ notice, artifact }).toEqual({ notice: null, artifact: null });
    expect(metadata).toMatchObject({ was_truncated: false, artifact_id: null, saved_path: null });
    expect((await filesBelow(artifacts)).filter((file) => file.endsWith('.txt'))).toEqual([]);
  });

  test('spill tells the model where the rest is, and both ways lead there', async () => {
    const { run, root } = await freshWorkspace();
    const text = numberedLines(1_900, 'a rather long line of a result that is number');
    const { stdout } = await run(['truncate', '--profile', 'spill'], { input: text });
    const [header = ''] = stdout.split('\n');
    const path = /saved to (\S+)/.exec(header)?.[1] ?? '';
    expect(await readFile(resolve(root, path), 'utf8')).toBe(text);
    const command = /spillway (artifacts show \S+ --lines \d+-\d+)/.exec(stdout)?.[1]?.split(' ') ?? [];
    const { stdout: rest } = await run(command);
    expect(text).toContain(rest.trimEnd());
    expect(stdout).not.toContain(rest.trimEnd().split('\n')[5]);
  });

  test('tail shows the end of whatever a tool says', async () => {
    const { truncate } = await freshWorkspace();
    const json = JSON.stringify(LINES.slice(0, 900), null, 1);
    for (const [tool, text] of [
      ['read_file', TEXT],
      ['search_files', LINES.map((line, i) => `src/a.ts:${i + 1}:${line}`).join('\n')],
      ['list_directory', LINES.map((_, i) => `folder/file-${i}.txt`).join('\n')],
      ['fetch', json],
    ] as const) {
      const { content, metadata } = await truncate(text, '--profile', 'tail', '--tool', tool);
      expect(metadata.strategy_used).toBe('tail');
      expect(content.length).toBeLessThanOrEqual(8_000);
      expect(content.trimEnd().endsWith(text.trimEnd().slice(-2_000))).toBe(true);
      expect(content).not.toContain(text.slice(0, 200));
    }
  });
});

test('nothing is limited on the way into the store, whatever is shown', async () => {
  const { run, root } = await freshWorkspace();
  await writeFile(join(root, 'long.txt'), `${TEXT}no line end`.repeat(6));
  const args = ['exec', '--json', '--limit', '300', '--', 'cat', 'long.txt'];
  const { content, metadata } = parsed<Truncated>(await run(args));
  expect(content.length).toBeLessThanOrEqual(300);
  const { bytes } = await run(['artifacts', 'show', metadata.artifact_id ?? '', '--raw']);
  expect(bytes.equals(await readFile(join(root, 'long.txt')))).toBe(true);
});

test('every setting is explained in the reference, with its default', async () => {
  const { run } = await freshWorkspace();
  const page = await readFile(new URL('../../../../docs/reference/settings.md', import.meta.url), 'utf8');
  const { settings } = parsed<{ settings: Record<string, { value: unknown }> }>(
    await run(['config', 'show', '--json']),
  );
  expect(Object.keys(settings).length).toBeGreaterThan(25);
  for (const name of Object.keys(settings))
    expect(page, name).toMatch(new RegExp(`^\\| \`${name}\`.*\\|.*\\w{3,}.*\\|`, 'm'));
  const guide = await readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  for (const name of ['profile:', 'TRUNCATION_PROFILE', 'overrides:', 'error_patterns', 'warning_patterns'])
    expect(guide).toContain(name);
});

/**
 * The elements that a document does not close in order. Only for documents without comments in
 * tags.
 */
function openElements(xml: string): string[] {
  const open: string[] = [];
  for (const [, end, name = '', empty] of xml
    .replaceAll(/<!--.*?-->/gs, '')
    .matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)) {
    if (end === '/' && open.at(-1) === name) open.pop();
    else if (empty !== '/') open.push(`${end}${name}`);
  }
  return open;
}

/**
 * How many levels of objects and lists stand inside each other; one of which nothing is shown is no
 * level.
 */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const shown = Object.values(value).filter((one) => !/^\.\.\. \d+ \w+ omitted \.\.\.$/.test(String(one)));
  return shown.length === 0 ? 0 : 1 + Math.max(...shown.map(depthOf));
}
