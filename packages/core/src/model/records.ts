/**
 * Parses records that were stored or exported, into the types of the model. Stores and imports use
 * no JSON that was not checked here: a file can be damaged, changed or made up. What passes can be
 * listed, read, projected and exported. Messages are parsed in `history/checking.ts`, which also
 * checks them when they are said.
 */
import type { LedgerEvent } from './events.ts';
import {
  each,
  fieldsOf,
  isCount,
  isFreeObject,
  isHash,
  isId,
  isNumber,
  isOneOf,
  isText,
  isTrueOrFalse,
  orNull,
  perhaps,
  shaped,
  wrong,
} from './fields.ts';
import type { MessageRecord, StoredMessage } from './message.ts';
import type { OutputDraft, OutputRecord } from './output.ts';
import type { PartRecord, PartSpec } from './part.ts';
import { type Projection, type ProjectionRecord, RENDERER_VERSION } from './projection.ts';
import type { SessionRecord, SummaryRecord } from './session.ts';

/** An output as it is kept. Its parts are numbered in their order. */
export function parseOutputRecord(value: unknown, path = ''): OutputRecord {
  outputRecord(value, path);
  const record = value as OutputRecord;
  const misplaced = record.parts.findIndex(({ index }, i) => index !== i);
  if (misplaced >= 0) throw wrong(`${path}parts[${misplaced}].index`, `must be ${misplaced}`);
  return record;
}

/**
 * A projection as it was frozen, by whichever renderer. Fields of its metadata that an earlier
 * version did not have may be absent. How a later renderer writes selections is not known here, and
 * sending the projection again does not need them: they come back empty.
 */
export function parseProjectionRecord(value: unknown, path = ''): ProjectionRecord {
  projectionRecord(value, path);
  const record = value as ProjectionRecord;
  if (record.rendererVersion > RENDERER_VERSION) return { ...record, selections: [] };
  selections(record.selections, path === '' ? 'selections' : `${path}.selections`);
  return record;
}

/** A projection as stores keep it: a block that is the whole text does not repeat it. */
export function storedProjection(record: ProjectionRecord): unknown {
  const { text, blocks } = record.projection;
  const kept = blocks.map((one) =>
    one.type === 'text' && one.text === text ? { ...one, text: undefined } : one,
  );
  return { ...record, projection: { ...record.projection, blocks: kept } };
}

/** A projection that was written as `storedProjection` gives it. */
export function parseStoredProjection(value: unknown): ProjectionRecord {
  const { projection, ...rest } = fieldsOf(value, '') as { projection?: Partial<Projection> };
  if (!Array.isArray(projection?.blocks)) return parseProjectionRecord(value);
  const { text, blocks } = projection;
  const whole = blocks.map((one) => (one?.type === 'text' ? { text, ...one } : one));
  return parseProjectionRecord({ ...rest, projection: { ...projection, blocks: whole } });
}

/**
 * What a store must know of a message. The rest is looked at by its readers, who tell what is
 * damaged in its place (`history/readable.ts`), so that one bad message does not end its session.
 */
export function parseKeptMessage(value: unknown): MessageRecord {
  keptMessage(value, '');
  const { place, ...rest } = value as StoredMessage;
  return { ...rest, ordinal: place };
}

/** A message as stores and exports write it. */
export function storedMessage({ ordinal, ...rest }: MessageRecord): StoredMessage {
  return { ...rest, place: ordinal };
}

const STATUSES = ['ok', 'error', 'timeout', 'cancelled', 'crashed'];
const ROLES: readonly PartRecord['role'][] = ['input', 'content', 'order', 'envelope', 'decoded'];
const KINDS: readonly PartRecord['kind'][] = ['text', 'json', 'binary'];
const VALUE_KINDS = ['undefined', 'null', 'string', 'number', 'boolean', 'object', 'bigint', 'other'];

const DRAFT = {
  id: isId,
  tool: isText,
  callId: perhaps(isText),
  session: isText,
  scope: isText,
  server: perhaps(isText),
  startedAt: isNumber,
};

const SPEC = {
  role: isOneOf(ROLES),
  kind: isOneOf(KINDS),
  name: isText,
  labelled: perhaps(isTrueOrFalse),
  mediaType: perhaps(isText),
  valueKind: perhaps(isOneOf(VALUE_KINDS)),
  bundle: perhaps(isTrueOrFalse),
  encoding: perhaps(isText),
  of: perhaps(isCount),
};

/** What is known of an output before it begins. */
export const parseOutputDraft = parser<OutputDraft>(shaped(DRAFT));

/** What a part is. */
export const parsePartSpec = parser<PartSpec>(shaped(SPEC));

const outcome = shaped({
  status: isOneOf(STATUSES),
  exitCode: perhaps(isNumber),
  signal: perhaps(isText),
  durationMs: perhaps(isNumber),
  timeoutMs: perhaps(isNumber),
});

const part = shaped({
  ...SPEC,
  index: isCount,
  bytes: isCount,
  chars: isCount,
  lines: isCount,
  illFormed: isCount,
  hash: isHash,
  notes: each(isText),
});

const outputRecord = shaped({
  ...DRAFT,
  version: isCount,
  outcome,
  complete: isTrueOrFalse,
  sourceTruncated: isTrueOrFalse,
  endedAt: isNumber,
  summary: isText,
  disclosed: isTrueOrFalse,
  retiredAt: perhaps(isNumber),
  parts: each(part),
});

const omission = shaped({
  part: isCount,
  last_part: perhaps(isCount),
  name: isText,
  bytes: shaped({ start: isCount, end: isCount }),
  chars: isCount,
  lines: isCount,
  first_char: isNumber,
  last_char: isNumber,
  first_line: isNumber,
  last_line: isNumber,
});

const metadata = shaped({
  original_size: isCount,
  original_lines: isCount,
  truncated_size: isCount,
  notice_size: perhaps(isCount),
  strategy_used: isText,
  artifact_id: orNull(isId),
  was_truncated: isTrueOrFalse,
  estimated_tokens: isCount,
  omitted: each(omission),
  elided_chars: isCount,
  saved_path: orNull(isText),
  exceeds_max: isTrueOrFalse,
  source_truncated: isTrueOrFalse,
  ill_formed: perhaps(isTrueOrFalse),
  encoding: perhaps(isText),
  redacted: perhaps(isCount),
  lookalikes: isCount,
  compared_with: orNull(isId),
  policy_hash: isText,
  stored: isTrueOrFalse,
  complete: isTrueOrFalse,
  outcome,
});

const textBlock = shaped({ text: isText, part: perhaps(isCount) });
const keptBlock = shaped({ part: isCount });
const isBlockType = shaped({ type: isOneOf(['text', 'part']) });

function block(value: unknown, path: string): void {
  isBlockType(value, path);
  if ((value as { readonly type: string }).type === 'text') textBlock(value, path);
  else keptBlock(value, path);
}

function segment(value: unknown, path: string): void {
  const [kind, start, end] = Array.isArray(value) ? value : [];
  isText(kind, `${path}[0]`);
  isCount(start, `${path}[1]`);
  isCount(end, `${path}[2]`);
}

const selections = each(shaped({ part: isCount, last_part: perhaps(isCount), segments: each(segment) }));

const projectionRecord = shaped({
  output: isId,
  audience: isOneOf(['model', 'transport', 'screen']),
  at: isNumber,
  policy: isFreeObject,
  rendererVersion: isCount,
  projection: shaped({ text: isText, notice: orNull(isText), blocks: each(block), metadata }),
  disclosed: isTrueOrFalse,
  about: perhaps(
    shaped({ task: perhaps(isText), userMessage: perhaps(isText), lastMessage: perhaps(isText) }),
  ),
});

/** The names of a session. */
export const parseSessionNames = parser<Pick<SessionRecord, 'id' | 'scope'>>(
  shaped({ id: isText, scope: isText }),
);

const keptMessage = shaped({ id: isText, scope: isText, session: isText, place: isCount });

/** A version of a session's summary. Compaction checks its `state` when it reads it. */
export const parseSummaryRecord = parser<SummaryRecord>(
  shaped({
    version: isCount,
    scope: isText,
    session: isText,
    at: isNumber,
    parent: isCount,
    covers: isCount,
    by: isOneOf(['extractive', 'host', 'undo']),
    restores: perhaps(isCount),
    text: isText,
    state: isFreeObject,
  }),
);

function isScalars(value: unknown, path: string): void {
  for (const [name, one] of Object.entries(fieldsOf(value, path)))
    if (!['string', 'number', 'boolean'].includes(typeof one))
      throw wrong(`${path}.${name.slice(0, 40)}`, 'must be a text, a number, or true or false');
}

/** An event of the ledger. */
export const parseEvent = parser<LedgerEvent>(
  shaped({
    type: isText,
    at: isNumber,
    scope: isText,
    session: perhaps(isText),
    tool: perhaps(isText),
    output: perhaps(isId),
    data: perhaps(isScalars),
  }),
);

/** Checks a value; `path` says where in a larger one it lies. */
function parser<T>(check: (value: unknown, path: string) => void): (value: unknown, path?: string) => T {
  return (value, path = '') => {
    check(value, path);
    return value as T;
  };
}
