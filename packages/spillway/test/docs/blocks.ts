/**
 * The code blocks of our Markdown pages. The word behind the fence says what a block is:
 *
 * | word                          | what the test does with it                                      |
 * |-------------------------------|-----------------------------------------------------------------|
 * | `js`, `ts`                    | runs it as a module in an empty folder, with the built packages  |
 * | `output`                      | compares it with what the block before it printed                |
 * | `console`                     | runs each `$ command` in an empty workspace, compares its output |
 * | `js file=NAME`, `yaml file=…` | puts the file into the workspace in which the page's `console` runs |
 * | `sh`                          | checks that each `spillway` command and its flags exist          |
 * | `js fragment`, `ts fragment`  | nothing: a piece of a program, such as an interface              |
 * | `text`, `json`, `yaml`, …     | nothing: something to look at                                    |
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export const KINDS = [
  ...['js', 'ts', 'output', 'console', 'sh'],
  ...['js fragment', 'ts fragment', 'text', 'json', 'yaml', 'toml', 'ini', 'sql'],
];

/** The name of the file that a block is to be saved as, if it says one. */
export function fileOf({ kind }: Block): string | undefined {
  return /^(?:js|json|yaml) file=([\w./-]+)$/.exec(kind)?.[1];
}

export interface Block {
  /** The page below the root, and the line of the opening fence. */
  readonly page: string;
  readonly line: number;
  readonly kind: string;
  readonly code: string;
}

/** Every page that speaks to users or contributors. */
export function pages(): string[] {
  const below = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  const top = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'bench/README.md',
    'packages/core/README.md',
    'packages/spillway/README.md',
  ];
  return [...top, ...below('docs'), ...below('packages/core/src')].sort();
}

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const text = readFileSync(join(ROOT, page), 'utf8');
  let open: { line: number; kind: string; code: string[] } | null = null;
  for (const [i, line] of text.split('\n').entries()) {
    if (open !== null && line === '```') {
      blocks.push({ page, line: open.line, kind: open.kind, code: `${open.code.join('\n')}\n` });
      open = null;
    } else if (open !== null) open.code.push(line);
    else if (line.startsWith('```')) open = { line: i + 1, kind: line.slice(3).trim(), code: [] };
  }
  return blocks;
}

/** The text of a page without its code blocks. */
export function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/**
 * What differs from run to run is made the same: handles, times, durations, and the width of
 * tables.
 */
export function normalised(text: string): string {
  const names = new Map<string, string>();
  return text
    .replaceAll(/art_\d+_\w+/g, (handle) => {
      const name = names.get(handle) ?? `art_${names.size + 1}`;
      names.set(handle, name);
      return name;
    })
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?/g, 'TIME')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|min)\b/g, 'DURATION')
    .replaceAll(/─+/g, '─')
    .replaceAll(/ {2,}/g, ' ')
    .trimEnd();
}

/**
 * Whether a text is what a page shows; a line of the page that is only `…` stands for any lines.
 */
export function isAsShown(actual: string, shown: string): boolean {
  const pattern = normalised(shown)
    .split(/^…$/m)
    .map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^]*');
  return new RegExp(`^${pattern}$`).test(normalised(actual));
}

/** Puts another text into a page in place of the one that it shows behind `line`. */
export function rewrite({ page }: Block, line: string, shown: string, actual: string): void {
  const file = join(ROOT, page);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(`${line}\n${shown}`, () => `${line}\n${abridged(actual.trimEnd())}\n`),
  );
}

/**
 * Of four and more lines in a row that differ in numbers only, the first and the last, with `…`
 * between them.
 */
function abridged(text: string): string {
  const shape = (line: string | undefined) => line?.replaceAll(/\d+/g, '0');
  const lines = text.split('\n');
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    while (end < lines.length && shape(lines[end]) === shape(lines[at])) end++;
    const run = lines.slice(at, end);
    kept.push(...(run.length < 4 || run[0] === '' ? run : [run[0] ?? '', '…', run.at(-1) ?? '']));
    at = end;
  }
  return kept.join('\n');
}
