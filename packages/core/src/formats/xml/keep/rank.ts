/**
 * In which order the children of an element earn their place, and into how many parts the room is
 * thought to be split.
 */
import type { Markup } from '../scanner.ts';
import { isLeast, type NodeEntry } from './tree.ts';

export interface RankOptions {
  readonly first: number;
  readonly last: number;
  readonly fill: boolean;
  readonly markup: Markup;
}

export interface Ranked {
  readonly entries: readonly NodeEntry[];
  readonly parts: number;
}

const MOST_UNUSUAL = 24;
const BEST_UNUSUAL = 8;
const MOST_FIELDS = 64;
const SMALL_CHARS = 80;
const LIST_PARTS = 12;
const RECORD_PARTS = 8;

/** `dropped`: whether there are more than are known. */
export function rank(entries: readonly NodeEntry[], dropped: boolean, options: RankOptions): Ranked {
  const least = entries.filter(({ node }) => isLeast(node, options.markup));
  const others = entries.filter(({ node }) => !isLeast(node, options.markup));
  if (!dropped && isRecord(others)) {
    const small = others.filter(({ node }) => node.size <= SMALL_CHARS);
    const large = others.filter(({ node }) => node.size > SMALL_CHARS);
    const failing = large.filter(({ unusual }) => unusual !== null);
    const rest = large.filter(({ unusual }) => unusual === null);
    return { entries: [...small, ...failing, ...rest, ...least], parts: RECORD_PARTS };
  }
  return { entries: [...rankList(others, options), ...least], parts: LIST_PARTS };
}

/** Whether each child is something else, like the members of an object. */
function isRecord(entries: readonly NodeEntry[]): boolean {
  if (entries.length > MOST_FIELDS) return false;
  const names = entries.flatMap(({ node }) => (node.kind === 'element' ? [node.name] : []));
  return new Set(names).size * 2 > entries.length;
}

function rankList(entries: readonly NodeEntry[], { first, last, fill }: RankOptions): NodeEntry[] {
  const heads = entries.slice(0, fill ? entries.length : first);
  const tails = entries.slice(Math.max(0, entries.length - (fill ? entries.length : last))).reverse();
  const unusual = entries
    .filter((entry) => entry.unusual !== null)
    .sort((a, b) => (a.unusual ?? 0) - (b.unusual ?? 0))
    .slice(0, MOST_UNUSUAL);
  const ranked: (NodeEntry | undefined)[] = [
    unusual[0],
    heads[0],
    tails[0],
    ...unusual.slice(1, BEST_UNUSUAL),
  ];
  for (let i = 1; i < Math.max(first, last); i++)
    ranked.push(i < first ? heads[i] : undefined, i < last ? tails[i] : undefined);
  ranked.push(...unusual.slice(BEST_UNUSUAL));
  for (let i = Math.min(first, last); fill && i < entries.length; i++) ranked.push(heads[i], tails[i]);
  return [...new Set(ranked.filter((entry) => entry !== undefined))];
}
