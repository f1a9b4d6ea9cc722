// What identical.mjs projects, as data. A case is { label, entry, policy, profile?, call, exitCode?,
// about?, baseline?, pages? }: how a text goes in (entries.mjs), under which settings, and which
// pages are fetched afterwards.

const COMMAND = { tool: 'execute_command', input: { command: 'make' } };
const POSITIONAL = ['head', 'tail', 'head_tail', 'lines', 'size_limit'];
const KEEP_NOTHING = { preserveErrors: false, preserveWarnings: false };

/**
 * `corpora: n` takes each nth text of the corpora, chosen by a hash of its name; fixtures and
 * generated texts are always taken. `large` is projected from a stream, by the campaign only.
 */
export const SETS = {
  positional: { corpora: 3, cases: positional() },
  general: { corpora: 1, cases: general() },
  wide: { corpora: 6, cases: wide() },
  large: { corpora: null, cases: large() },
};

/** Cuts by position alone. No rewrite of what is judged may change any of these. */
function positional() {
  const at = (strategy, inlineLimit, more = {}) => ({ strategy, inlineLimit, ...KEEP_NOTHING, ...more });
  return [
    ...POSITIONAL.flatMap((strategy) =>
      [300, 1_500, 8_000].flatMap((limit) =>
        ['when_cut', 'never'].map((clean) => made({ policy: at(strategy, limit, { clean }) })),
      ),
    ),
    ...['head', 'tail', 'head_tail'].map((name) => made({ policy: at(name, 2_000, { snap: 'exact' }) })),
    ...[
      { headLines: 5, tailLines: 9 },
      { maxLines: 30 },
      { maxTokens: 300 },
      { shown: 900 },
      { headRatio: 0.2 },
      { dialect: 'plain' },
      { dialect: 'spill' },
      { clean: 'always' },
    ].map((more) => made({ policy: at('head_tail', 2_000, more) })),
    made({ policy: at('lines', 2_000, { headLines: 4, tailLines: 8 }) }),
    ...['chunks', 'exec', 'streams', 'blocks'].flatMap((entry) => [
      made({ entry, policy: at('head_tail', 1_500) }),
      made({ entry, policy: at('tail', 1_500, { perPartLimit: 700 }) }),
    ]),
  ];
}

/** The strategies by name, and what `auto` makes of a failed command, a good one and a file. */
function general() {
  const calls = [
    { policy: { strategy: 'auto' }, exitCode: 1 },
    { policy: { strategy: 'auto' }, exitCode: 0 },
    { policy: { strategy: 'auto' }, call: { tool: 'read_file', input: 'path' } },
    ...['smart_summary', 'head_tail', 'reading', 'element', 'lines'].map((strategy) => ({
      policy: { strategy },
    })),
  ];
  return calls.flatMap(({ policy, ...rest }) =>
    [1_000, 4_000, 8_000].map((inlineLimit) =>
      made({ entry: 'string', policy: { ...policy, inlineLimit }, ...rest }),
    ),
  );
}

/** Other ways in and out. */
function wide() {
  const at = (inlineLimit, more = {}) => ({ inlineLimit, ...more });
  return [
    ...['chunks', 'exec', 'streams', 'blocks', 'value'].flatMap((entry) => [
      made({ entry, policy: at(700), exitCode: 1 }),
      made({ entry, policy: at(4_000), exitCode: 0 }),
    ]),
    made({ entry: 'exec', policy: at(2_000, { perPartLimit: 600 }), exitCode: 2 }),
    ...[{ maxLines: 25 }, { maxTokens: 400 }, { clean: 'never' }, { shown: 600 }, { failingFactor: 2 }].map(
      (more) => made({ policy: at(1_200, more), exitCode: 1 }),
    ),
    ...['plain', 'spill'].flatMap((dialect) =>
      ['auto', 'element'].map((strategy) => made({ policy: at(1_000, { dialect, strategy }) })),
    ),
    ...['standard', 'spill', 'tail', 'exec', 'repl', 'mcp'].map((profile) =>
      made({ profile, entry: 'exec', policy: at(1_200) }),
    ),
    ...[
      { tool: 'read_file' },
      { tool: 'grep', input: { pattern: 'error|test', path: '.' } },
      { tool: 'list_directory' },
      { tool: 'execute_command' },
      { tool: 'execute_command', input: { command: 'cat src/main.c' } },
      { tool: 'execute_command', input: { command: 'git diff HEAD~1' } },
      { tool: 'anything' },
    ].map((call) => made({ call, policy: at(1_500) })),
    made({ policy: at(1_500), about: { task: 'Why does the test of the parser fail?' } }),
    made({ policy: at(1_500), exitCode: 1, baseline: true }),
    made({
      policy: at(1_000),
      pages: [
        {},
        { lines: '3-40' },
        { chars: '500-2500' },
        { pattern: 'error', context: 2 },
        { rows: '2-9' },
        { file: '*' },
        { xml_path: '//*[2]' },
        { part: 'stderr' },
      ],
    }),
    made({ entry: 'exec', policy: at(1_000), pages: [{}, { part: 'stderr', lines: '2-30' }] }),
  ];
}

/** 64 MB. */
function large() {
  return [
    ...['auto', 'smart_summary', 'reading'].map((strategy) =>
      made({ policy: { strategy, inlineLimit: 8_000 }, exitCode: 1 }),
    ),
    ...POSITIONAL.map((strategy) => made({ policy: { strategy, inlineLimit: 8_000, ...KEEP_NOTHING } })),
  ];
}

function made({ entry = 'bytes', call = COMMAND, ...rest }) {
  return { label: JSON.stringify({ entry, call, ...rest }), entry, call, ...rest };
}
