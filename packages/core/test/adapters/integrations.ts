/**
 * The table of integrations in docs/guides/README.md: one row an adapter, made from what its tests
 * ran and from the version of the framework that is installed. `SPILLWAY_WRITE_DOCS=1` writes it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/guides/README.md', import.meta.url));
const MARKED = /(<!-- integrations -->)[\s\S]*(<!-- \/integrations -->)/;

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
    writePage(page);
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
  return `| [${name}](${guide}.md) | ${[version, `\`${subpath}\``, ...cells].join(' | ')} |`;
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
  const [marked = ''] = MARKED.exec(readFileSync(PAGE, 'utf8')) ?? [];
  for (const line of marked.split('\n')) {
    const name = /^\| \[(.+?)\]\(/.exec(line)?.[1];
    if (name !== undefined) page.rows.set(name, line);
    const of = /^- \*\*(.+?)\*\*, /.exec(line)?.[1];
    if (of !== undefined) page.reasons.set(of, [...(page.reasons.get(of) ?? []), line]);
  }
  return page;
}

function writePage({ rows, reasons }: Page): void {
  const heads = ['framework', 'version', 'import', ...Object.values(SCENARIOS)];
  const sorted = [...rows.keys()].sort();
  const table = [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...sorted.map((name) => rows.get(name) ?? ''),
    '',
    ...sorted.flatMap((name) => reasons.get(name) ?? []),
  ].join('\n');
  const text = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    text.replace(MARKED, (_, open, close) => `${open}\n${table}\n${close}`),
  );
}
