// Settings that several sources give: which of two sources wins, for every pair.
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ACODE_TOOLS,
  DOTENV,
  definition,
  general,
  override,
  setupWith,
  TOOLS,
  USER,
  WORKSPACE,
} from './config-files.ts';

/**
 * Every source of settings, the weakest first: what it sets page_limit to, and what explain then
 * calls it.
 */
const SOURCES: readonly {
  readonly name: string;
  readonly level: 'user' | 'tool';
  readonly file?: string;
  readonly text: (settings: string) => string;
  readonly at: (line: number, setting: string) => string;
}[] = [
  { name: "the user's file", level: 'user', file: USER, text: general, at: (line) => `USER:${line + 2}` },
  {
    name: "the workspace's file",
    level: 'user',
    file: WORKSPACE,
    text: general,
    at: (line) => `${WORKSPACE}:${line + 2}`,
  },
  { name: '.env', level: 'user', file: DOTENV, text: asVariables, at: (line) => `.env:${line}` },
  {
    name: 'the environment',
    level: 'user',
    text: asVariables,
    at: (_, setting) => `TRUNCATION_${setting.toUpperCase()}`,
  },
  {
    name: 'tools.yaml',
    level: 'tool',
    file: TOOLS,
    text: (s) => definition('x', s),
    at: (line) => `${TOOLS}:${line + 2}`,
  },
  {
    name: '.acode/tools.yaml',
    level: 'tool',
    file: ACODE_TOOLS,
    text: (s) => definition('x', s),
    at: (line) => `${ACODE_TOOLS}:${line + 2}`,
  },
  {
    name: "overrides of the user's file",
    level: 'tool',
    file: USER,
    text: (s) => override('x', s),
    at: (line) => `USER:${line + 4}`,
  },
  {
    name: "overrides of the workspace's file",
    level: 'tool',
    file: WORKSPACE,
    text: (s) => override('x', s),
    at: (line) => `${WORKSPACE}:${line + 4}`,
  },
];

/** Lines of YAML as variables. */
function asVariables(settings: string): string {
  return settings.replace(/^(\w+): /gm, (_, name: string) => `TRUNCATION_${name.toUpperCase()}=`);
}

/**
 * What the sources say, as files and variables. Two that share a file stand below one another in
 * it.
 */
function text(by: ReadonlyMap<(typeof SOURCES)[number], string>) {
  const files: Record<string, string> = {};
  const env: Record<string, string> = {};
  const offsets = new Map<unknown, number>();
  for (const [source, settings] of by) {
    const text = source.text(settings);
    if (source.file === undefined) {
      for (const line of text.split('\n').filter((one) => one !== '')) {
        const [name = '', value = ''] = line.split('=');
        env[name] = value;
      }
      continue;
    }
    const before = files[source.file];
    // The overrides go into the block that the same file has already: its first two lines are the
    // same.
    const added = before === undefined ? text : text.split('\n').slice(2).join('\n');
    offsets.set(source, before === undefined ? 0 : before.split('\n').length - 1 - 2);
    files[source.file] = (before ?? '') + added;
  }
  return { files, env, offsetOf: (source: unknown) => offsets.get(source) ?? 0 };
}

describe('of two sources', () => {
  const neighbours = SOURCES.slice(1).map(
    (stronger, i) => [stronger.name, SOURCES[i]?.name ?? '', i] as const,
  );

  test.each(neighbours)('%s wins over %s, and what it leaves alone stays', async (_, __, i) => {
    const weaker = SOURCES[i];
    const stronger = SOURCES[i + 1];
    if (weaker === undefined || stronger === undefined) throw new Error('no such pair');
    const { files, env } = text(
      new Map([
        [weaker, 'page_limit: 1111\nfirst_elements: 11\n'],
        [stronger, 'page_limit: 2222\n'],
      ]),
    );
    const setup = await setupWith(files);
    const explain = await setup.explain('x', env);
    expect(explain('page_limit')).toMatchObject({ value: 2_222, level: stronger.level });
    expect(explain('first_elements')).toMatchObject({ value: 11, level: weaker.level });
  });

  test('the stronger one is the true source of each field, whatever is set where', async () => {
    const fields = ['page_limit', 'first_elements', 'last_elements', 'preview_limit', 'tail_lines'];
    const assignment = fc.array(fc.subarray(fields), {
      minLength: SOURCES.length,
      maxLength: SOURCES.length,
    });
    const setup = await setupWith();
    await fc.assert(
      fc.asyncProperty(assignment, async (sets) => {
        const saying = SOURCES.flatMap((source, i) => {
          const lines = (sets[i] ?? []).map((field) => `${field}: ${1_000 + i}\n`);
          return lines.length === 0 ? [] : [[source, lines.join('')] as const];
        });
        const { files, env, offsetOf } = text(new Map(saying));
        for (const name of [USER, WORKSPACE, DOTENV, TOOLS, ACODE_TOOLS])
          await rm(setup.path(name), { force: true });
        await setup.write(files);
        const explain = await setup.explain('X', env);
        for (const field of fields) {
          const strongest = sets.findLastIndex((set) => set.includes(field));
          const source = SOURCES[strongest];
          const line = (sets[strongest] ?? []).indexOf(field) + 1 + offsetOf(source);
          const { value, source: reported } = explain(field);
          expect(reported.replace(setup.userFile, 'USER')).toBe(source?.at(line, field) ?? 'built-in');
          if (source !== undefined) expect(value).toBe(1_000 + strongest);
        }
      }),
      { numRuns: 60 },
    );
  });
});
