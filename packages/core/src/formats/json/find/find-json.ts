/**
 * MatchSink of a JSONPath query in a stored part. Simple queries are answered in one pass over a
 * part of any size; others hold the document in memory, up to a limit. Several values one after
 * another (NDJSON) are read as one array. The text is checked to its end, or as far as it is read.
 */

import { setImmediate } from 'node:timers/promises';
import { SpillwayError } from '../../../model/errors.ts';
import type { PathQuery, PathSelector } from '../../../model/path.ts';
import type { PatternEngine } from '../../../model/pattern.ts';
import type { MatchSink, StoredText } from '../../../model/stored-text.ts';
import { JsonScan } from '../../../table/tree/json-scan.ts';
import { Kind, type TreeSink, type TreeToken } from '../../../table/tree/tree-sink.ts';
import { formatBytes } from '../../../text/numbers.ts';
import { Filters } from './filter.ts';
import { Meter } from './meter.ts';
import { labelOf, ROOT, select } from './query.ts';
import { SimpleMatcher, simpleSteps } from './stream.ts';
import { JsonTape, TAPE_BYTES, tooLarge } from './tape.ts';

/** What the scanner says when a second value begins. */
const ANOTHER_VALUE = 'something follows the value';

/** Whether the root is written, or the values were read as one array. */
export type JsonShape = 'document' | 'values';

/** `fresh` makes an empty collection: the reading may have to begin again. */
export async function findJson<Sink extends MatchSink>(
  stored: StoredText,
  query: PathQuery,
  patterns: PatternEngine | null,
  fresh: () => Sink,
): Promise<{ readonly matches: Sink; readonly shape: JsonShape }> {
  const steps = simpleSteps(query);
  if (steps === null && stored.byteLength > TAPE_BYTES)
    throw tooLarge(`has ${formatBytes(stored.byteLength)}, over ${formatBytes(TAPE_BYTES)}`);
  const find = (shape: JsonShape, matches: MatchSink) =>
    steps === null
      ? findInMemory(stored, query, patterns, shape, matches)
      : findInStream(stored, steps, shape, matches);
  const matches = fresh();
  const failure = await find('document', matches);
  if (failure === null) return { matches, shape: 'document' };
  if (failure !== ANOTHER_VALUE) throw notJson(failure);
  const ofValues = fresh();
  const second = await find('values', ofValues);
  if (second !== null) throw notJson(second);
  return { matches: ofValues, shape: 'values' };
}

function notJson(why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `This part is not JSON (${why}), so json_path cannot be used. Ask by lines, chars or pattern.`,
  );
}

async function findInStream(
  stored: StoredText,
  steps: readonly PathSelector[],
  shape: JsonShape,
  matches: MatchSink,
): Promise<string | null> {
  const matcher = new SimpleMatcher(steps, matches);
  // Several values are children of one array, which is not written.
  if (shape === 'values') matcher.open(UNWRITTEN_ARRAY);
  const failure = await walk(stored, shape, matcher, () => matches.enough);
  if (failure === null && shape === 'values') matcher.close({ end: stored.byteLength });
  return failure;
}

const UNWRITTEN_ARRAY: TreeToken = {
  kind: Kind.array,
  from: 0,
  start: 0,
  end: 0,
  keyAt: 0,
  keyBytes: 0,
  name: 0,
  hash: 0,
  chars: 0,
  keyChars: 0,
  hasEntity: false,
  pad: 0,
  reserved: 0,
  key: () => new Uint8Array(0),
};

async function findInMemory(
  stored: StoredText,
  query: PathQuery,
  patterns: PatternEngine | null,
  shape: JsonShape,
  matches: MatchSink,
): Promise<string | null> {
  const bytes = new Uint8Array(stored.byteLength);
  const tape = new JsonTape(bytes, shape === 'values');
  const begin = ({ start, keyAt, keyBytes }: TreeToken) => tape.begin(start, keyBytes === 0 ? -1 : keyAt);
  const sink: TreeSink = {
    open: begin,
    close: ({ end }) => tape.finish(end),
    leaf(token) {
      begin(token);
      tape.finish(token.end);
    },
  };
  if (shape === 'values') tape.begin(0, -1);
  const failure = await walk(
    stored,
    shape,
    sink,
    () => false,
    (piece, at) => bytes.set(piece, at),
  );
  if (failure !== null) return failure;
  if (shape === 'values') tape.finish(stored.byteLength);
  const run = new Filters(patterns).evaluation({ tape, meter: new Meter() });
  for (const spot of select(run, query, ROOT)) {
    if (spot !== null) matches.add(tape.start(spot.node), tape.end(spot.node), () => labelOf(tape, spot));
    if (matches.enough) break;
    if (spot === null || run.meter.due) await setImmediate();
  }
  return null;
}

/** Checks and tells, piece by piece; the answer is why the text is not JSON, or null. */
async function walk(
  stored: StoredText,
  shape: JsonShape,
  sink: TreeSink,
  enough: () => boolean,
  take: (piece: Uint8Array, at: number) => void = () => {},
): Promise<string | null> {
  const scan = new JsonScan(sink, shape === 'values' ? 'many' : 'one');
  let position = 0;
  for await (const piece of stored.from(0)) {
    take(piece, position);
    scan.push(piece);
    if (scan.failure !== null) return scan.failure;
    position += piece.length;
    if (enough()) return null;
  }
  scan.finish();
  return scan.failure;
}
