/**
 * The table in docs/integrations.md: one row an adapter, made from what its tests ran and from the
 * version of the framework that is installed. `SPILLWAY_WRITE_DOCS=1` writes it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/integrations.md', import.meta.url));
const REASONS = '## What cannot be done, and why';

/** What is known of an adapter after its tests. */
export interface IntegrationRow {
  readonly name: string;
  readonly framework: string | null;
  readonly subpath: string;
  readonly guide: string;
  /** True, or why a scenario cannot be played; absent if it failed. */
  readonly proven: { [S in Scenario]?: true | string };
}

interface Page {
  /** Lines by the name of their adapter. */
  readonly rows: Map<string, string>;
  readonly reasons: Map<string, readonly string[]>;
}

/** Compares the row of an adapter with the page, or writes it there. */
export function keepRow(row: IntegrationRow): void {
  // A run of a single test proves nothing about the others.
  if (Object.keys(row.proven).length < Object.keys(SCENARIOS).length) return;
  const page = readPage();
  const [line, reasons] = [lineOf(row), reasonsOf(row)];
  if (process.env.SPILLWAY_WRITE_DOCS === '1') {
    page.rows.set(row.name, line);
    page.reasons.set(row.name, reasons);
    writeFileSync(PAGE, textOf(page));
    return;
  }
  expect(page.rows.get(row.name)).toBe(line);
  expect(page.reasons.get(row.name) ?? []).toEqual(reasons);
}

/** The names of the adapters that the page has. */
export function namesOnPage(): readonly string[] {
  return [...readPage().rows.keys()];
}

function lineOf({ name, framework, subpath, guide, proven }: IntegrationRow): string {
  const cells = (Object.keys(SCENARIOS) as Scenario[]).map((each) => (proven[each] === true ? 'yes' : 'no'));
  const version = framework === null ? '–' : `\`${framework}\` ${versionOf(framework)}`;
  return `| [${name}](guides/${guide}.md) | ${[version, `\`${subpath}\``, ...cells].join(' | ')} |`;
}

function reasonsOf({ name, proven }: IntegrationRow): readonly string[] {
  return (Object.keys(SCENARIOS) as Scenario[]).flatMap((each) => {
    const why = proven[each];
    return typeof why === 'string' ? [`- **${name}**, ${SCENARIOS[each]}: ${why}`] : [];
  });
}

function versionOf(framework: string): string {
  const folders = ['../../node_modules/', '../../../../node_modules/'];
  const files = folders.map((folder) => new URL(`${folder}${framework}/package.json`, import.meta.url));
  const file = files.find(existsSync);
  return file === undefined ? 'not installed' : JSON.parse(readFileSync(file, 'utf8')).version;
}

function readPage(): Page {
  const page: Page = { rows: new Map(), reasons: new Map() };
  if (!existsSync(PAGE)) return page;
  for (const line of readFileSync(PAGE, 'utf8').split('\n')) {
    const name = /^\| \[(.+?)\]\(guides\//.exec(line)?.[1];
    if (name !== undefined) page.rows.set(name, line);
    const of = /^- \*\*(.+?)\*\*, /.exec(line)?.[1];
    if (of !== undefined) page.reasons.set(of, [...(page.reasons.get(of) ?? []), line]);
  }
  return page;
}

function textOf({ rows, reasons }: Page): string {
  const heads = ['framework', 'version', 'import', ...Object.values(SCENARIOS)];
  const sorted = [...rows.keys()].sort();
  const why = sorted.flatMap((name) => reasons.get(name) ?? []);
  return [
    '# Integrations',
    '',
    'What each adapter does, as its tests have proven it on the packed package with the version that',
    'is named. Written by the tests themselves:',
    '`SPILLWAY_WRITE_DOCS=1 npm test -- packages/core/test/adapters`. Claude Code and other agents that',
    'people run have a [page of their own](agents.md).',
    '',
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...sorted.map((name) => rows.get(name) ?? ''),
    '',
    ...WHAT_IT_MEANS,
    ...(why.length === 0 ? [] : ['', REASONS, '', ...why]),
    '',
  ].join('\n');
}

const WHAT_IT_MEANS = [
  '## What "yes" means',
  '',
  '- **200,000 chars**: the result is stored exactly; the model reads a bounded view with a handle, and',
  '  the next request shows the same bytes.',
  '- **thrown error**: 50,000 chars of an error are stored; the model reads a bounded error.',
  '- **parallel calls**: three large results at once share what the window has left.',
  '- **image**: a picture in a result reaches the model where it stood.',
  '- **streaming tool**: the framework passes on what a tool gives early; all of it is stored.',
  '- **abort**: a run that is given up leaves its call recorded as cancelled, and no call without a',
  '  result.',
  '- **second process**: another process goes on with the same session, and its request begins with',
  '  the same bytes.',
  '- **40 turns**: 79 results in a window of 10,000 tokens: requests fit, the session is compacted, and',
  '  every result is still stored exactly.',
  '- **retrieval**: a model that follows the hints reads the stored result to its last char.',
];
