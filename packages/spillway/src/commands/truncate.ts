/** `spillway truncate`: a file or standard input goes in whole, its projection comes out. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  fieldOf,
  type OutputRecord,
  type PolicyPatch,
  type Processed,
  parseText,
  SpillwayError,
} from '@spillway/core';
import { type CommandSpec, type Given, usageError } from '../flags.ts';
import { open } from '../open.ts';
import { print, tell } from '../output.ts';
import { artifactFacts } from './artifact-facts.ts';

export const truncateSpec: CommandSpec = {
  name: 'truncate',
  summary: 'Store a text and print what a model should read of it.',
  operands: { usage: '[FILE|-]', min: 0, max: 1 },
  flags: [
    { name: 'tool', value: 'NAME', doc: 'The tool that said it; settings may depend on it.' },
    { name: 'strategy', value: 'S', doc: 'Which part of a long text is kept.' },
    { name: 'limit', value: 'CHARS', doc: 'The most chars the projection may have (inline_limit).' },
    { name: 'profile', value: 'P', doc: 'A named set of settings.' },
    { name: 'set', value: 'FIELD=VALUE', many: true, doc: 'Any other setting.' },
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

export async function truncate(given: Given): Promise<number> {
  const policy = policyOf(given);
  const { source, input } = await sourceOf(given);
  const { spillway, workspace } = await open({
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
    const processed = await spillway.process(call, { kind: 'text', text: source }, { policy });
    const record = await processed.sealed;
    await print(given.has('json') ? asJson(processed, record) : processed.projection.text);
    if (record === null && !given.has('no-store'))
      tell('spillway: the output was not stored; check the artifact folder and its disk.');
    return 0;
  } finally {
    await spillway.close();
  }
}

/** The settings given by flags, each named in errors as it was written. */
function policyOf(given: Given): PolicyPatch {
  const limit = given.value('limit');
  const strategy = given.value('strategy');
  const profile = given.value('profile') ?? 'standard';
  if (profile !== 'standard')
    throw new SpillwayError(
      'invalid_policy',
      `--profile ${JSON.stringify(profile.slice(0, 40))} is not known. Known: standard.`,
    );
  const patches = given.values('set').map((setting) => {
    const at = setting.indexOf('=');
    if (at < 1) throw usageError('--set takes FIELD=VALUE.', truncateSpec);
    const name = setting.slice(0, at);
    return parseText(fieldOf(name, '--set '), setting.slice(at + 1), `--set ${name}`);
  });
  if (limit !== undefined) patches.push(parseText('inlineLimit', limit, '--limit (inline_limit)'));
  if (strategy !== undefined) patches.push({ strategy });
  return Object.assign({}, ...patches) as PolicyPatch;
}

async function sourceOf(
  given: Given,
): Promise<{ source: AsyncIterable<Uint8Array>; input: { path: string } | null }> {
  const [file = '-'] = given.operands;
  if (file === '-') {
    if (process.stdin.isTTY)
      throw usageError('truncate reads a FILE or standard input; neither was given.', truncateSpec);
    return { source: process.stdin, input: null };
  }
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    throw new SpillwayError(
      'invalid_argument',
      `Cannot read ${JSON.stringify(file)}: ${found.code === 'ENOENT' ? 'there is no such file' : found.code}.`,
    );
  if (found.isDirectory())
    throw new SpillwayError('invalid_argument', `Cannot read ${JSON.stringify(file)}: it is a folder.`);
  return { source: createReadStream(file), input: { path: file } };
}

function asJson({ projection }: Processed, record: OutputRecord | null): string {
  const artifact = record === null || projection.metadata.artifact_id === null ? null : artifactFacts(record);
  return `${JSON.stringify({ content: projection.text, metadata: projection.metadata, artifact })}\n`;
}
