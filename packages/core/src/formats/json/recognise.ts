/**
 * JSON and NDJSON are said only of what is a valid beginning of one: who cuts them by their grammar
 * relies on it. Objects and arrays only; a lone string or number is text.
 */
import type { ContentKind } from '../../model/content.ts';
import type { TextSample } from '../../model/text-sample.ts';
import { JsonScan } from '../../table/tree/json-scan.ts';

const LF = 10;

/** `no`: cannot become JSON. `open`: valid so far. `whole`: one complete value. */
type JsonState = 'no' | 'open' | 'whole';

const NO_SINK = { open() {}, close() {}, leaf() {} };

function jsonState(bytes: Uint8Array, start: number, end: number): JsonState {
  const scan = new JsonScan(NO_SINK, 'one');
  scan.push(bytes.subarray(start, end));
  if (scan.failure !== null) return 'no';
  scan.finish();
  return scan.failure === null ? 'whole' : 'open';
}

/** Concatenated objects and arrays, as some programs print them. */
function isSequence({ bytes, start, complete }: TextSample): boolean {
  let nested = 0;
  const count = () => {
    if (scan.depth === 0) nested++;
  };
  const scan: JsonScan = new JsonScan({ open() {}, close: count, leaf() {} }, 'many');
  scan.push(bytes.subarray(start));
  if (scan.failure === null && complete) scan.finish();
  return scan.failure === null && nested > 1;
}

interface LineCount {
  readonly whole: number;
  readonly nested: number;
}

/** If the tool announces one value a line, one line is enough. */
type JsonLines = 'expected' | 'unknown';

export function structuredKind(sample: TextSample, jsonLines: JsonLines): ContentKind | undefined {
  const { bytes, start, complete } = sample;
  const first = firstByte(bytes, start);
  if (first !== 0x7b && first !== 0x5b) return undefined;
  const state = jsonState(bytes, start, bytes.length);
  if (jsonLines === 'unknown' && state === 'whole') return 'json';
  const lines = state === 'open' && jsonLines === 'unknown' ? undefined : readLines(sample);
  const least = jsonLines === 'expected' ? 1 : 2;
  if (lines !== undefined && lines.whole >= least && lines.nested * 2 > lines.whole) return 'ndjson';
  if (state === 'no' && isSequence(sample)) return 'ndjson';
  if (state === 'no' || (state === 'open' && complete)) return undefined;
  const isOneLine = !bytes.subarray(start).includes(LF);
  return jsonLines === 'expected' && state === 'open' && isOneLine ? 'ndjson' : 'json';
}

/** Undefined if any line is not JSON. */
function readLines({ bytes, start, complete }: TextSample): LineCount | undefined {
  let whole = 0;
  let nested = 0;
  for (let at = start; at < bytes.length; ) {
    const found = bytes.indexOf(LF, at);
    const end = found < 0 ? bytes.length : found;
    const cutOff = found < 0 && !complete;
    const first = firstByte(bytes, at, end);
    if (first !== undefined) {
      const state = jsonState(bytes, at, end);
      if (!isLineState(state, cutOff)) return undefined;
      if (!cutOff) {
        whole++;
        if (first === 0x7b || first === 0x5b) nested++;
      }
    }
    at = end + 1;
  }
  return { whole, nested };
}

function isLineState(state: JsonState, cutOff: boolean): boolean {
  return state === 'whole' || (cutOff && state === 'open');
}

function firstByte(bytes: Uint8Array, start: number, end = bytes.length): number | undefined {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== LF) return byte;
  }
  return undefined;
}
