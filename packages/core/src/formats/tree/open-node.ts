/** A choice in a tree: how each row is shown, and the containers of which children are chosen. */
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';

/** How rows are shown: whole, cut to so many chars, or opened. Rows below a whole one are not in it. */
export type Shown = ReadonlyMap<number, number | OpenNode>;

/** A container of which children are chosen. */
export class OpenNode {
  readonly row: number;
  readonly up: OpenNode | null;
  readonly depth: number;
  readonly worth: number;
  /** All children that are known, those before `content` being attributes. */
  readonly children: readonly number[];
  readonly content: number;
  /** Shown, in their order. */
  readonly kept: number[] = [];
  readonly attributes: number[] = [];
  /** Chars for the names of children that are left out, and what all their names take. */
  readonly namesRoom: number;
  unnamed = 0;
  /** What is spent in it, and may be while its siblings wait. */
  spent = 0;
  cap = Number.POSITIVE_INFINITY;
  isList = false;
  order: readonly Ranked[] = [];
  turn = 0;
  dull: ReadonlySet<number> | null = null;

  constructor(table: TreeTable, row: number, up: OpenNode | null, worth: number, namesRoom: number) {
    this.row = row;
    this.up = up;
    this.depth = up === null ? 0 : up.depth + 1;
    this.worth = worth;
    this.children = table.children(row);
    this.namesRoom = namesRoom;
    let content = 0;
    while (content < this.children.length && table.kind[this.children[content] as number] === Kind.attribute)
      content++;
    this.content = content;
  }
}

/** A child of a list in the order in which it earns its place, and how far it stands out. */
export interface Ranked {
  readonly row: number;
  readonly odd: number;
}
