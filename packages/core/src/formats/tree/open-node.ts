/** A choice in a tree: how each row is shown, and the containers of which children are chosen. */
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';

/** Whole, cut to some chars, or opened. Rows below a whole one are not in it. */
export type Shown = ReadonlyMap<number, number | OpenNode>;

export interface Tag {
  /** The first ones, whole or cut. */
  readonly attributes: readonly number[];
  readonly cuts: ReadonlyMap<number, number>;
  /** Only parts of values are omitted. */
  readonly isWhole: boolean;
  readonly price: number;
}

/** Paths to a node and its children, unless too long. */
export interface NodeAddress {
  readonly path: string | null;
  readonly children: ((from: number, to: number) => string) | null;
  readonly isPlain: boolean;
}

const NO_TAG: Tag = { attributes: [], cuts: new Map(), isWhole: true, price: 0 };

export class OpenNode {
  readonly row: number;
  readonly up: OpenNode | null;
  readonly depth: number;
  readonly worth: number;
  /** Without attributes. */
  readonly children: readonly number[];
  readonly kept: number[] = [];
  tag = NO_TAG;
  address: NodeAddress | undefined;
  /** Chars for the names of children that are left out. */
  readonly namesRoom: number;
  /** Spent so far, and the cap while siblings wait. */
  spent = 0;
  cap = Number.POSITIVE_INFINITY;
  isList = false;
  order: readonly Ranked[] = [];
  turn = 0;
  /** Set if so few stand out that each may exceed its part. */
  few: ReadonlySet<number> = new Set();
  dull: ReadonlySet<number> | null = null;

  constructor(table: TreeTable, row: number, up: OpenNode | null, worth: number, namesRoom: number) {
    this.row = row;
    this.up = up;
    // In XML the document is not a level.
    this.depth =
      up === null
        ? (table.kind[table.rows > 1 ? 1 : 0] as number) >= Kind.element && row === 0
          ? -1
          : 0
        : up.depth + 1;
    this.worth = worth;
    this.children = table.kind[row] === Kind.element ? table.contents(row) : table.children(row);
    this.namesRoom = namesRoom;
  }
}

export interface Ranked {
  readonly row: number;
  readonly odd: number;
}
