/** `spillway truncate`: a file or standard input goes in whole, its projection comes out. */
import { statSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { fileSource, standardInput } from '../byte-source.ts';
import { CAPTURE_FLAGS, callPolicy } from '../config/call-flags.ts';
import { Heard } from '../exec/heard.ts';
import { type CommandDetails, type Given, usageError } from '../flags.ts';
import { type ByteSource, exitCodeOf, pourUntilInterrupted } from '../interruption.ts';
import { cannotRead, inWords } from '../named-file.ts';
import { open } from '../open.ts';
import { tell } from '../output.ts';
import { withProgress } from '../progress.ts';
import { inSnakeCase } from '../snake-case.ts';
import { mayExplain, printProjection, tellCut, tellNotStored, tellReasons } from './answering.ts';
import { readCallFile } from './call-file.ts';
import { commandHint } from './command-hint.ts';

export const details: CommandDetails = {
  operands: { usage: '[FILE|-]', min: 0, max: 1 },
  flags: [
    { name: 'tool', value: 'NAME', doc: 'The tool that said it; settings may depend on it.' },
    {
      name: 'call',
      value: 'FILE',
      doc: 'Facts of the call, as JSON: tool, call_id, input, exit_code, is_error, about. --tool wins.',
    },
    ...CAPTURE_FLAGS,
    { name: 'explain', doc: 'Tell on standard error why each block was kept.' },
  ],
  examples: [
    'npm test 2>&1 | spillway truncate',
    'spillway truncate build.log --limit 4000',
    'spillway truncate build.log --strategy smart_summary --explain',
    'spillway truncate api.json --set head_ratio=0.5 --json',
  ],
};

export async function run(given: Given): Promise<number> {
  const policy = callPolicy(given, 'truncate');
  mayExplain(given, 'truncate');
  const file = given.value('call');
  const known = file === undefined ? {} : readCallFile(file);
  const { source, input } = sourceOf(given);
  const { spillway, store, workspace } = await open({
    hint: commandHint(),
    ...(given.has('no-store') ? { store: null } : {}),
  });
  try {
    const call = {
      tool: given.value('tool') ?? known.tool ?? 'truncate',
      session: given.value('session') ?? 'cli',
      scope: workspace.scope,
      ...(known.callId === undefined ? {} : { callId: known.callId }),
      ...(known.input === undefined ? (input === null ? {} : { input }) : { input: known.input }),
    };
    const { about } = known;
    const options = { policy, ...(about === undefined ? {} : { about }) };
    const capture = await spillway.open(call, options);
    const part = capture.part({ name: 'text' });
    const heard = new Heard();
    const { processed, record, signal, failure } = await withProgress(
      { line: () => `Reading: ${heard}`, quiet: given.has('json') },
      async (progress) => {
        const { end, ...poured } = await pourUntilInterrupted(source, {
          write(chunk) {
            heard.push(chunk);
            progress.step();
            return part.write(chunk);
          },
        });
        const { outcome = end.outcome } = end.complete ? known : {};
        const processed = await capture.finish({ ...end, outcome });
        return { ...poured, processed, record: await spillway.sealed(processed) };
      },
    );
    if (failure !== undefined) throw failure;
    const reasons =
      given.has('explain') && record !== null
        ? await spillway.reasons({ scope: workspace.scope, id: record.id }, options)
        : null;
    const more = reasons === null ? {} : { reasons: inSnakeCase(reasons) };
    await printProjection(processed, record, given.has('json') ? 'json' : 'text', more);
    if (reasons !== null && !given.has('json')) tellReasons(reasons, processed.projection);
    tellCut(processed.projection, record, workspace.root);
    if (record === null && !given.has('no-store')) await tellNotStored(processed, store);
    if (signal === null) return 0;
    tell(
      `spillway: ended by ${signal}; what had arrived is ${record === null ? 'shown' : 'kept, marked incomplete'}.`,
    );
    return exitCodeOf(signal);
  } finally {
    await spillway.close();
  }
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
    throw error instanceof SpillwayError ? error : cannotRead(file, inWords(error));
  }
}
