/**
 * Matches of a JSONPath query in a stored part. Simple queries are answered in one pass over a part of any size; others hold the document in memory,
 * up to a limit. Several values one after another (NDJSON) are read as one array. The text is checked to its end, or as far as it is read.
 */
import { setImmediate } from 'node:timers/promises';
import { SpillwayError } from '../../model/errors.ts';
import type { PathQuery, PathSelector } from '../../model/path.ts';
import type { PatternEngine } from '../../model/pattern.ts';
import { JsonScanner } from '../../text/json-scan.ts';
import { bytesForPeople } from '../../text/numbers.ts';
import { Filters } from './json-filter.ts';
import { JsonOutline, type OutlineSink } from './json-outline.ts';
import { labelOf, ROOT, select } from './json-query.ts';
import { SimpleMatcher, simpleSteps } from './json-stream.ts';
import { JsonTape, TAPE_BYTES, tooLarge } from './json-tape.ts';
import type { Matches } from './matches.ts';
import { Meter } from './meter.ts';
import { piecesFrom, type Source } from './source.ts';

/** What the scanner says when a second value begins. */
const ANOTHER_VALUE = 'something follows the value';
const OPEN_ARRAY = 0x5b;

/** Whether the root is written, or the values were read as one array. */
export type JsonShape = 'document' | 'values';

/** `fresh` makes an empty collection: the reading may have to begin again. */
export async function findJson(
  source: Source,
  query: PathQuery,
  patterns: PatternEngine | null,
  fresh: () => Matches,
): Promise<{ readonly matches: Matches; readonly shape: JsonShape }> {
  const steps = simpleSteps(query);
  if (steps === null && source.part.bytes > TAPE_BYTES)
    throw tooLarge(`has ${bytesForPeople(source.part.bytes)}, over ${bytesForPeople(TAPE_BYTES)}`);
  const find = (shape: JsonShape, matches: Matches) =>
    steps === null
      ? findInMemory(source, query, patterns, shape, matches)
      : findInStream(source, steps, shape, matches);
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

function findInStream(
  source: Source,
  steps: readonly PathSelector[],
  shape: JsonShape,
  matches: Matches,
): Promise<string | null> {
  return walk(source, shape, new SimpleMatcher(steps, matches), () => matches.enough);
}

async function findInMemory(
  source: Source,
  query: PathQuery,
  patterns: PatternEngine | null,
  shape: JsonShape,
  matches: Matches,
): Promise<string | null> {
  const bytes = new Uint8Array(source.part.bytes);
  const tape = new JsonTape(bytes, shape === 'values');
  const failure = await walk(
    source,
    shape,
    tape.sink(),
    () => false,
    (piece, at) => bytes.set(piece, at),
  );
  if (failure !== null) return failure;
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
  source: Source,
  shape: JsonShape,
  sink: OutlineSink,
  enough: () => boolean,
  take: (piece: Uint8Array, at: number) => void = () => {},
): Promise<string | null> {
  const scanner = new JsonScanner({ child() {}, close() {}, valueEnd() {} }, shape === 'values');
  const outline = new JsonOutline(sink);
  const telling = shape === 'document' || sink.begin(0, OPEN_ARRAY);
  let position = 0;
  for await (const piece of piecesFrom(source, 0)) {
    scanner.push(piece);
    if (scanner.failure !== null) return scanner.failure;
    take(piece, position);
    if (telling) outline.push(piece);
    position += piece.length;
    if (enough()) return null;
  }
  scanner.finish();
  if (scanner.failure !== null) return scanner.failure;
  outline.finish();
  if (shape === 'values') sink.end(position);
  return null;
}
