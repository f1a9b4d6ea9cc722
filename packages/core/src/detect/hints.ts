/**
 * What the tool, its input and the part say about the content. Weak evidence: a hint lowers the bar for a kind and settles what the text
 * leaves open; it never makes JSON of what is not JSON, nor code of a listing.
 */
import type { ContentKind } from '../model/content.ts';

export interface Hints {
  /** The sample is the whole text. */
  readonly complete: boolean;
  readonly tool?: string;
  readonly mediaType?: string;
  /** A file name or path, where the text has one. */
  readonly name?: string;
  /** It is the output of a command. */
  readonly exec?: boolean;
  /** What the tool was given. */
  readonly input?: unknown;
  /** Lines so far, and those of them that had colours or were drawn over, where that was left out before. */
  readonly seen?: LinesSeen;
}

/** Lines, and those of them that a terminal would have coloured, moved or drawn over. */
export interface LinesSeen {
  readonly lines: number;
  readonly controlled: number;
}

export interface Expected {
  readonly kind: ContentKind;
  readonly detail?: string;
}

const TOOLS: readonly (readonly [RegExp, ContentKind])[] = [
  [/(?:^|_)(?:list|ls|glob|find_files|tree|dir)(?:_|$)|directory/, 'listing'],
  [/(?:^|_)(?:search|grep|rg|ripgrep)(?:_|$)/, 'hits'],
  [/(?:^|_)(?:diff|patch|show_commit)(?:_|$)/, 'diff'],
  [/(?:^|_)logs?(?:_|$)/, 'log'],
  [/(?:^|_)tests?(?:_|$)/, 'test'],
];

const MEDIA: readonly (readonly [RegExp, ContentKind])[] = [
  [/ndjson|jsonl|json-seq|json-lines/, 'ndjson'],
  [/json/, 'json'],
  [/html/, 'html'],
  [/xml/, 'xml'],
  [/csv/, 'csv'],
  [/tab-separated/, 'tsv'],
  [/markdown/, 'prose'],
  [/diff|patch/, 'diff'],
  [/javascript|typescript|x-python|x-c\b|x-sh|css|x-rust|x-go|x-java/, 'code'],
];

/** Extension → kind and, for code, its family. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'ndjson jsonl': 'ndjson',
  'json map sarif ipynb geojson': 'json',
  'html htm xhtml': 'html',
  'xml svg xsd xsl plist pom csproj trx': 'xml',
  csv: 'csv',
  'tsv tab': 'tsv',
  'diff patch': 'diff',
  'log out err': 'log',
  'md markdown mdx rst txt adoc tex': 'prose',
  'js mjs cjs jsx ts mts cts tsx c h cc cpp hpp cxx cs java kt scala go rs swift php css scss less dart zig proto m pl':
    'code c-like',
  'py pyi pyx nim gd': 'code python-like',
  'rb lua ex exs cr jl vim': 'code ruby-like',
  'lisp el clj cljs scm rkt': 'code lisp-like',
  'sh bash zsh fish ksh': 'code shell',
  sql: 'code sql',
  'vue svelte astro': 'code markup',
  'yml yaml toml ini cfg conf': 'code config',
};

export function expectedKinds(hints: Hints): Expected[] {
  const expected: Expected[] = [];
  const name = hints.name ?? pathIn(hints.input);
  const extension = /\.(\w{1,12})$/.exec(name ?? '')?.[1]?.toLowerCase();
  const entry = Object.entries(EXTENSIONS).find(
    ([extensions]) => extension !== undefined && extensions.split(' ').includes(extension),
  );
  const tool = snakeCase(hints.tool ?? '');
  // A path in the input tells what is in the file only if the tool reads it.
  if (entry !== undefined && (hints.name !== undefined || /read|view|open|cat|fetch|get|load/.test(tool))) {
    const [kind, detail] = entry[1].split(' ');
    expected.push({ kind: kind as ContentKind, ...(detail === undefined ? {} : { detail }) });
  }
  for (const [pattern, kind] of MEDIA)
    if (pattern.test(hints.mediaType?.toLowerCase() ?? '')) expected.push({ kind });
  for (const [pattern, kind] of TOOLS) if (pattern.test(tool)) expected.push({ kind });
  if (hints.exec === true || /(?:^|_)(?:exec|execute|run|bash|shell|command|terminal)(?:_|$)/.test(tool)) {
    for (const kind of ['log', 'test', 'compiler', 'trace'] as const) expected.push({ kind });
  }
  return expected;
}

function snakeCase(name: string): string {
  return name
    .slice(0, 200)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

const PATH_KEYS = ['path', 'file_path', 'filePath', 'file', 'filename', 'uri', 'url'];

function pathIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  for (const key of PATH_KEYS) {
    const value = (input as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'string') return value.slice(-300).replace(/[?#].*$/, '');
  }
  return undefined;
}
