/**
 * The settings that apply to one output, as one table: types, validation, JSON Schema, environment
 * names, `--set` and the reference page all come from it. Keys are camelCase here and snake_case
 * everywhere outside TypeScript; `null` means off. Units: chars are UTF-16 units, sizes are bytes,
 * ratios lie in 0 … 1.
 */

/**
 * What the table says of a field: its kind, default, bounds and meaning. A `factor` is a number from
 * 1 up. A `name` is a choice to which plug-ins add: it is checked against what is registered, not
 * against the table.
 */
export type Field = {
  /** What it does, for the reference page and the JSON Schema. */
  readonly doc: string;
  /** Another name under which it may be set. */
  readonly alias?: string;
} & (
  | { readonly kind: 'integer'; readonly default: number; readonly min: number }
  | { readonly kind: 'optionalInteger'; readonly default: null; readonly min: number }
  | { readonly kind: 'ratio' | 'factor'; readonly default: number }
  | { readonly kind: 'flag'; readonly default: boolean }
  | { readonly kind: 'choice'; readonly default: string; readonly values: readonly string[] }
  | { readonly kind: 'name'; readonly default: string }
);

/** The smallest caps under which a notice, a handle and an exit code still fit. */
export const MIN_CHARS = 300;
const MIN_LINES = 8;
const MIN_TOKENS = 150;

const MIB = 1024 * 1024;

/** The table of fields, by their names in code. */
export const FIELDS = {
  strategy: {
    kind: 'name',
    default: 'auto',
    alias: 'default_strategy',
    doc: 'Which part of a long text is kept.',
  },
  inlineLimit: {
    kind: 'integer',
    default: 8_000,
    min: MIN_CHARS,
    alias: 'max_chars',
    doc: 'Chars up to which a result is passed on unchanged, and the most a projection may have.',
  },
  maxInlineLimit: {
    kind: 'integer',
    default: 100_000,
    min: MIN_CHARS,
    doc: 'The highest inline_limit and page_limit that a file of the workspace or an MCP client may set. Only your own file may set it.',
  },
  maxLines: {
    kind: 'optionalInteger',
    default: null,
    min: MIN_LINES,
    doc: 'The most lines a projection may have.',
  },
  maxTokens: {
    kind: 'optionalInteger',
    default: null,
    min: MIN_TOKENS,
    doc: 'The most tokens a projection may have, by the estimator or tokenizer in use.',
  },
  artifactThreshold: {
    kind: 'integer',
    default: 50_000,
    min: MIN_CHARS,
    doc: 'Chars above which the projection opens with the artifact card.',
  },
  maxArtifactSize: {
    kind: 'integer',
    default: 10 * MIB,
    min: 1,
    doc: 'Bytes above which an output is flagged (or refused, see on_over_max).',
  },
  onOverMax: {
    kind: 'choice',
    default: 'store',
    values: ['store', 'reject'],
    doc: 'What happens above max_artifact_size: stored and flagged, or not kept at all.',
  },
  exclude: {
    kind: 'choice',
    default: 'nothing',
    values: ['nothing', 'storing', 'everything'],
    doc: 'What a tool is left out of: storing (its results are bounded and not kept), or everything (they pass untouched and are not kept).',
  },
  redact: {
    kind: 'choice',
    default: 'off',
    values: ['off', 'projection', 'stored'],
    doc: 'Whether known secrets are replaced by [redacted: KIND]: in what a model reads (projection), or before anything is stored (stored). A file of the workspace may tighten it, never loosen it.',
  },
  headRatio: { kind: 'ratio', default: 0.6, doc: 'Share of the body that head_tail gives to the beginning.' },
  headLines: {
    kind: 'optionalInteger',
    default: null,
    min: 1,
    doc: 'The most lines kept from the beginning.',
  },
  tailLines: { kind: 'optionalInteger', default: null, min: 1, doc: 'The most lines kept from the end.' },
  shown: {
    kind: 'optionalInteger',
    default: null,
    min: 1,
    doc: 'Chars of body shown once the limit is passed, notice not counted; off: what the limit leaves.',
  },
  snap: {
    kind: 'choice',
    default: 'line',
    values: ['line', 'exact'],
    doc: 'Whether cuts move to the nearest line end (within 2 % of the body) or stay where they fall.',
  },
  perPartLimit: {
    kind: 'optionalInteger',
    default: null,
    min: 1,
    doc: 'The most chars shown of one part where an output has several.',
  },
  preserveErrors: { kind: 'flag', default: true, doc: 'Keep error lines that fall into a gap.' },
  preserveWarnings: { kind: 'flag', default: true, doc: 'Keep warning lines that fall into a gap.' },
  salientShare: { kind: 'ratio', default: 0.5, doc: 'The most of the body that preserved lines may take.' },
  contentDetection: {
    kind: 'flag',
    default: true,
    doc: 'Recognise JSON, tables, diffs, logs and so on, and choose the strategy by it where nobody else did.',
  },
  firstElements: {
    kind: 'integer',
    default: 5,
    min: 1,
    doc: 'Elements kept from the beginning of a list by element.',
  },
  lastElements: {
    kind: 'integer',
    default: 5,
    min: 1,
    doc: 'Elements kept from the end of a list by element.',
  },
  maxDepth: { kind: 'optionalInteger', default: null, min: 1, doc: 'Levels of nesting that element shows.' },
  previewLimit: {
    kind: 'optionalInteger',
    default: null,
    min: 1,
    doc: 'The most chars of preview below an artifact card.',
  },
  notice: {
    kind: 'choice',
    default: 'block',
    values: ['block', 'embedded', 'before', 'metadata'],
    doc: 'Where the notice of a structured body goes.',
  },
  dialect: { kind: 'name', default: 'standard', doc: 'How notices and markers are worded.' },
  clean: {
    kind: 'choice',
    default: 'when_cut',
    values: ['when_cut', 'always', 'never'],
    doc: 'When formatting (colour codes, overwritten progress) is left out of a projection.',
  },
  pageLimit: { kind: 'integer', default: 16_000, min: 1_000, doc: 'Chars of one page of a retrieval.' },
  slack: {
    kind: 'ratio',
    default: 0.15,
    doc: 'A result that is over inline_limit by at most this share of it passes whole. Not for a limit that a call was given, nor for one that a window sets.',
  },
  failingFactor: { kind: 'factor', default: 1, doc: 'How many times inline_limit a failed command may get.' },
  warnAt: { kind: 'ratio', default: 0.75, doc: 'Share of the context window at which a warning is given.' },
  compactAt: {
    kind: 'ratio',
    default: 0.9,
    doc: 'Share of the context window at which compaction is asked for.',
  },
  hardAt: {
    kind: 'ratio',
    default: 0.95,
    doc: 'Share of the context window above which a request is refused.',
  },
} as const satisfies Record<string, Field>;

/** The name of a field in code. */
export type FieldName = keyof typeof FIELDS;

type ValueOf<F extends Field> = F extends { readonly kind: 'integer' | 'ratio' | 'factor' }
  ? number
  : F extends { readonly kind: 'optionalInteger' }
    ? number | null
    : F extends { readonly kind: 'flag' }
      ? boolean
      : F extends { readonly values: readonly (infer V)[] }
        ? V
        : string;

/** Every setting, resolved. */
export type Policy = { readonly [K in FieldName]: ValueOf<(typeof FIELDS)[K]> };

/** Some settings, as one level gives them. */
export type PolicyPatch = { readonly [K in FieldName]?: Policy[K] | undefined };

/** `max_chars` → `maxChars`. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

type AliasOf<K extends FieldName> = (typeof FIELDS)[K] extends { readonly alias: infer Alias extends string }
  ? CamelCase<Alias>
  : never;

/** Some settings by their names or aliases (`maxChars` for `inlineLimit`). */
export type SettingsInput = PolicyPatch & {
  readonly [K in FieldName as AliasOf<K>]?: Policy[K] | undefined;
};

/** The names of all fields, in the order of the table. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

/** `inlineLimit` → `inline_limit`. */
export function settingName(field: FieldName): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The weakest first. `task`: the session's settings, then those of one call. */
export const LEVELS = ['system', 'user', 'tool', 'task'] as const;
/** How strong a layer is. */
export type Level = (typeof LEVELS)[number];

/** Some settings of one source, for all tools or some. */
export interface PolicyLayer {
  /** How strong it is: task over tool over user over system. */
  readonly level: Level;
  /** `built-in`, `profile spill`, a file, an environment variable, `session`, `call`. */
  readonly source: string;
  /** A tool's name or a pattern with `*` and `?`, in any case; absent: every tool. */
  readonly tool?: string;
  /** The settings that it gives. */
  readonly patch: PolicyPatch;
  /** Set where strangers may have written it: it may not lift bounds. */
  readonly untrusted?: true;
  /** Where a single field was set, if that is known: a file and its line. */
  readonly at?: { readonly [K in FieldName]?: string };
}
