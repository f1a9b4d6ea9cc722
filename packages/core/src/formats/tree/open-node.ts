/** A choice in a tree: how each row is shown, and the containers of which children are chosen. */
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';

/** How rows are shown: whole, cut to so many chars, or opened. Rows below a whole one are not in it. */
export type Shown = ReadonlyMap<number, number | OpenNode>;

/** What is shown of a start tag. */
export interface Tag {
  /** The first ones, each whole or cut to so many chars. */
  readonly attributes: readonly number[];
  readonly cuts: ReadonlyMap<number, number>;
  /** Whether nothing but parts of values is left out. */
  readonly isWhole: boolean;
  readonly price: number;
}

/** The path to a node; and to some of its children, unless that is too long to be written. */
export interface NodeAddress {
  readonly path: string | null;
  readonly children: ((from: number, to: number) => string) | null;
  /** Whether it may stand in a marker. */
  readonly isPlain: boolean;
}

const NO_TAG: Tag = { attributes: [], cuts: new Map(), isWhole: true, price: 0 };

/** A container of which children are chosen. */
export class OpenNode {
  readonly row: number;
  readonly up: OpenNode | null;
  readonly depth: number;
  readonly worth: number;
  /** All children that are known, without attributes. */
  readonly children: readonly number[];
  /** Shown, in their order. */
  readonly kept: number[] = [];
  tag = NO_TAG;
  /** Where it is, once that was asked for. */
  address: NodeAddress | undefined;
  /** Chars for the names of children that are left out. */
  readonly namesRoom: number;
  /** What is spent in it, and may be while its siblings wait. */
  spent = 0;
  cap = Number.POSITIVE_INFINITY;
  isList = false;
  order: readonly Ranked[] = [];
  turn = 0;
  /** Items that stand out, if they are so few that each may take more than its part. */
  few: ReadonlySet<number> = new Set();
  dull: ReadonlySet<number> | null = null;

  constructor(table: TreeTable, row: number, up: OpenNode | null, worth: number, namesRoom: number) {
    this.row = row;
    this.up = up;
    // The document itself is no level of XML.
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

/** A child of a list in the order in which it earns its place, and how far it stands out. */
export interface Ranked {
  readonly row: number;
  readonly odd: number;
}
