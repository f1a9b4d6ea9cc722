/**
 * Decides what of a document is shown within a budget. The budget goes down the tree by need: what
 * is small is shown whole, what is large gets a share and is cut inside. Of an array the first, the
 * last, those that tell of an error and the unusual items are kept before the average ones; of an
 * object what tells of an error, then small members before large ones, in their order. Units: chars
 * as rendered.
 */
import { FIELDS, type Policy } from '../../../model/policy.ts';
import type { OmittedThings } from '../../../model/selection.ts';
import { allocate } from '../../../text/allocate.ts';
import { jsonGap } from '../../../wording/json-gap.ts';
import { nameOf, pathStep } from '../find/label.ts';
import type { ContainerNode, Entry, Node, ValueEntry } from './nodes.ts';
import { reservedKey } from './reserved.ts';
import type { Runs } from './runs.ts';
import { cutString } from './strings.ts';
import { stringEnd } from './tokens.ts';

/** What entries belong to: an array, an object, or the lines of a text. */
type Slot = 'item' | 'member' | 'line';

export interface ChooseOptions {
  readonly first: number;
  readonly last: number;
  /** Whether more than the first and last ones may be shown while there is room. */
  readonly fill: boolean;
  readonly maxDepth: number;
}

/** As the policy has it: unless a number of items is asked for, as many as there is room for. */
export function optionsFrom(policy: Policy): ChooseOptions {
  const { firstElements: first, lastElements: last, maxDepth } = policy;
  const fill = first === FIELDS.firstElements.default && last === FIELDS.lastElements.default;
  return { first, last, fill, maxDepth: maxDepth ?? Number.POSITIVE_INFINITY };
}

/** An item is given at least this much, or what it needs, before another one is added. */
const COMFORT_CHARS = 80;
const MOST_UNUSUAL = 24;
const MOST_WITH_ERRORS = 3;
/**
 * What the first thing that tells of an error gets of its siblings' room, if it needs that much: as
 * much as whoever is preferred.
 */
const ERROR_SHARE = 0.6;
const QUOTE = 0x22;
/** A longer path takes more room than it is worth. */
const LONGEST_PATH = 60;

export class Chooser {
  readonly #runs: Runs;
  readonly #options: ChooseOptions;

  constructor(runs: Runs, options: ChooseOptions) {
    this.#runs = runs;
    this.#options = options;
  }

  /** Shows a value within a budget. `path`: what leads to it; null where nothing can be asked for. */
  value(node: Node, budget: number, depth: number, path: string | null = null): void {
    const { maxDepth } = this.#options;
    if (node.size <= budget && depth + heightOf(node, maxDepth - depth) <= maxDepth) {
      this.#whole(node);
    } else if (node.kind === 'string') {
      cutString(node, budget, this.#runs);
    } else if (node.kind === 'scalar') {
      this.#runs.keep(node.source, node.from, node.to);
    } else {
      this.#container(node, budget, depth, path);
    }
  }

  /** The entries of the text itself, one after the other (several only where lines are values). */
  top(entries: readonly Entry[], budget: number): void {
    const chosen = this.#chooseItems(entries, budget);
    const shares = sharesOf(
      chosen,
      budget - gapCosts(entries, chosen, '', 'line'),
      firstReporting(entries, 'line'),
    );
    // Several values are read as one array.
    const path = planOf(entries).count > 1 ? '$' : null;
    this.#entries(entries, shares, { slot: 'line', depth: 0, key: '', path });
  }

  #whole(node: Node): void {
    if (node.kind === 'string') this.#runs.keep(node.head, node.from, node.to);
    else if (node.kind === 'scalar') this.#runs.keep(node.source, node.from, node.to);
    else this.#runs.tokens(node.opening, node.from, node.to);
  }

  #container(node: ContainerNode, budget: number, depth: number, path: string | null): void {
    const { entries, opening, closing, first, close } = node;
    const slot = node.kind === 'array' ? 'item' : 'member';
    const room = budget - node.frameSize;
    const key = reservedKey(node.reserved);
    const chosen =
      depth >= this.#options.maxDepth
        ? []
        : node.kind === 'array'
          ? this.#chooseItems(entries, room)
          : this.#chooseMembers(entries, room, key);
    const shares = sharesOf(
      chosen,
      room - gapCosts(entries, chosen, key, slot),
      firstReporting(entries, slot),
    );
    this.#runs.tokens(opening, node.from, first.bytes);
    if (entries.length === 0 && node.count > 0) {
      // Nested too deep to have been looked at.
      this.#runs.omit(first, close, {
        unit: slot === 'item' ? 'item' : 'key',
        count: node.count,
        slot,
        of: key,
      });
    } else {
      this.#entries(entries, shares, { slot, depth: depth + 1, key, path });
    }
    this.#runs.keep(closing, close.bytes, close.bytes + 1);
  }

  /** Writes entries in order: those with a share, and gaps for the rest. */
  #entries(
    entries: readonly Entry[],
    shares: ReadonlyMap<Entry, number>,
    { slot, depth, key, path }: Surroundings,
  ): void {
    let before = 0;
    const lastGap = entries.findLastIndex((entry) => !shares.has(entry));
    const omitted = planOf(entries).count - shares.size;
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as Entry;
      const share = shares.get(entry);
      if (entry.kind === 'value' && share !== undefined) {
        this.#entry(entry, share, slot, depth, pathTo(entry, slot, path));
        before++;
        continue;
      }
      let end = at;
      while (end < lastGap && !shares.has(entries[end + 1] as Entry)) end++;
      const gap = {
        count: countAll(entries.slice(at, end + 1)),
        omitted,
        follows: end + 1 < entries.length,
        isLast: end === lastGap,
      };
      const things = thingsOf(gap, slot, key);
      const items = slot === 'item' ? itemsPath(path, before, gap.count) : null;
      this.#runs.omit(
        entry.start,
        (entries[end] as Entry).next,
        items === null ? things : { ...things, foundBy: ['json_path', items] },
      );
      before += gap.count;
      at = end;
    }
  }

  #entry(entry: ValueEntry, share: number, slot: Slot, depth: number, path: string | null): void {
    const { node, leading, trailing } = entry;
    this.#runs.tokens(leading, entry.start.bytes, node.from);
    this.value(node, share - entry.keySize - entry.trailSize, depth, path);
    if (slot === 'line') this.#runs.lineEnd(trailing, node.to, entry.next.bytes);
    else this.#runs.tokens(trailing, node.to, entry.next.bytes);
  }

  #chooseItems(entries: readonly Entry[], budget: number): ValueEntry[] {
    const plan = planOf(entries);
    const { values, reporting: withErrors } = plan;
    plan.ranked ??= this.#rank(plan);
    const marker = markerCost(entries, '', 'item');
    const comfort = Math.max(COMFORT_CHARS, Math.floor(budget / 12));
    const chosen = new Map<ValueEntry, number>();
    let left = budget - marker;
    for (const entry of plan.ranked) {
      // An item away from both ends splits a gap in two.
      const split = entry.unusual === null && !entry.hasError ? 0 : marker;
      const cost = costOf(entry, entry === withErrors[0] ? Math.max(comfort, budget * ERROR_SHARE) : comfort);
      if (cost + split > left) continue;
      chosen.set(entry, cost);
      left -= cost + split;
    }
    leaveOutLast(chosen, (kept) => budget - gapCosts(entries, kept, '', 'item'));
    return values.filter((entry) => chosen.has(entry));
  }

  /** In the order in which items earn their place. */
  #rank({ values, reporting }: Plan): ValueEntry[] {
    const { first, last, fill } = this.#options;
    const heads = values.slice(0, fill ? values.length : first);
    const tails = values.slice(Math.max(0, values.length - (fill ? values.length : last))).reverse();
    const unusual = values
      .filter((entry) => entry.unusual !== null)
      .sort((a, b) => (a.unusual ?? 0) - (b.unusual ?? 0))
      .slice(0, MOST_UNUSUAL);
    const withErrors = reporting.slice(0, MOST_WITH_ERRORS);
    const ends = [heads[0], tails[0]];
    const ranked: (ValueEntry | undefined)[] = [
      withErrors[0],
      ...ends,
      ...withErrors,
      ...unusual.slice(0, 8),
    ];
    for (let i = 1; i < Math.max(first, last); i++)
      ranked.push(i < first ? heads[i] : undefined, i < last ? tails[i] : undefined);
    ranked.push(...unusual.slice(8));
    for (let i = Math.min(first, last); fill && i < values.length; i++) ranked.push(heads[i], tails[i]);
    return [...new Set(ranked.filter((entry) => entry !== undefined))];
  }

  #chooseMembers(entries: readonly Entry[], budget: number, key: string): readonly ValueEntry[] {
    const { values } = planOf(entries);
    const comfort = Math.max(COMFORT_CHARS, Math.floor(budget / 8));
    const wanted = values.reduce((sum, entry) => sum + costOf(entry, comfort), 0);
    const dropped = entries.length > values.length;
    if (wanted <= budget && !dropped) return values;
    const chosen = new Set<ValueEntry>();
    let left = budget - markerCost(entries, key, 'member');
    const withErrors = values.filter((entry) => entry.hasError);
    const small = values.filter((entry) => entry.node.size <= COMFORT_CHARS);
    const large = values.filter((entry) => entry.node.size > COMFORT_CHARS);
    const messages = values.filter((entry) => entry.isMessage);
    for (const entry of new Set([...withErrors, ...messages, ...small, ...large])) {
      const cost = costOf(entry, entry === withErrors[0] ? Math.max(comfort, budget * ERROR_SHARE) : comfort);
      if (cost > left) continue;
      chosen.add(entry);
      left -= cost;
    }
    return values.filter((entry) => chosen.has(entry));
  }
}

/**
 * Leaves out the last of some entries, which know their price, until the others fit: else all of
 * them would be cut.
 */
function leaveOutLast(
  chosen: Map<ValueEntry, number>,
  roomFor: (kept: readonly ValueEntry[]) => number,
): void {
  let price = [...chosen.values()].reduce((sum, cost) => sum + cost, 0);
  for (const [entry, cost] of [...chosen].reverse()) {
    if (price <= roomFor([...chosen.keys()])) return;
    chosen.delete(entry);
    price -= cost;
  }
}

/** The items that tell of an error; none where most do: they are what the array is a list of. */
function reportingItems(values: readonly ValueEntry[]): readonly ValueEntry[] {
  const reporting = values.filter((entry) => entry.hasError);
  return reporting.length * 2 > Math.max(values.length, 2) ? [] : reporting;
}

function firstReporting(entries: readonly Entry[], slot: Slot): ValueEntry | undefined {
  const { values, reporting } = planOf(entries);
  return slot === 'member' ? values.find(({ hasError }) => hasError) : reporting[0];
}

/** What of a container does not depend on the room: it is asked for with each attempt. */
interface Plan {
  readonly values: readonly ValueEntry[];
  /** All entries, those that are dropped included. */
  readonly count: number;
  /** The items that tell of an error. */
  readonly reporting: readonly ValueEntry[];
  /** In the order in which items earn their place: the same for all attempts under one policy. */
  ranked: readonly ValueEntry[] | null;
}

const plans = new WeakMap<readonly Entry[], Plan>();

function planOf(entries: readonly Entry[]): Plan {
  const known = plans.get(entries);
  if (known !== undefined) return known;
  const values = entries.filter((entry) => entry.kind === 'value');
  const plan = { values, count: countAll(entries), reporting: reportingItems(values), ranked: null };
  plans.set(entries, plan);
  return plan;
}

/** What entries stand in. */
interface Surroundings {
  readonly slot: Slot;
  readonly depth: number;
  /** The reserved key of the object. */
  readonly key: string;
  readonly path: string | null;
}

/** What leads to an entry. */
function pathTo({ index, leading, start, node }: ValueEntry, slot: Slot, path: string | null): string | null {
  if (slot === 'line') return path === null ? '$' : `${path}[${index}]`;
  if (path === null || path.length > LONGEST_PATH) return null;
  if (slot === 'item') return path + pathStep(index);
  const name = nameOf(keyIn(leading.slice(start.bytes, node.from)));
  return path + (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : pathStep(name));
}

/** A key in its quotes, of what stands before a value. */
function keyIn(leading: Uint8Array): Uint8Array {
  const from = leading.indexOf(QUOTE);
  return leading.subarray(from, stringEnd(leading, from));
}

/** `$.items[3:118]` */
function itemsPath(path: string | null, from: number, count: number): string | null {
  const items = `${path}[${from}:${from + count}]`;
  return path === null || items.length > LONGEST_PATH ? null : items;
}

interface Gap {
  readonly count: number;
  /** What all gaps of the container left out together. */
  readonly omitted: number;
  readonly follows: boolean;
  readonly isLast: boolean;
}

/** An object has one reserved key, at its last gap, that speaks for all: the others are silent. */
function thingsOf({ count, omitted, follows, isLast }: Gap, slot: Slot, key: string): OmittedThings {
  if (slot === 'line') return { unit: 'item', count, slot };
  if (slot === 'item') return { unit: 'item', count, slot: follows ? 'item,' : 'item' };
  if (!isLast) return { unit: 'key', count: 0, slot: 'silent' };
  return { unit: 'key', count: omitted, slot: follows ? 'member,' : 'member', of: key };
}

/** Levels of nesting below a node, as far as it matters. */
function heightOf(node: Node, most: number): number {
  if (most === Number.POSITIVE_INFINITY || (node.kind !== 'array' && node.kind !== 'object')) return 0;
  if (most < 0) return 1;
  return (
    1 +
    Math.max(0, ...node.entries.map((entry) => (entry.kind === 'value' ? heightOf(entry.node, most - 1) : 0)))
  );
}

/** What an entry takes at first: all of it if it is small, else what makes it worth showing. */
function costOf(entry: ValueEntry, comfort: number): number {
  const least = entry.node.kind === 'scalar' ? entry.node.size : comfort;
  return entry.keySize + Math.min(entry.node.size, least) + entry.trailSize;
}

/** What is left over goes to those that need more. */
function sharesOf(
  chosen: readonly ValueEntry[],
  budget: number,
  withError: ValueEntry | undefined,
): Map<Entry, number> {
  const needs = chosen.map((entry) => ({
    size: entry.keySize + entry.node.size + entry.trailSize,
    limit: Number.POSITIVE_INFINITY,
    preferred: entry === withError,
  }));
  const shares = allocate(Math.max(0, budget), needs);
  return new Map(chosen.map((entry, i) => [entry, shares[i] ?? 0]));
}

function gapCosts(entries: readonly Entry[], chosen: readonly ValueEntry[], key: string, slot: Slot): number {
  const kept = new Set<Entry>(chosen);
  let gaps = 0;
  let isBefore = true;
  for (const entry of entries) {
    const isKept = kept.has(entry);
    if (!isKept && isBefore) gaps++;
    isBefore = isKept;
  }
  return (slot === 'member' ? Math.min(1, gaps) : gaps) * markerCost(entries, key, slot);
}

function markerCost(entries: readonly Entry[], key: string, slot: Slot): number {
  const { count } = planOf(entries);
  return jsonGap({
    unit: slot === 'member' ? 'key' : 'item',
    count,
    slot: slot === 'line' ? 'line' : `${slot},`,
    of: key,
  }).length;
}

function countAll(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + (entry.kind === 'dropped' ? entry.count : 1), 0);
}
