/**
 * Embedded JSON as one unit: shown as it stands if it fits, else as `element` shows a document.
 * Units: chars as rendered.
 */
import { Chooser, optionsFrom } from '../../formats/tree/choose.ts';
import { Layout, type Shown, type TreeGrammar, WHOLE } from '../../formats/tree/layout.ts';
import { TreeWriter } from '../../formats/tree/write.ts';
import type { Policy } from '../../model/policy.ts';
import type { KeptLines } from '../../model/strategy.ts';
import { Standings } from '../../table/tree/standing.ts';
import { CoverBuilder } from '../../text/cover.ts';
import { jsonGap } from '../../wording/json-gap.ts';
import type { EmbeddedBlock } from './embedded.ts';

export interface BlockChoice {
  readonly block: EmbeddedBlock;
  readonly priority: number;
  readonly shown: number;
  readonly lines: number;
  readonly isCut: boolean;
  write(cover: CoverBuilder): void;
}

export interface BlockRoom {
  readonly chars: number;
  /** `one`: counts as one line. */
  readonly lines: 'one' | 'any';
  readonly priority: number;
}

/** In less, nothing of a value can be shown. */
const LEAST_CHARS = 60;
/** The only value of its table. */
const ROOT = 1;
/** Gaps inside embedded JSON have no path. */
const GRAMMAR: TreeGrammar = { isXml: false, mark: jsonGap };

/** Null if the room is too small. */
export function blockChoice(block: EmbeddedBlock, room: BlockRoom, policy: Policy): BlockChoice | null {
  const { start, end, from, to, table } = block;
  const beside = from.chars - start.chars + end.chars - to.chars;
  const budget = room.chars - beside;
  const isOneLine = to.breaks === from.breaks;
  const isHeld = table.isHeld(table.start[ROOT] as number, table.end[ROOT] as number);
  const isWhole = isHeld && to.chars - from.chars <= budget && (room.lines === 'any' || isOneLine);
  if (!isWhole && budget <= LEAST_CHARS) return null;
  const layout = new Layout(table, GRAMMAR, isWhole ? 'exact' : 'none', budget);
  const shown: Shown = isWhole
    ? new Map([[ROOT, WHOLE]])
    : new Chooser(layout, optionsFrom(policy), new Standings(table), budget).choose(ROOT);
  const written = writeValue(new CoverBuilder(), block, layout, shown);
  if (written.chars > budget) return null;
  return {
    block,
    priority: room.priority,
    lines: from.breaks - start.breaks + written.breaks + 1,
    shown: beside + written.chars,
    isCut: !isWhole && shown.get(ROOT) !== WHOLE,
    write(cover) {
      cover.keep(start, from, endsWithBreak(block.lead));
      writeValue(cover, block, layout, shown);
      cover.keep(to, end, endsWithBreak(block.trail));
    },
  };
}

function writeValue(cover: CoverBuilder, block: EmbeddedBlock, layout: Layout, shown: Shown): TreeWriter {
  const writer = new TreeWriter(layout, shown, cover, block.from);
  writer.value(ROOT);
  return writer;
}

function endsWithBreak(bytes: Uint8Array): boolean {
  const last = bytes[bytes.length - 1];
  return last === 10 || last === 13;
}

export function blockReason({ block, priority }: BlockChoice): KeptLines {
  const { start, end } = block;
  return {
    firstLine: start.breaks + 1,
    lastLine: Math.max(start.breaks + 1, end.breaks),
    chars: end.chars - start.chars,
    causes: [{ cause: 'structured data', score: Math.round(priority * 10) / 10 }],
  };
}
