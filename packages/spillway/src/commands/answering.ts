/**
 * How a command that captured something answers: the projection on standard output and nothing
 * else; everything for people on standard error.
 */

import { resolve } from 'node:path';
import {
  type OutputRecord,
  type Processed,
  type Projection,
  SpillwayError,
  type Store,
} from '@spillway/core';
import { formatBytes, formatCount, type PartReasons } from '@spillway/core/plugin';
import { defined, inSnakeCase } from '../fields.ts';
import type { Given } from '../flags.ts';
import type { Opened } from '../open.ts';
import { print, tell } from '../output.ts';
import { columnsOf, isTerminal } from '../terminal.ts';
import { artifactFacts } from './artifacts/reading.ts';

const SEPARATOR = ' · ';

/** Answers a capture: what a model reads of it, why, what was left out, and why it is not stored. */
export async function answerCapture(
  given: Given,
  { workspace, store }: Opened,
  processed: Processed,
  record: OutputRecord | null,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { projection, reasons } = processed;
  const { text, notice, metadata } = projection;
  if (given.has('json')) {
    // The record was sealed before its handle was given.
    const isStored = record !== null && metadata.artifact_id !== null;
    const artifact = isStored ? artifactFacts({ ...record, disclosed: true }) : null;
    const why = defined({ reasons: reasons && inSnakeCase(reasons) });
    const facts = { content: text, notice, metadata: inSnakeCase(metadata), artifact, ...why, ...more };
    await print(`${JSON.stringify(facts)}\n`);
  } else {
    if (notice !== null) tell(notice.trimEnd());
    await print(text);
    if (isTerminal(1) && isTerminal(2) && text !== '' && !text.endsWith('\n')) tell('');
    if (reasons !== undefined) tellReasons(reasons, projection);
  }
  tellCut(projection, record, workspace.root);
  if (record === null && !given.has('no-store'))
    tell(`spillway: Not stored: ${processed.notStored ?? (await whyNot(store))}`);
}

/** Tells a person what was left out, and where it is; `root`: of the workspace. */
function tellCut({ metadata }: Projection, record: OutputRecord | null, root: string): void {
  if (!metadata.was_truncated || !isTerminal(2)) return;
  const size = record === null ? null : formatBytes(artifactFacts(record).size);
  const facts = [
    `${formatCount(metadata.truncated_size)} of ${formatCount(metadata.original_size)} chars shown`,
    ...(metadata.artifact_id === null ? ['not stored'] : [`${size} stored as ${metadata.artifact_id}`]),
    ...(metadata.saved_path === null ? [] : [resolve(root, metadata.saved_path)]),
  ];
  tellFacts(facts);
}

/** One dim line, or one a fact where the terminal is narrow. */
export function tellFacts(facts: readonly string[]): void {
  const line = facts.join(SEPARATOR);
  const lines = line.length < (columnsOf(2) ?? Number.POSITIVE_INFINITY) ? [line] : facts;
  for (const one of lines) tell(one, 'dim');
}

/** Tells why each block was kept: its lines, and what spoke for it, the strongest first. */
function tellReasons(reasons: readonly PartReasons[], { metadata }: Projection): void {
  if (!metadata.was_truncated) {
    tell('Shown whole: it is within the limit.');
    return;
  }
  const blocks = reasons.flatMap((part) => part.blocks);
  const [decision] = reasons.flatMap((part) => part.decision ?? []);
  const because = decision === undefined ? '' : `, because ${decision}`;
  if (blocks.length === 0) {
    tell(`Kept by ${metadata.strategy_used}${because === '' ? ', which weighs no lines' : because}.`);
    return;
  }
  tell(`Kept by ${metadata.strategy_used}${because}:`);
  for (const { firstLine, lastLine, chars, causes } of blocks) {
    const lines =
      firstLine === lastLine
        ? `line ${formatCount(firstLine)}`
        : `lines ${formatCount(firstLine)}-${formatCount(lastLine)}`;
    const why = causes.map(({ cause, score }) =>
      cause === 'position' ? cause : `${cause} ${score.toFixed(1)}`,
    );
    tell(`  ${lines} (${formatCount(chars)} chars): ${why.join(', ')}`);
  }
}

/** What the store itself says, where something is wrong with all of it. */
async function whyNot(store: Store | null): Promise<string> {
  const unknown = 'the store could not be written. `spillway doctor` says more.';
  return (
    store?.usage().then(
      () => unknown,
      (error: unknown) => (error instanceof SpillwayError ? error.message : unknown),
    ) ?? unknown
  );
}
