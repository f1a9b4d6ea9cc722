/** `spillway truncate`: a file or standard input goes in whole, its projection comes out. */
import { statSync } from 'node:fs';
import { type OutputRecord, type Processed, SpillwayError, type Store } from '@spillway/core';
import { fileSource, standardInput } from '../byte-source.ts';
import { callPolicy, PROFILE_FLAG, SET_FLAG } from '../config/call-flags.ts';
import { type CommandDetails, type Given, usageError } from '../flags.ts';
import { type ByteSource, exitCodeOf, pourUntilInterrupted } from '../interruption.ts';
import { open } from '../open.ts';
import { print, tell } from '../output.ts';
import { artifactFacts } from './artifacts/facts.ts';

export const details: CommandDetails = {
  operands: { usage: '[FILE|-]', min: 0, max: 1 },
  flags: [
    { name: 'tool', value: 'NAME', doc: 'The tool that said it; settings may depend on it.' },
    { name: 'strategy', value: 'S', doc: 'Which part of a long text is kept.' },
    { name: 'limit', value: 'CHARS', doc: 'The most chars the projection may have (inline_limit).' },
    PROFILE_FLAG,
    SET_FLAG,
    { name: 'session', value: 'ID', doc: "The agent's run that it belongs to (default: cli)." },
    { name: 'no-store', doc: 'Keep nothing; the notice says so.' },
    { name: 'json', doc: 'Print one object { content, metadata, artifact }.' },
  ],
  examples: [
    'npm test 2>&1 | spillway truncate',
    'spillway truncate build.log --limit 4000',
    'spillway truncate api.json --set head_ratio=0.5 --json',
  ],
};

export async function run(given: Given): Promise<number> {
  const policy = callPolicy(given, 'truncate');
  const { source, input } = sourceOf(given);
  const { spillway, store, workspace } = await open({
    hint: { kind: 'command', program: 'spillway' },
    ...(given.has('no-store') ? { store: null } : {}),
  });
  try {
    const call = {
      tool: given.value('tool') ?? 'truncate',
      session: given.value('session') ?? 'cli',
      scope: workspace.scope,
      ...(input === null ? {} : { input }),
    };
    const capture = await spillway.open(call, { policy });
    const { end, signal, failure } = await pourUntilInterrupted(source, capture.part({ name: 'text' }));
    const processed = await capture.finish(end);
    const record = await processed.sealed;
    if (failure !== undefined) throw failure;
    const { text, notice } = processed.projection;
    if (notice !== null && !given.has('json')) tell(notice.trimEnd());
    await print(given.has('json') ? asJson(processed, record) : text);
    if (record === null && !given.has('no-store'))
      tell(`spillway: the output was not stored; ${await whyNot(store)}`);
    if (signal === null) return 0;
    tell(
      `spillway: ended by ${signal}; what had arrived is ${record === null ? 'shown' : 'kept, marked incomplete'}.`,
    );
    return exitCodeOf(signal);
  } finally {
    await spillway.close();
  }
}

/** What the store itself says, where something is wrong with all of it. */
async function whyNot(store: Store | null): Promise<string> {
  const unknown = 'check the artifact folder and its disk.';
  return (
    store?.usage().then(
      () => unknown,
      (error: unknown) => (error instanceof SpillwayError ? error.message : unknown),
    ) ?? unknown
  );
}

function sourceOf(given: Given): { source: ByteSource; input: { path: string } | null } {
  const [file = '-'] = given.operands;
  if (file === '-') {
    if (process.stdin.isTTY)
      throw usageError('truncate reads a FILE or standard input; neither was given.', 'truncate');
    return { source: standardInput(), input: null };
  }
  try {
    if (statSync(file).isDirectory()) throw cannotRead(file, 'it is a folder');
    return { source: fileSource(file), input: { path: file } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof SpillwayError) throw error;
    throw cannotRead(file, code === 'ENOENT' ? 'there is no such file' : String(code));
  }
}

function cannotRead(file: string, why: string): SpillwayError {
  return new SpillwayError('invalid_argument', `Cannot read ${JSON.stringify(file)}: ${why}.`);
}

function asJson({ projection }: Processed, record: OutputRecord | null): string {
  const artifact = record === null || projection.metadata.artifact_id === null ? null : artifactFacts(record);
  return `${JSON.stringify({ content: projection.text, notice: projection.notice, metadata: projection.metadata, artifact })}\n`;
}
