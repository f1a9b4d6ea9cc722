/**
 * The headings of pages that answer for a session: what a search found, and messages by number.
 * Read by models, pinned by tests.
 */
import type { MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import { formatCount, pluralize } from '../text/numbers.ts';

export interface SearchCounts {
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
