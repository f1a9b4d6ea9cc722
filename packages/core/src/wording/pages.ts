/**
 * The notice of a fetched page: where it is, of how much, and the call for the next one.
 * `[art_… stdout: lines 2-4 of 2,000, chars 8-28 of 18,893. Next: get_artifact(…)]`
 * Read by models, pinned by tests.
 */

import type { MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import { formatCount, pluralize } from '../text/numbers.ts';
import { number, type Opening, RECOGNISED, template, unread } from './template.ts';

type Range = readonly [first: number, last: number];

/** What a page is taken from: the handle, and the part where there are several. */
interface PageSource {
  readonly id: string;
  readonly part: string | undefined;
}

interface PageWords {
  readonly of: string;
  readonly words: string;
}

const PAGE = template<PageWords>`[${unread('of', String.raw`[^\]]{1,400}?`)}: ${unread('words', '.{0,4000}')}]`;

/** The beginnings of pages that a tool could imitate, whatever they are taken from. */
export const PAGE_LINES: readonly Opening[] = [
  template<{
    a: number;
    b: number;
    of: number;
  }>`lines ${number('a')}-${number('b')} of ${number('of')}, chars ${RECOGNISED}`,
  template`nothing at that place`,
  template`holds no text`,
];

/** A page; `words` is one of the sentences below. */
export function pageNotice({ id, part }: PageSource, words: string, nextCall: string | null): string {
  const of = part === undefined ? id : `${id} ${part}`;
  return `${PAGE.write({ of, words: nextCall === null ? words : `${words}. Next: ${nextCall}` })}\n`;
}

export function rangeWords(
  lines: Range | null,
  chars: Range | null,
  total: { readonly lines: number; readonly chars: number },
): string {
  if (lines === null || chars === null)
    return `nothing at that place. In all: ${pluralize(total.lines, 'line')}, ${formatCount(total.chars)} chars`;
  return `lines ${range(lines)} of ${formatCount(total.lines)}, chars ${range(chars)} of ${formatCount(total.chars)}`;
}

export const NO_TEXT = 'holds no text';

export function wholePartsWords(parts: number, lines: number, chars: number): string {
  return `${pluralize(parts, 'whole part')}, ${pluralize(lines, 'line')}, ${formatCount(chars)} chars`;
}

export function matchesWords(shown: number, matching: number, lines: number): string {
  return `${formatCount(shown)} of ${pluralize(matching, 'matching line')}, ${pluralize(lines, 'line')} in all`;
}

/** Things found by a path or a file name. `goesOn`: the last one has no room for all of it. */
export function thingsWords(
  things: string,
  shown: Range | null,
  total: number,
  { goesOn, chars }: { readonly goesOn: boolean; readonly chars: number },
): string {
  if (shown !== null)
    return `${things} ${range(shown)} of ${formatCount(total)}${goesOn ? ', the last goes on' : ''}`;
  if (total === 0) return `nothing matches in ${pluralize(chars, 'char')}`;
  return `nothing at that place. In all: ${formatCount(total)} ${things}`;
}

export function rowsWords(shown: Range | null, total: number, goesOn: boolean): string {
  if (shown === null) return `no row at that place. In all: ${pluralize(total, 'row')}`;
  return `rows ${range(shown)} of ${formatCount(total)}${goesOn ? `, row ${formatCount(shown[0])} goes on` : ''}`;
}

/** Behind matches in a text of several JSON values. */
export const SEVERAL_VALUES = ' (several JSON values, read as one array)';

export function filesWords(words: string, matching: number, files: number): string {
  if (matching === 0)
    return `none of the ${pluralize(files, 'file')} of this diff has that path; file="*" shows all`;
  return `${words} (heads and hunks) in ${formatCount(matching)} of ${pluralize(files, 'file')}`;
}

/** Behind the head of a table that has no room for all of it. */
export function headCut(bytes: number): string {
  return ` ... [${formatCount(bytes)} bytes omitted] ...\n`;
}

function range([first, last]: Range): string {
  return `${formatCount(first)}-${formatCount(last)}`;
}

interface SearchCounts {
  readonly hits: number;
  readonly first: number;
  readonly last: number;
  readonly outputs: number;
  readonly messages: number;
}

export function searchHeading({ hits, first, last, outputs, messages }: SearchCounts): string {
  const through = `${pluralize(outputs, 'output')} and ${pluralize(messages, 'message')}`;
  if (hits === 0) return `Nothing found in ${through}. Try fewer or other words.`;
  return `Found in ${formatCount(hits)} of ${through}; best first, ${formatCount(first)}-${formatCount(last)}. Numbers are lines.`;
}

export function foundHeading(of: OutputRecord | MessageRecord): string {
  return 'ordinal' in of ? `message ${of.ordinal}, ${of.role}` : `${of.id} ${of.summary}`;
}

export function messagesHeading(first: number, count: number): string {
  if (count === 0) return `There is no message ${formatCount(first)} in this session.`;
  const last = first + count - 1;
  return count === 1
    ? `Message ${formatCount(first)}.`
    : `Messages ${formatCount(first)}-${formatCount(last)}.`;
}
