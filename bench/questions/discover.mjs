// What does a person wait for who asks what their agents missed?
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quietLines, randomFrom } from '../inputs.mjs';
import { inTurns } from '../repeat.mjs';
import { digits, spread, times } from '../report.mjs';
import { scratchFolder } from '../scratch.mjs';

export const question =
  'How long does `spillway discover` take for the histories of an agent, beside a search for words of failure in the same files?';

export const notes = [
  'A third of the results is long; a third of those the agent cut, and kept the whole text in a file. One in ten of these holds an error that was not shown.',
  'The search prints the lines that it finds, as a person would have it.',
  'All of the histories in one folder, and nothing read before: the files are in the cache of the system.',
];

const program = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));
const WORDS = 'error|fail|exception|fatal|panic|traceback|denied|not found';

export async function run({ smoke }) {
  const home = scratchFolder();
  const bytes = writeHistories(home, smoke ? 2e6 : 60e6);
  const env = { ...process.env, HOME: home };
  const measured = await inTurns(
    [
      {
        name: 'grep -rniE',
        run: () =>
          grown(spawnSync('sh', ['-c', `grep -rniE '${WORDS}' .claude | cat >found`], { cwd: home })),
      },
      {
        name: 'wc -c',
        run: () => grown(spawnSync('sh', ['-c', 'find .claude -type f | xargs cat | wc -c'], { cwd: home })),
      },
      {
        name: 'spillway discover',
        run: () => grown(spawnSync(process.execPath, [program, 'discover', '--json'], { cwd: home, env })),
      },
    ],
    { rounds: smoke ? 1 : 7, warmUp: smoke ? 0 : 2, tidy: false },
  );
  const [grep] = measured;
  return [
    {
      title: `${digits(bytes / 1e6)} MB of histories`,
      columns: [
        ['', 'name'],
        ['ms (min–max)', 'ms', spread],
        ['÷ grep', 'ratio', times],
        ['MB a second', 'pace', digits],
      ],
      rows: measured.map(({ name, ms }) => ({
        name,
        ms,
        ratio: ms.median / grep.ms.median,
        pace: bytes / 1_000 / ms.median,
      })),
    },
  ];
}

function grown({ status, stderr }) {
  if (status !== 0) throw new Error(String(stderr));
}

/** Sessions of Claude Code, 40 results each; their bytes. */
function writeHistories(home, goal) {
  const random = randomFrom(7);
  const body = quietLines(1_000_000, 11);
  const at = '2026-05-04T10:00:00.000Z';
  let bytes = 0;
  const write = (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    bytes += Buffer.byteLength(text);
  };
  const textOf = (chars) => {
    const from = Math.floor(random() * (body.length - chars));
    return body.slice(from, from + chars);
  };
  for (let session = 0; bytes < goal; session++) {
    const folder = join(home, '.claude/projects', `-work-${session % 5}`);
    const lines = [];
    for (let number = 0; number < 40; number++) {
      const id = `t${session}-${number}`;
      const kind = random();
      let [shown, kept] = [textOf(kind < 0.33 ? 9_000 + Math.floor(random() * 20_000) : 1_500), {}];
      if (kind < 0.11) {
        const error = random() < 0.1 ? 'ERROR: connection refused at src/db.ts:77\n' : '';
        const persistedOutputPath = join(folder, `s${session}`, 'tool-results', `${id}.txt`);
        write(persistedOutputPath, `${textOf(150_000)}\n${error}${textOf(150_000)}`);
        shown = `<persisted-output>\nOutput too large (293KB). Full output saved to: ${persistedOutputPath}\n\nPreview (first 2KB):\n${shown.slice(0, 2_000)}\n...\n</persisted-output>`;
        kept = { toolUseResult: { persistedOutputPath } };
      }
      const input = { command: `npm run step${number % 9}` };
      lines.push(
        { timestamp: at, message: { content: [{ type: 'tool_use', id, name: 'Bash', input }] } },
        {
          timestamp: at,
          message: { content: [{ type: 'tool_result', tool_use_id: id, content: shown }] },
          ...kept,
        },
        { timestamp: at, message: { content: [{ type: 'text', text: 'I look at it. '.repeat(30) }] } },
      );
    }
    write(join(folder, `s${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  return bytes;
}
