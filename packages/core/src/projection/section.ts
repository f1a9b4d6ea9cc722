/**
 * What the projection stage works on: the content parts of one output, in order, each text part with the selector that watched it
 * stream by. A part that is not text has no selector; it stays in place or is described.
 */
import type { PartRecord } from '../model/part.ts';
import type { Selection } from '../model/selection.ts';
import type { Selector } from '../model/strategy.ts';

export interface Section {
  readonly part: PartRecord;
  readonly selector: Selector | null;
}

/** A text part with what is kept of it. */
export interface TextView {
  readonly kind: 'text';
  readonly part: PartRecord;
  readonly selector: Selector;
  readonly selection: Selection;
  /** How markers call it, where there are several to tell apart. */
  readonly from: string | null;
  readonly labelled: boolean;
}

/** A part that is not text. */
interface OtherView {
  readonly kind: 'other';
  readonly part: PartRecord;
}

/** Parts in a row of which nothing is shown. */
interface CollapsedView {
  readonly kind: 'collapsed';
  readonly parts: readonly PartRecord[];
}

export type View = TextView | OtherView | CollapsedView;
