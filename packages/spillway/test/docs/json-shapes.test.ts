// docs/reference/json.md shows what every command with `--json` prints. The commands are run in a
// workspace, and the page is compared with the shapes of what they print, or with
// SPILLWAY_WRITE_DOCS=1 written from them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandSpecs } from '../../src/commands/table.ts';
import { workspaceWith } from '../program.ts';
import { ROOT } from './blocks.ts';
import { addSample, emptyShape, type Shape, shapeText } from './shape.ts';

const PAGE = join(ROOT, 'docs/reference/json.md');

/** What is there before the commands are run. */
const FILES = {
  'build.log': `${Array.from({ length: 3_000 }, (_, i) => `step ${i + 1} done\n`).join('')}error: no such file: a.ts\n`,
  'items.json': JSON.stringify({ items: Array.from({ length: 900 }, (_, i) => ({ id: i, name: `n${i}` })) }),
  'rows.csv': Array.from({ length: 900 }, (_, i) => `${i},n${i}\n`).join(''),
  'chat.json': JSON.stringify([
    { role: 'user', content: 'Build it.' },
    { role: 'assistant', content: 'Done.' },
  ]),
  '.cursor/mcp.json': JSON.stringify({
    mcpServers: {
      files: { command: 'files-server', args: ['.'] },
      far: { url: 'https://example.com/mcp' },
      unfinished: {},
    },
  }),
  '.codex/sessions/rollout-a.jsonl': [
    { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"make"}', call_id: 'a' },
    {
      type: 'item_completed',
      item: { type: 'CommandExecution', id: 'a', aggregated_output: 'start\nerror: no such file: a.ts\n' },
    },
    { type: 'function_call_output', call_id: 'a', output: 'start\n…9 tokens truncated…' },
  ]
    .map((payload) => `${JSON.stringify({ payload })}\n`)
    .join(''),
  'wrong.yml': 'tools:\n  truncation:\n    inline_limt: 5\n',
};

/**
 * The command lines that show a command's shape, in the order in which they run. Those of one
 * command together bring every kind of answer: cut or not, good or bad, with or without a value.
 */
const SAMPLES: readonly (readonly [command: string, lines: readonly string[]])[] = [
  [
    'truncate',
    [
      'spillway truncate build.log --json --explain',
      'spillway truncate items.json --json',
      'spillway truncate rows.csv --limit 900 --json',
      'printf ok | spillway truncate --json',
      'spillway truncate build.log --no-store --json',
    ],
  ],
  [
    'exec',
    [
      'spillway exec --json -- cat build.log',
      'spillway exec --json -- sh -c "cat build.log; exit 3"',
      "spillway exec --json -- sh -c 'kill -9 $$'",
      'spillway exec --json -- cat items.json',
      "spillway exec --json -- sh -c 'echo error: one; echo error: two >&2'",
    ],
  ],
  ['artifacts list', ['spillway artifacts list --all --json']],
  [
    'artifacts show',
    [
      'spillway artifacts show last --json',
      'spillway truncate build.log --limit 900 >/dev/null; spillway artifacts show last --json',
      "spillway artifacts show last --grep 'error:' --json",
    ],
  ],
  ['artifacts grep', ["spillway artifacts grep 'error:' --json"]],
  ['artifacts export', ['spillway artifacts export --to out --json']],
  ['artifacts clean', ['spillway artifacts clean --dry-run --json']],
  ['sessions import', ['spillway sessions import chat.json --as openai_chat --session run-1 --json']],
  ['sessions list', ['spillway sessions end run-1 >/dev/null; spillway sessions list --json']],
  ['sessions show', ['spillway sessions show cli --json', 'spillway sessions show run-1 --json']],
  ['sessions end', ['spillway sessions end run-1 --json']],
  ['sessions delete', ['spillway sessions delete run-1 --json']],
  ['config show', ['spillway config show --json']],
  ['config set', ['spillway config set inline_limit 9000 --json']],
  ['config get', ['spillway config get inline_limit --json']],
  [
    'config unset',
    ['spillway config set page_limit 9000 --json >/dev/null; spillway config unset page_limit --json'],
  ],
  ['config explain', ['spillway config explain build --json']],
  [
    'config validate',
    [
      'spillway config validate --json',
      'cp .acode/config.yml good.yml; cp wrong.yml .acode/config.yml; spillway config validate --json',
    ],
  ],
  ['doctor', ['spillway doctor --json', 'cp good.yml .acode/config.yml; spillway doctor --json']],
  ['discover', ['spillway discover --json']],
  ['stats', ['spillway stats --json', 'spillway stats --since 7d --json', 'spillway stats --by day --json']],
  ['store status', ['spillway store status --json']],
  ['store verify', ['spillway store verify --json']],
  ['store vacuum', ['spillway store vacuum --dry-run --json']],
  ['store copy', ['spillway store copy --to "$PWD/copy" --json']],
  ['store trust', ['spillway store trust --json']],
  [
    'hook install',
    [
      'spillway hook install --agent gemini --dry-run --json',
      'mkdir .claude; echo "{}" > .claude/settings.json; spillway hook install --agent claude-code --json',
    ],
  ],
  ['hook try', ['spillway hook try --agent claude-code --json']],
  [
    'hook uninstall',
    [
      'spillway hook uninstall --agent claude-code --json',
      'spillway hook uninstall --agent claude-code --json',
    ],
  ],
  [
    'mcp install',
    ['spillway mcp install --client cursor --dry-run --json', 'spillway mcp install --client cursor --json'],
  ],
  ['mcp uninstall', ['spillway mcp uninstall --client cursor --json']],
  [
    'inspect',
    [
      // The process tells its own id; that of the shell's job is not it.
      'spillway inspect --port 0 --json > address & until [ -s address ]; do sleep 0.1; done; ' +
        'kill $(sed -E \'s/.*"pid":([0-9]+).*/\\1/\' address); cat address',
    ],
  ],
];

/** Commands that are not run here, with what the page says of them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'config schema': 'The JSON Schema of the files with settings.',
  'store migrate':
    '`{ store: string, tenants: string[] }`: the address of the server, without its password, and the roles that were named.',
};

test('every command with --json has its shape in the reference', { timeout: 120_000 }, async () => {
  const withJson: string[] = [];
  for (const { name, flags } of await commandSpecs())
    if (flags.some((flag) => flag.name === 'json')) withJson.push(name);
  const listed = [...SAMPLES.map(([name]) => name), ...Object.keys(ELSEWHERE)];
  expect(listed.toSorted()).toEqual(withJson.toSorted());
  const workspace = await workspaceWith(FILES);
  const shapes = new Map<string, Shape>();
  for (const [name, lines] of SAMPLES) {
    const shape = emptyShape();
    for (const line of lines) {
      const { stdout, stderr } = await workspace.shell(line);
      for (const printed of stdout.trim().split('\n')) addSample(shape, parsedJson(printed, line + stderr));
    }
    shapes.set(name, shape);
  }
  const page = pageOf(shapes, await commandSpecs());
  if (process.env.SPILLWAY_WRITE_DOCS === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});

function parsedJson(text: string, why: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`no JSON: ${why}`);
  }
}

function pageOf(
  shapes: ReadonlyMap<string, Shape>,
  commands: Awaited<ReturnType<typeof commandSpecs>>,
): string {
  const sections = commands.flatMap(({ name, summary }) => {
    const shape = shapes.get(name);
    const body = shape === undefined ? ELSEWHERE[name] : `\`\`\`text\n${shapeText(shape)}\n\`\`\``;
    return body === undefined ? [] : [`## ${name}`, summary, body];
  });
  return `${[
    '<!-- Written by SPILLWAY_WRITE_DOCS=1 npm test -- packages/spillway/test/docs. Do not edit. -->',
    '# What `--json` prints',
    [
      'You call the program from a script and want its answer as data. With `--json` a command prints JSON',
      'on standard output, one value a line, and nothing else there. The shapes below are those of what the',
      'commands really print: a test runs each of them and compares. `?` marks a member that is not always',
      'there; one that is shown as `null` or `[]` alone had no other value in these runs. Names stay the',
      'same within a major version; new members may be added.',
    ].join('\n'),
    [
      'Sizes are bytes where the name says `size` of a stored output or `bytes`, chars where it says',
      '`chars`, `original_size` or `truncated_size` ([units](../glossary.md#units)). Times are ISO 8601 in UTC. What',
      'the metadata of a projection mean: [projection](../projection.md).',
    ].join('\n'),
    ...sections,
  ].join('\n\n')}\n`;
}
