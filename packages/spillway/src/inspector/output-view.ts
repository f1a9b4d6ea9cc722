/** One output: its facts, what the model was shown of it, and what became of it. */
import type { OutputRecord } from '@spillway/core';
import { FIELD_NAMES, type PartReasons, settingName } from '@spillway/core/plugin';
import type { ProjectionRecord } from '@spillway/core/store';
import { suspectedLoss } from '../observe/losses.ts';
import { knownOutputs } from './analytics-view.ts';
import type { Lines } from './answer.ts';
import { type ApiRequest, flag, type Scalar } from './api-request.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { partViews } from './kept-lines.ts';
import { madePreviews } from './made-previews.ts';
import { Problem } from './problem.ts';
import { fetchedRanges, outputRow, type PartRow, partRow } from './rows.ts';
import { startsAsJson } from './tree-view.ts';

/** What each cause of keeping a block means, in a sentence for people. Others are cues by name. */
const MEANINGS: Readonly<Record<string, string>> = {
  position: 'It stands where this strategy always shows lines.',
  'beside an error': 'It is close to a line that tells of a failure.',
  'before a bad end': 'It stands before a step that ended badly.',
  end: 'It is near the end of the output.',
  beginning: 'It is near the beginning of the output.',
  new: 'It was not there when the same call last ended well.',
  section: 'It begins a section.',
  'structured data': 'It holds structured data.',
  names: 'It brings names that were not shown yet.',
  'asked for': 'It touches what the agent was asked for.',
  unusual: 'It has a shape that hardly any other line has.',
};

/** Cues whose names do not speak for themselves. */
const LABELS: Readonly<Record<string, string>> = {
  'error said': 'names an error',
  'strong refusal': 'was refused or denied',
  'weak refusal': 'missing or not possible',
  'bad end': 'a step that failed',
  'beside an error': 'next to an error',
  'before a bad end': 'before a step that failed',
  expectation: 'expected and actual values',
};

function explained(cause: string) {
  const label = LABELS[cause] ?? cause.replaceAll('_', ' ');
  return { cause: label, means: MEANINGS[cause] ?? `It is worded the way tools report this: ${label}.` };
}

const INPUT_CHARS = 2_000;

export async function showOutput(inspected: Inspected, request: ApiRequest) {
  const found = await inspected.find(request.id);
  const { record, spillway, store, isPreview } = found;
  const { index } = inspected;
  const frozen = await store.frozen(record.id, 'model');
  const trail = index.trail(record.id);
  const loss =
    trail === undefined ? null : await suspectedLoss(spillway, trail, knownOutputs(inspected).losses);
  return {
    output: outputRow(record, trail),
    is_preview: isPreview,
    parts: await partRows(found),
    input: await inputOf(found),
    place: neighboursOf(inspected, record),
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

async function partRows({ record, spillway }: FoundOutput): Promise<PartRow[]> {
  const rows: PartRow[] = [];
  for (const part of await spillway.reader.parts(record))
    rows.push(partRow(part, await startsAsJson(spillway, record, part)));
  return rows;
}

/** What the call was given, clipped. */
async function inputOf({ record, spillway }: FoundOutput) {
  const part = record.parts.find(({ role }) => role === 'input');
  if (part === undefined) return null;
  let text = '';
  const ranges = [{ first: 1, last: 100 }];
  for await (const line of spillway.reader.lines(record, { part: part.index, ranges, clip: INPUT_CHARS })) {
    text += text === '' ? line.text : `\n${line.text}`;
    if (text.length >= INPUT_CHARS) break;
  }
  return { part: part.index, text: text.slice(0, INPUT_CHARS).toWellFormed(), chars: part.chars };
}

/** Its place among the calls of its session, and its neighbours there. */
function neighboursOf({ index }: Inspected, { scope, session, id }: OutputRecord) {
  const trails = index.trailsOf(scope, session);
  const at = trails.findIndex((trail) => trail.id === id);
  return {
    number: at + 1,
    of: trails.length,
    previous: trails[at - 1]?.id ?? null,
    next: at < 0 ? null : (trails[at + 1]?.id ?? null),
  };
}

async function shownProjection({ record, spillway }: FoundOutput, frozen: ProjectionRecord) {
  const { projection, at, disclosed } = frozen;
  const { metadata, text, notice } = projection;
  return {
    at,
    text,
    notice,
    original_chars: metadata.original_size,
    original_lines: metadata.original_lines,
    chars: metadata.truncated_size + metadata.notice_size,
    tokens: spillway.countTokens(`${notice ?? ''}${text}`),
    cut: metadata.was_truncated,
    strategy: metadata.strategy_used,
    elided_chars: metadata.elided_chars,
    policy_hash: metadata.policy_hash,
    disclosed,
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
    return { name, value: then as Scalar, level: 'task' as const, source: 'as it was then', now };
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

type ReasonsLine =
  | { readonly type: 'progress'; readonly done: number; readonly of: number }
  | { readonly type: 'reasons'; readonly parts: ReturnType<typeof partReasons>[] };

/** Why blocks were kept, by part. The output is projected again, which takes seconds for 100 MB. */
export async function showReasons(inspected: Inspected, request: ApiRequest): Promise<Lines<ReasonsLine>> {
  const found = await inspected.find(request.id);
  return { jsonLines: reasonLines(found, request.signal) };
}

async function* reasonLines(found: FoundOutput, signal: AbortSignal): AsyncGenerator<ReasonsLine> {
  const { record, spillway, store } = found;
  const frozen = await store.frozen(record.id, 'model');
  const settings = [frozen === undefined ? {} : spillway.reader.settingsOf(record, frozen)];
  const [made] = yield* madePreviews(found, { settings, signal });
  yield { type: 'reasons', parts: (made?.reasons ?? []).map(partReasons) };
}

function partReasons({ part, decision, blocks }: PartReasons) {
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
  const origins = await spillway.reader.origins(record, frozen, { signal: request.signal });
  return { lines: origins.map((origin) => origin && ([origin.part, origin.line] as const)) };
}
