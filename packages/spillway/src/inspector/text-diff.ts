/**
 * The lines that differ between two texts, with a few around them. One setting changes few lines in
 * one place: what is the same at both ends is left out, and the rest is compared line by line.
 */
import type { DiffLine } from './api.ts';

const CONTEXT = 3;

export function diffOf(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start++;
  let end = 0;
  const most = Math.min(old.length, young.length) - start;
  while (end < most && old[old.length - 1 - end] === young[young.length - 1 - end]) end++;
  const same = (at: number): DiffLine => ({
    kind: 'same',
    before: at + 1,
    after: at + 1,
    text: old[at] ?? '',
  });
  const shift = young.length - old.length;
  const diff: DiffLine[] = [];
  for (let at = Math.max(0, start - CONTEXT); at < start; at++) diff.push(same(at));
  for (let at = start; at < old.length - end; at++)
    diff.push({ kind: 'removed', before: at + 1, after: null, text: old[at] ?? '' });
  for (let at = start; at < young.length - end; at++)
    diff.push({ kind: 'added', before: null, after: at + 1, text: young[at] ?? '' });
  for (let at = old.length - end; at < Math.min(old.length, old.length - end + CONTEXT); at++)
    diff.push({ ...same(at), after: at + 1 + shift });
  return diff;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
