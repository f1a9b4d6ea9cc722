/**
 * One page of what was found by structure: things in order, each with its label and exactly as
 * stored, as many as fit. Something larger than a page is cut like any text and goes on where the
 * next page begins. Pages put together hold everything once.
 */

import type { ByteRange } from '../../model/extent.ts';
import type { Match } from '../../model/stored-text.ts';
import { decode } from '../../text/utf8.ts';
import { headCut } from '../../wording/pages.ts';
import { readRange } from '../page.ts';
import { RangeReader, type Source } from './source.ts';

export interface Filled {
  readonly body: string;
  /** Things shown to their end, and bytes shown of the one behind them. */
  readonly whole: number;
  readonly offset: number;
  /** Whether the last thing on the page is one that goes on. */
  readonly cut: boolean;
}

/**
 * `offset`: bytes of the first one that an earlier page has shown. `ending` is written behind each.
 */
export async function fillPage(
  source: Source,
  matches: readonly Match[],
  offset: number,
  room: number,
  ending: '\n' | '',
): Promise<Filled> {
  const reader = new RangeReader(source);
  let body = '';
  let whole = 0;
  try {
    for (const match of matches) {
      const skipped = whole === 0 ? Math.min(offset, match.end - match.start) : 0;
      const label = skipped > 0 ? '' : labelWithin(match.label, room / 2);
      const left = room - body.length - label.length - ending.length;
      const start = match.start + skipped;
      // A char takes three bytes at the most.
      const text = match.end - start <= left * 3 ? decode(await reader.read(start, match.end)) : null;
      if (text !== null && text.length <= left) {
        body += label + text + ending;
        whole++;
      } else if (body !== '') break;
      else return await cutOne(source, { ...match, start }, label, skipped, left);
    }
  } finally {
    await reader.close();
  }
  return { body, whole, offset: 0, cut: false };
}

/** However small the page, there is room behind the label. */
function labelWithin(label: string, most: number): string {
  return label.length <= most ? label : `${label.slice(0, most - 3).toWellFormed()}…: `;
}

async function cutOne(
  source: Source,
  { start, end }: Match,
  label: string,
  skipped: number,
  room: number,
): Promise<Filled> {
  const { store, output, part } = source;
  const read = await readRange(store, output, part, { bytes: start }, { bytes: end }, room);
  return {
    body: label + decode(read.bytes),
    whole: 0,
    offset: skipped + (read.end.bytes - start),
    cut: true,
  };
}

/** A header that leaves room for rows; of a longer one the beginning. */
export async function headerText(source: Source, { start, end }: ByteRange, room: number): Promise<string> {
  const reader = new RangeReader(source);
  try {
    const text = decode(await reader.read(start, Math.min(end, start + room * 3)));
    const lineEnd = /\r\n$|[\r\n]$/.exec(text)?.[0] ?? '\n';
    if (text.length <= room && end - start <= room * 3)
      return /[\r\n]$/.test(text) || text === '' ? text : text + lineEnd;
    const shown = text.slice(0, room).toWellFormed();
    return `${shown}${headCut(end - start - Buffer.byteLength(shown))}`;
  } finally {
    await reader.close();
  }
}
