/**
 * A start tag that is too long: long values are cut inside their quotes; if that is not enough, or
 * a value has no quotes, the last attributes are left out. Whatever is kept is a whole tag. Units:
 * chars.
 */
import { allocate } from '../../../text/allocate.ts';
import { xmlGap } from '../../../wording/xml-gap.ts';
import { type Cuttable, cutInside, cutPrice } from './cuts.ts';
import type { XmlRuns } from './runs.ts';
import { type Attribute, attributeAt, nameEnd } from './tags.ts';
import type { ElementNode } from './tree.ts';

/** The least that is shown of a value that is cut, beside the marker. */
const LEAST_VALUE = 16;
/** A space, a slash and the bracket. */
const LONGEST_END = 4;

interface Sized {
  readonly attribute: Attribute;
  readonly size: number;
  /** What it takes when it is cut. */
  readonly least: number;
}

/** What a start tag takes at the least. */
export function leastTag(node: ElementNode): number {
  return Math.min(node.tagSize, nameEnd(node.tag.bytes, 1) + dropPrice(node));
}

/** Shows a start tag within a budget; tells what it took. */
export function writeTag(
  node: ElementNode,
  budget: number,
  allows: Cuttable['allows'],
  runs: XmlRuns,
): number {
  const { tag, tagEnd } = node;
  if (node.tagSize <= budget) {
    runs.keep(tag, tag.start.bytes, tagEnd.bytes);
    return node.tagSize;
  }
  const attributes = attributesOf(node, allows);
  const last = attributes.at(-1)?.attribute.to ?? nameEnd(tag.bytes, 1);
  const isWhole = tag.end === tagEnd.bytes && tag.bytes.length - last <= LONGEST_END;
  if (isWhole && attributes.length === 0) {
    runs.keep(tag, tag.start.bytes, tagEnd.bytes);
    return node.tagSize;
  }
  const shares = allocate(
    Math.max(0, budget - nameEnd(tag.bytes, 1) - LONGEST_END),
    attributes.map(({ size }) => ({ size, limit: Number.POSITIVE_INFINITY, preferred: false })),
  );
  const fits = attributes.every(({ size, least }, at) => (shares[at] ?? 0) >= Math.min(size, least));
  return fits && isWhole
    ? cutValues(node, attributes, shares, allows, runs)
    : dropLast(node, attributes, budget, runs);
}

function attributesOf({ tag }: ElementNode, allows: Cuttable['allows']): Sized[] {
  const found: Sized[] = [];
  for (let at = nameEnd(tag.bytes, 1); ; ) {
    const attribute = attributeAt(tag.bytes, at);
    if (attribute === undefined) return found;
    const chars = charsBetween(tag, at, attribute.to);
    const value = charsBetween(tag, attribute.valueFrom, attribute.valueTo);
    const canBeCut = attribute.quote !== 0 && value > LEAST_VALUE + cutPrice(value);
    const size = allows(tag.bytes.subarray(at, attribute.to)) ? chars : Number.POSITIVE_INFINITY;
    const least = canBeCut ? chars - value + cutPrice(value) + LEAST_VALUE : size;
    found.push({ attribute, size, least });
    at = attribute.to;
  }
}

function cutValues(
  { tag, tagEnd }: ElementNode,
  attributes: readonly Sized[],
  shares: readonly number[],
  allows: Cuttable['allows'],
  runs: XmlRuns,
): number {
  const base = tag.start.bytes;
  let at = base;
  let used = nameEnd(tag.bytes, 1) + LONGEST_END;
  attributes.forEach(({ attribute, size }, i) => {
    const share = Math.min(size, shares[i] ?? 0);
    used += share;
    if (size <= share) return;
    const from = base + attribute.valueFrom;
    const to = base + attribute.valueTo;
    const outside = charsBetween(tag, attributeStart(attributes, i, tag.bytes), attribute.valueFrom) + 1;
    runs.keep(tag, at, from);
    cutInside({ head: tag, tail: tag, from, to, references: true, allows }, share - outside, runs);
    at = to;
  });
  runs.keep(tag, at, tagEnd.bytes);
  return used;
}

/** Where an attribute begins, with the space before it. */
function attributeStart(attributes: readonly Sized[], at: number, tag: Uint8Array): number {
  return attributes[at - 1]?.attribute.to ?? nameEnd(tag, 1);
}

/** The marker closes the tag. */
function dropLast(node: ElementNode, attributes: readonly Sized[], budget: number, runs: XmlRuns): number {
  const { tag, tagEnd, slashed } = node;
  const base = tag.start.bytes;
  const marker = dropPrice(node);
  let end = nameEnd(tag.bytes, 1);
  let used = end + marker;
  for (const { attribute, size } of attributes) {
    if (used + size > budget) break;
    used += size;
    end = attribute.to;
  }
  runs.keep(tag, base, base + end);
  const from = tag.extentAt(base + end);
  const closing = slashed ? 2 : 1;
  runs.omit(from, tagEnd, {
    unit: 'char',
    count: tagEnd.chars - from.chars - closing,
    slot: slashed ? 'tag/' : 'tag',
  });
  return used;
}

function dropPrice({ tag, tagEnd, slashed }: ElementNode): number {
  const count = tagEnd.chars - tag.start.chars;
  return xmlGap({ unit: 'char', count, slot: slashed ? 'tag/' : 'tag' }).length;
}

function charsBetween(tag: ElementNode['tag'], from: number, to: number): number {
  const base = tag.start.bytes;
  return tag.extentAt(base + to).chars - tag.extentAt(base + from).chars;
}
