/**
 * The nodes of what is left of a document. `size` is the chars a value takes with the white space
 * that is kept; one of which something was dropped has an infinite one. Places are bytes.
 */
import type { Extent } from '../../../model/extent.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';

export interface StringNode {
  readonly kind: 'string';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly head: HeldBytes;
  /** The same as `head` unless the string was too long to be kept. */
  readonly tail: HeldBytes;
}

interface ScalarNode {
  readonly kind: 'scalar';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly source: HeldBytes;
}

export interface ContainerNode {
  readonly kind: 'array' | 'object';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  /** Holds the opening bracket, and the closing one. */
  readonly opening: HeldBytes;
  readonly closing: HeldBytes;
  readonly count: number;
  /** What its brackets take. */
  readonly frameSize: number;
  /** The highest number of our reserved key that it uses itself. */
  readonly reserved: number;
  readonly entries: readonly Entry[];
  /** Where the first entry begins and where the closing bracket is. */
  readonly first: Extent;
  readonly close: Extent;
}

export type Node = StringNode | ScalarNode | ContainerNode;

export interface ValueEntry {
  readonly kind: 'value';
  readonly index: number;
  readonly start: Extent;
  readonly next: Extent;
  /** Holds the key. */
  readonly leading: HeldBytes;
  /** Holds the comma. */
  readonly trailing: HeldBytes;
  readonly keySize: number;
  /** What follows the value: its comma, and white space. */
  readonly trailSize: number;
  readonly unusual: number | null;
  /** Whether it is called an error and is not empty, or holds something that is. */
  readonly hasError: boolean;
  /** Whether it is what a record says in words: its message, its title. */
  readonly isMessage: boolean;
  readonly node: Node;
}

interface DroppedEntry {
  readonly kind: 'dropped';
  readonly count: number;
  readonly start: Extent;
  readonly next: Extent;
}

export type Entry = ValueEntry | DroppedEntry;
