/**
 * JSON and NDJSON are said only of what is a valid beginning of one: who cuts them by their grammar
 * relies on it. Objects and arrays only; a lone string or number is text. Several values in a row
 * count as NDJSON, also where they do not stand on lines of their own.
 */
import type { ContentKind } from '../../model/content.ts';
import type { TextSample } from '../../model/text-sample.ts';
import { JsonScan } from '../../table/tree/json-scan.ts';
import { isSpace } from '../../table/tree/tree-sink.ts';

const LF = 10;

/** If the tool announces one value a line, one line is enough. */
type JsonLines = 'expected' | 'unknown';

export function structuredKind(sample: TextSample, jsonLines: JsonLines): ContentKind | undefined {
  const bytes = sample.bytes.subarray(sample.start);
  const first = bytes.find((byte) => !isSpace(byte));
  if (first !== 0x7b && first !== 0x5b) return undefined;
  /** At the top: objects and arrays that begin and end, and other values. */
  const found = { begun: 0, ended: 0, plain: 0 };
  const count = (what: keyof typeof found) => () => {
    if (scan.depth === 0) found[what]++;
  };
  const sink = { open: count('begun'), close: count('ended'), leaf: count('plain') };
  const scan: JsonScan = new JsonScan(sink, 'many');
  scan.push(bytes);
  if (sample.complete) scan.finish();
  if (scan.failure !== null) return undefined;
  const isExpected = jsonLines === 'expected';
  if (found.ended > 1 || (isExpected && found.ended === 1 && found.begun > 1)) return 'ndjson';
  if (found.begun + found.plain > 1) return undefined;
  const value = bytes.subarray(bytes.indexOf(first), found.ended === 1 ? scan.valueEnd : bytes.length);
  return isExpected && !value.includes(LF) ? 'ndjson' : 'json';
}
