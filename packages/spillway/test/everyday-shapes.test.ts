/**
 * An error in the middle of everyday output is shown, whatever the output looks like and whichever
 * way it is cut. Needs a build.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVERYDAY_SHAPES } from './everyday-shapes.ts';
import { freshWorkspace } from './program.ts';

const WAYS: readonly { readonly way: string; readonly args: readonly string[] }[] = [
  { way: 'truncate', args: ['truncate'] },
  { way: 'truncate --strategy smart_summary', args: ['truncate', '--strategy', 'smart_summary'] },
  { way: 'truncate --strategy head_tail', args: ['truncate', '--strategy', 'head_tail'] },
  { way: 'truncate --strategy element', args: ['truncate', '--strategy', 'element'] },
  { way: 'truncate --profile mcp', args: ['truncate', '--profile', 'mcp'] },
  { way: 'truncate --set preserve_errors=true', args: ['truncate', '--set', 'preserve_errors=true'] },
  { way: 'exec', args: ['exec', '--', 'cat'] },
];

const { root, run } = await freshWorkspace();

describe.each(EVERYDAY_SHAPES)('an error in the middle of: $name', ({ name, text, needed }) => {
  it.each(WAYS)('is shown by $way', async ({ args }) => {
    const file = join(root, `${name.replaceAll(' ', '-')}.txt`);
    await writeFile(file, text);
    const { stdout } = await run([...args, file]);
    expect(stdout.length).toBeLessThan(text.length);
    for (const line of needed) expect(stdout).toContain(line);
  });
});
