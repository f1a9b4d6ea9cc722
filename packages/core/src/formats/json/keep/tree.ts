/**
 * What is left of a document as a tree: containers with the entries that are still known and runs
 * of entries that are only counted. Raw bytes, which are known to be valid, are parsed here one
 * level at a time: what is shown whole or not at all is never looked into (raw-container.ts).
 * `size` is the chars a value takes with the white space that is kept; one of which something was
 * dropped has an infinite one. Containers nested deeper than can be shown are left unparsed.
 */
import type { HeldBytes } from '../../../text/held-bytes.ts';
import type { Child, Frame } from './children.ts';
import { isMessageKey, saysFailure } from './failing.ts';
import type { ContainerNode, Entry, Node, ValueEntry } from './nodes.ts';
import { frameSize, rawEntry } from './raw-container.ts';
import { sizeOf } from './skim.ts';
import type { Spacing } from './spacing.ts';
import { memberValue } from './tokens.ts';

/**
 * The entries of a frame: its head, what is unusual, its tail, and runs of dropped ones between
 * them.
 */
export function entriesOf(frame: Frame, spacing: Spacing = 'none'): Entry[] {
  const kept = new Map<number, Child>();
  for (const child of [...frame.head, ...frame.unusual, ...frame.tail]) kept.set(child.index, child);
  const ranks = new Map(frame.unusual.map((child, rank) => [child.index, rank]));
  const entries: Entry[] = [];
  const ordered = [...kept.values()].sort((a, b) => a.index - b.index);
  ordered.forEach((child, i) => {
    const before = ordered[i - 1];
    if (before !== undefined && before.index + 1 < child.index) {
      const count = child.index - before.index - 1;
      entries.push({ kind: 'dropped', count, start: before.end, next: child.start });
    }
    entries.push(entryOf(child, ranks.get(child.index) ?? null, frame.isArray, spacing));
  });
  return entries;
}

function entryOf(child: Child, unusual: number | null, inArray: boolean, spacing: Spacing): ValueEntry {
  if (child.kind === 'raw') {
    const { index, source, start, end } = child;
    return rawEntry(source, { index, start, next: end, unusual, inArray, depth: 0, spacing });
  }
  const { index, start, end: next } = child;
  if (child.kind === 'long') {
    const from = inArray ? start.bytes : valueStart(child.prefix, start.bytes);
    const to = valueEndBefore(child.suffix);
    const node: Node =
      child.prefix.at(from) === 0x22 && !child.opaque
        ? { kind: 'string', from, to, size: Number.POSITIVE_INFINITY, head: child.prefix, tail: child.suffix }
        : { kind: 'scalar', from, to, size: Number.POSITIVE_INFINITY, source: child.prefix };
    return {
      kind: 'value',
      index,
      start,
      next,
      leading: child.prefix,
      trailing: child.suffix,
      keySize: from - start.bytes,
      trailSize: sizeIn(child.suffix, to, child.suffix.end, spacing),
      unusual,
      hasError: !inArray && saysFailure(child.prefix.bytes, 0),
      isMessage: !inArray && isMessageKey(child.prefix.bytes, 0),
      node,
    };
  }
  const { lead, trail, frame } = child;
  const bracket = inArray ? start.bytes : valueStart(lead, start.bytes);
  const close = trail.start;
  const node: ContainerNode = {
    kind: frame.isArray ? 'array' : 'object',
    from: bracket,
    to: close.bytes + 1,
    size: Number.POSITIVE_INFINITY,
    opening: lead,
    closing: trail,
    count: frame.count,
    reserved: frame.reserved,
    frameSize: frameSize(bracket, lead.end, spacing),
    entries: entriesOf(frame, spacing),
    first: lead.extentAt(lead.end),
    close,
  };
  return {
    kind: 'value',
    index,
    start,
    next,
    leading: lead,
    trailing: trail,
    keySize: bracket - start.bytes,
    trailSize: sizeIn(trail, close.bytes + 1, trail.end, spacing),
    unusual,
    hasError: (!inArray && saysFailure(lead.bytes, 0)) || node.entries.some(isErrorEntry),
    isMessage: false,
    node,
  };
}

function isErrorEntry(entry: Entry): boolean {
  return entry.kind === 'value' && entry.hasError;
}

/** Behind a key and its colon. */
function valueStart(source: HeldBytes, start: number): number {
  const base = source.start.bytes;
  return base + memberValue(source.bytes, start - base);
}

function sizeIn(source: HeldBytes, from: number, to: number, spacing: Spacing): number {
  const base = source.start.bytes;
  return sizeOf(source.bytes, from - base, to - base, spacing);
}

/** Before the comma and white space that end a source. */
function valueEndBefore(source: HeldBytes): number {
  let end = source.end;
  while (end > source.start.bytes && isSpaceOrComma(source.at(end - 1))) end--;
  return end;
}

function isSpaceOrComma(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x2c;
}
