/**
 * Decides what of a text is shown within a budget. The budget goes down the tree by need: what is
 * small is shown whole, what is large gets a share and is cut inside. Of many siblings the first,
 * the last and the unusual are kept before the average ones; of a few that are each something else,
 * small ones before large ones. Scripts, styles and comments come last. Units: chars as rendered.
 */
import { allocate } from '../../../text/allocate.ts';
import { xmlGap } from '../../../wording/xml-gap.ts';
import { cutInside, cutPrice } from './cuts.ts';
import { html } from './html.ts';
import { rank } from './rank.ts';
import type { XmlRuns } from './runs.ts';
import { leastTag, writeTag } from './start-tag.ts';
import {
  blankSize,
  type ElementNode,
  type Entry,
  isLeast,
  type LeafNode,
  type Node,
  type NodeEntry,
  type Reading,
} from './tree.ts';

export interface ChooseOptions {
  readonly first: number;
  readonly last: number;
  /** Whether more than the first and last ones may be shown while there is room. */
  readonly fill: boolean;
  readonly maxDepth: number;
  readonly reading: Reading;
}

/** A child is given at least this much, or what it needs, before another one is added. */
const COMFORT_CHARS = 80;
/** Of a tag and what is in it, the tag gets at most this share if both are too long. */
const TAG_SHARE = 0.6;
/** The most of the document that its declaration and type may take. */
const PROLOG_SHARE = 0.25;
const HEAD_SHARE = 0.15;

export class Chooser {
  readonly #runs: XmlRuns;
  readonly #options: ChooseOptions;

  constructor(runs: XmlRuns, options: ChooseOptions) {
    this.#runs = runs;
    this.#options = options;
  }

  /** What stands at the top of the text: of XML one root, and what is around it. */
  document(entries: readonly Entry[], budget: number): void {
    const roots = entries.filter((entry) => entry.kind === 'node' && entry.node.kind === 'element');
    const [root] = roots;
    if (roots.length !== 1 || root?.kind !== 'node' || entries.some((entry) => entry.kind === 'dropped')) {
      this.#children(entries, budget, 0);
      return;
    }
    const prolog = entries.filter((entry) => entry.kind === 'node' && entry !== root) as NodeEntry[];
    const short = prolog.filter(({ node }) => node.size <= budget * PROLOG_SHARE);
    const order = [
      root,
      ...short.filter(({ node }) => !isComment(node)),
      ...short.filter(({ node }) => isComment(node)),
    ];
    const costs = new Map(order.map((entry) => [entry, sizeOf(entry)]));
    costs.set(
      root,
      Math.min(
        sizeOf(root),
        Math.max(this.#leastOf(root.node) + blankSize(root.after), Math.floor(budget / 2)),
      ),
    );
    const chosen = fitting(entries, order, costs, budget);
    // A document without its root would be none.
    chosen.add(root);
    this.#write(entries, this.#sharesOf(entries, chosen, costs, budget), 0);
  }

  #node(node: Node, budget: number, depth: number): void {
    if (node.kind === 'leaf') this.#leaf(node, budget);
    else if (
      node.size <= budget &&
      depth + heightOf(node, this.#options.maxDepth - depth) <= this.#options.maxDepth
    )
      this.#runs.whole(node);
    else this.#element(node, budget, depth);
  }

  #leaf(node: LeafNode, budget: number): void {
    const { head, tail, from, to, is } = node;
    if (node.size <= budget || !isCuttable(node)) {
      this.#runs.keep(head, from, to);
      return;
    }
    const [opening, closing] = is === 'cdata' ? [9, 3] : [0, 0];
    const { allows } = this.#options.reading;
    this.#runs.keep(head, from, from + opening);
    cutInside(
      { head, tail, from: from + opening, to: to - closing, references: is === 'text', allows },
      budget - opening - closing,
      this.#runs,
    );
    this.#runs.keep(tail, to - closing, to);
  }

  #element(node: ElementNode, budget: number, depth: number): void {
    const { tagSize, endSize, entries, close, trail, to } = node;
    const room = budget - endSize - gapPrice(node.entries);
    const content = node.size === Number.POSITIVE_INFINITY ? node.size : node.size - tagSize - endSize;
    const forTag = Math.max(leastTag(node), Math.floor(room * TAG_SHARE), room - content);
    const used = writeTag(node, Math.min(tagSize, forTag), this.#options.reading.allows, this.#runs);
    this.#runs.blank(node.lead);
    this.#children(entries, budget - used - endSize - blankSize(node.lead), depth + 1);
    this.#runs.keep(trail, close.bytes, to);
  }

  #children(entries: readonly Entry[], budget: number, depth: number): void {
    const { maxDepth, reading } = this.#options;
    const nodes = entries.filter((entry) => entry.kind === 'node');
    // Below the deepest level that is wanted text is shown, elements are counted.
    const allowed = depth > maxDepth ? nodes.filter(({ node }) => node.kind === 'leaf') : nodes;
    const ranked = rank(allowed, entries.length > nodes.length, { ...this.#options, markup: reading.markup });
    const comfort = Math.max(COMFORT_CHARS, Math.floor(budget / ranked.parts));
    const costs = new Map(ranked.entries.map((entry) => [entry, this.#costOf(entry, comfort)]));
    const chosen = fitting(entries, ranked.entries, costs, budget);
    this.#write(entries, this.#sharesOf(entries, chosen, costs, budget), depth);
  }

  /** What an entry takes at first: all of it if it is small, else what makes it worth showing. */
  #costOf(entry: NodeEntry, comfort: number): number {
    const { node, unusual } = entry;
    const size = sizeOf(entry);
    if (!isCuttable(node)) return size;
    const least = this.#leastOf(node) + blankSize(entry.after);
    if (isLeast(node, this.#options.reading.markup)) return Math.min(size, least);
    const worth = unusual !== null && unusual < 3 ? comfort * 3 : comfort;
    return Math.min(size, Math.max(worth, least));
  }

  #leastOf(node: Node): number {
    if (node.kind === 'leaf') {
      if (!isCuttable(node)) return node.size;
      return Math.min(node.size, COMFORT_CHARS + cutPrice(node.to - node.from));
    }
    const inside = gapPrice(node.entries);
    return Math.min(node.size, leastTag(node) + inside + blankSize(node.lead) + node.endSize);
  }

  /** What is left over goes to those that need more. */
  #sharesOf(
    entries: readonly Entry[],
    chosen: ReadonlySet<NodeEntry>,
    costs: ReadonlyMap<NodeEntry, number>,
    budget: number,
  ): Map<Entry, number> {
    const { markup } = this.#options.reading;
    const kept = [...chosen];
    const spent = kept.reduce((sum, entry) => sum + (costs.get(entry) ?? 0), 0);
    const left = budget - spent - gapsOf(entries, chosen) * gapPrice(entries);
    const more = allocate(
      Math.max(0, left),
      kept.map((entry) => ({
        size: sizeOf(entry) - (costs.get(entry) ?? 0),
        limit: isLeast(entry.node, markup)
          ? 0
          : markup === 'html' && entry.node.kind === 'element' && html.isHead(entry.node.name)
            ? Math.floor(budget * HEAD_SHARE)
            : Number.POSITIVE_INFINITY,
        preferred: false,
      })),
    );
    return new Map(
      kept.map((entry, at) => [entry, (costs.get(entry) ?? 0) + (more[at] ?? 0) - blankSize(entry.after)]),
    );
  }

  /** Writes entries in order: those with a share, and gaps for the rest. */
  #write(entries: readonly Entry[], shares: ReadonlyMap<Entry, number>, depth: number): void {
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at];
      if (entry === undefined) continue;
      const share = shares.get(entry);
      if (entry.kind === 'node' && share !== undefined) {
        this.#node(entry.node, share, depth);
        this.#runs.blank(entry.after);
        continue;
      }
      let end = at;
      while (end + 1 < entries.length && !shares.has(entries[end + 1] as Entry)) end++;
      this.#gap(entries.slice(at, end + 1), entry, entries[end] ?? entry);
      at = end;
    }
  }

  #gap(run: readonly Entry[], first: Entry, last: Entry): void {
    const elements = elementsOf(run);
    this.#runs.omit(
      first.start,
      last.next,
      elements > 0
        ? { unit: 'element', count: elements, slot: 'element' }
        : { unit: 'char', count: last.next.chars - first.start.chars, slot: 'element' },
    );
  }
}

/** Takes entries in that order while they and the gaps between them fit. */
function fitting(
  entries: readonly Entry[],
  order: readonly NodeEntry[],
  costs: ReadonlyMap<NodeEntry, number>,
  budget: number,
): Set<NodeEntry> {
  const indexOf = new Map<Entry, number>(entries.map((entry, at) => [entry, at]));
  const kept = new Array<boolean>(entries.length).fill(false);
  const isKept = (at: number) => kept[at] ?? true;
  const price = gapPrice(entries);
  const chosen = new Set<NodeEntry>();
  let left = budget - (entries.length > 0 ? price : 0);
  for (const entry of order) {
    const at = indexOf.get(entry) ?? 0;
    // It closes a gap, shortens one, or splits one in two.
    const gaps = 1 - (isKept(at - 1) ? 1 : 0) - (isKept(at + 1) ? 1 : 0);
    const cost = (costs.get(entry) ?? 0) + gaps * price;
    if (cost > left) continue;
    chosen.add(entry);
    kept[at] = true;
    left -= cost;
  }
  return chosen;
}

function gapsOf(entries: readonly Entry[], chosen: ReadonlySet<Entry>): number {
  return entries.filter(
    (entry, at) => !chosen.has(entry) && (at === 0 || chosen.has(entries[at - 1] as Entry)),
  ).length;
}

/** What a marker among them takes at the most. */
function gapPrice(entries: readonly Entry[]): number {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return 0;
  const chars = xmlGap({ unit: 'char', count: last.next.chars - first.start.chars, slot: 'element' });
  const elements = xmlGap({ unit: 'element', count: Math.max(2, elementsOf(entries)), slot: 'element' });
  return Math.max(chars.length, elements.length);
}

function elementsOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => {
    if (entry.kind === 'dropped') return sum + entry.elements;
    return sum + (entry.node.kind === 'element' ? 1 : 0);
  }, 0);
}

function sizeOf({ node, after }: NodeEntry): number {
  return node.size + blankSize(after);
}

function isComment(node: Node): boolean {
  return node.kind === 'leaf' && node.is === 'comment';
}

function isCuttable(node: Node): boolean {
  return node.kind === 'element' || node.is === 'text' || node.is === 'cdata' || node.is === 'raw';
}

/** Levels of elements below a node, as far as it matters. */
function heightOf(node: Node, most: number): number {
  if (most === Number.POSITIVE_INFINITY || node.kind === 'leaf' || node.elements === 0) return 0;
  if (most < 0) return 1;
  return (
    1 +
    Math.max(0, ...node.entries.map((entry) => (entry.kind === 'node' ? heightOf(entry.node, most - 1) : 0)))
  );
}
