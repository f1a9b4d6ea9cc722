/**
 * The formats that we know, in the order in which they are asked: the narrower first. To add one,
 * make a folder that exports one `Format` and put it into this list.
 */
import type { ContentKind } from '../model/content.ts';
import type { Format, FormatAddress } from '../model/format.ts';
import { binary } from './binary/index.ts';
import { code } from './code/index.ts';
import { compiler } from './compiler/index.ts';
import { diff } from './diff/index.ts';
import { hits } from './hits/index.ts';
import { json } from './json/index.ts';
import { listing } from './listing/index.ts';
import { log } from './log/index.ts';
import { prose } from './prose/index.ts';
import { table } from './table/index.ts';
import { testRun } from './test-run/index.ts';
import { trace } from './trace/index.ts';
import { xml } from './xml/index.ts';

export const FORMATS: readonly Format[] = [
  json,
  table,
  diff,
  xml,
  binary,
  compiler,
  hits,
  listing,
  testRun,
  trace,
  log,
  code,
  prose,
];

export function formatOf(kind: ContentKind, formats: readonly Format[] = FORMATS): Format | undefined {
  return formats.find(({ kinds }) => kinds.includes(kind));
}

/** The arguments of a fetch that formats answer. */
export function addressesOf(added: readonly Format[]): readonly FormatAddress[] {
  return [...FORMATS, ...added].flatMap(({ address }) => (address === undefined ? [] : [address]));
}
