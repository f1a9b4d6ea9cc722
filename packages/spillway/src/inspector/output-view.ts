/** One output: its facts, what the model was shown of it, and what became of it. */
import type { OutputRecord, Spillway } from '@spillway/core';
import { FIELD_NAMES, type PartReasons, readerOf, settingName } from '@spillway/core/plugin';
import type { ProjectionRecord } from '@spillway/core/store';
import { suspectedLoss } from '../observe/losses.ts';
import { knownOutputs } from './analytics-view.ts';
import { type ApiRequest, flag, Problem, type Scalar } from './answer.ts';
import { bytesOf, treeText } from './content-view.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { fetchedRanges, outputRow, type PartRow, partRow, partViews } from './rows.ts';
import { askedIn } from './thread.ts';

/** What each cause of keeping a block means; its name in other words, where that says more. */
const CAUSES: Readonly<Record<string, readonly [means: string, label?: string]>> = {
  position: ['This strategy always shows lines at this place.', 'its place'],
  element: ['It belongs to a value or an entry that was chosen as a whole.', 'chosen entry'],
  'beside an error': ['It is close to a line that reports a failure.', 'next to an error'],
  'before a bad end': ['It comes before a step that failed.', 'before a step that failed'],
  end: ['It is near the end of the output.'],
  beginning: ['It is near the beginning of the output.'],
  new: ['It was not there when the same call last succeeded.', 'new in this run'],
  section: ['It is a heading, or what comes first under one.', 'start of a section'],
  'structured data': ['It is JSON or XML in the middle of the text, which is shown as a whole.'],
  names: ['It names something that no other shown line names.', 'new names'],
  'asked for': ['It mentions what the agent was asked to do.', 'about the task'],
  unusual: ['Hardly any other line looks like it.'],
  'failed test': ['It is how a test runner marks a failed test, for example by ✕ or FAIL.'],
  'failure entry': ['It begins an entry in a list of failures.', 'one of the failures'],
  crash: ['It reports that a program crashed or ran out of memory, space or files.'],
  'error said': ['It says “error”, “fatal” or the like, and then what went wrong.', 'error message'],
  exception: ['It names an exception, such as TypeError.'],
  'error tag': ['The log marks it as an error or worse.', 'error level'],
  expectation: ['It tells what was expected and what came instead.', 'expected and actual'],
  'summary of failures': ['It is where the tool begins to list what has failed.'],
  stack: ['It begins the list of calls that led to a failure.', 'stack trace'],
  'error code': ['It holds an error code, such as ENOENT or HTTP 500.'],
  'strong refusal': ['It says that something failed, was denied or was not found.', 'failed or denied'],
  'bad end': ['It says that a step or a program ended with a failure.', 'a step that failed'],
  'count of failures': ['It tells how many failed, and the number is not 0.', 'number of failures'],
  'first frames': ['It is near the top of a stack trace.', 'top of a stack trace'],
  'lint finding': ['It is what a compiler or linter says about a line and column.', 'compiler or linter'],
  comparison: ['It compares two values, like the + and - lines of a failed test.', 'compared values'],
  'place in a source': ['It begins with a file and a line number.', 'place in a file'],
  cause: ['It says why something happened: “because”, “caused by”.', 'reason'],
  'weak refusal': ['It says that something is missing, unknown or not possible.', 'missing or not possible'],
  warning: ['It says “warning”.'],
  'failure word': ['It holds a word such as “error” or “fail”.'],
  'message field': ['It is a field that usually holds a message.', 'message'],
  result: ['It says what was made, or where it is now.', 'what was made'],
  advisory: ['It names a known vulnerability, such as CVE-2024-1234.'],
  banner: ['It is a title between lines of signs, such as === FAILURES ===.', 'title'],
};

export function explained(cause: string) {
  const [means, label = cause.replaceAll('_', ' ')] = CAUSES[cause] ?? [`It fits the pattern “${cause}”.`];
  return { cause: label, means };
}

export async function showOutput(inspected: Inspected, request: ApiRequest) {
  const found = await inspected.find(request.id);
  const { record, spillway, store, isPreview } = found;
  const { index } = inspected;
  const frozen = await store.frozen(record.id, 'model');
  const trail = index.trail(record.id);
  const loss =
    trail === undefined ? null : await suspectedLoss(spillway, trail, knownOutputs(inspected).losses);
  const row = outputRow(record, trail);
  // What was imported has its call in a message only.
  const thread = await inspected.threads.of(inspected, { scope: record.scope, id: record.session });
  const asked = record.summary === record.tool ? askedIn(thread, record.id) : '';
  return {
    output: asked === '' ? row : { ...row, summary: `${record.tool}: ${asked}` },
    is_preview: isPreview,
    parts: await partRows(found, frozen),
    place: positionOf(inspected, record),
    projection: frozen === undefined ? null : await shownProjection(found, frozen),
    settings: settingsInForce(found, frozen),
    events: index.eventsOf(record.id).map(({ type, at, data = {} }) => {
      const { input: _hash, ...shown } = data;
      return { type, at, data: shown };
    }),
    fetched: fetchedRanges(index, record.id),
    loss: loss === null ? null : { why: loss.why, part: loss.part, line: loss.line },
  };
}

async function partRows(
  { record, spillway }: FoundOutput,
  frozen: ProjectionRecord | undefined,
): Promise<PartRow[]> {
  const { strategy_used: strategy, omitted = [] } = frozen?.projection.metadata ?? {};
  const rows: PartRow[] = [];
  for (const part of await readerOf(spillway).parts(record)) {
    const { index, chars } = part;
    // A stream of bytes is captured as text; only its projection knows that it is none.
    const isWithheld =
      strategy === 'binary' && omitted.some((gap) => gap.part === index && gap.chars === chars);
    const row = partRow(part, (await treeText(spillway, record, part)) !== null);
    if (part.kind !== 'binary' && !isWithheld) rows.push(row);
    else rows.push({ ...row, kind: 'binary', first_bytes: await firstBytes(spillway, record, index) });
  }
  return rows;
}

const FIRST_BYTES = 256;

async function firstBytes(spillway: Spillway, record: OutputRecord, part: number): Promise<string> {
  for await (const bytes of bytesOf(spillway, record, part))
    return Buffer.from(bytes.subarray(0, FIRST_BYTES)).toString('hex');
  return '';
}

/** Its place among the calls of its session; 0 for what is not one of them. */
function positionOf({ index }: Inspected, { scope, session, id }: OutputRecord) {
  const trails = index.trailsOf(scope, session);
  return { number: trails.findIndex((trail) => trail.id === id) + 1, of: trails.length };
}

async function shownProjection({ record, spillway }: FoundOutput, frozen: ProjectionRecord) {
  const { projection, at } = frozen;
  const { metadata, text, notice } = projection;
  return {
    at,
    text,
    notice,
    original_chars: metadata.original_size,
    chars: metadata.truncated_size + metadata.notice_size,
    cut: metadata.was_truncated,
    strategy: metadata.strategy_used,
    views: await partViews(spillway, record, frozen),
  };
}

/** Where a value is no longer the one in force, its source is not known any more. */
function settingsInForce({ record, spillway }: FoundOutput, frozen: ProjectionRecord | undefined) {
  const { policy, origins } = spillway.explain(record.tool, { session: record.session });
  return FIELD_NAMES.map((field) => {
    const name = settingName(field);
    const now = policy[field];
    const then = frozen === undefined ? now : frozen.policy[field];
    if (then === undefined || then === now) return { name, value: now as Scalar, ...origins[field] };
    return { name, value: then as Scalar, level: 'task' as const, source: 'when it was shown', now };
  });
}

/** A person says that nothing was lost, or takes it back. */
const JUDGE = { loss: flag };

export async function judgeLoss(inspected: Inspected, request: ApiRequest<typeof JUDGE>) {
  const { loss } = await request.body(JUDGE);
  const { record, store } = await inspected.find(request.id);
  const { scope, session, tool, id } = record;
  await store.note([{ type: 'judged', at: Date.now(), scope, session, tool, output: id, data: { loss } }]);
  await inspected.catchUp();
  return { loss };
}

/** Why blocks of a part were kept. */
export function partReasons({ part, decision, blocks }: PartReasons) {
  return {
    part,
    decision: decision ?? null,
    blocks: blocks.map(({ firstLine, lastLine, chars, causes }) => ({
      first_line: firstLine,
      last_line: lastLine,
      chars,
      causes: causes.map(({ cause, score }) => ({ score, ...explained(cause) })),
    })),
  };
}

export async function showOrigins(inspected: Inspected, request: ApiRequest) {
  const { record, spillway, store } = await inspected.find(request.id);
  const frozen = await store.frozen(record.id, 'model');
  if (frozen === undefined) throw new Problem('not_found', 'It was not shown to a model.');
  return { origins: await readerOf(spillway).origins(record, frozen, { signal: request.signal }) };
}
