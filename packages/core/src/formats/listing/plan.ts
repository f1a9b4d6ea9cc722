/**
 * In which order a listing is shown: level by level; where a level does not fit, entries of all its
 * folders in turn.
 */
import type { UnitChoice } from '../../model/line-grammar.ts';
import type { Policy } from '../../model/policy.ts';
import { inTurns, outerFirst } from '../by-line/order.ts';

/**
 * Of the share, what whole levels may take: below the last one, something of the next is to be
 * seen.
 */
const LEVELS_SHARE = 0.85;

/** `underFolders`: entries stand below a line with their folder, and mean nothing without it. */
export function planListing(choice: UnitChoice, { maxDepth }: Policy, underFolders: boolean): void {
  const folderLines = new Map<number, number>();
  const levels = new Map<number, number[]>();
  choice.units.forEach((unit, index) => {
    if (!unit.isWhole || unit.role === 'blank') return;
    if (unit.role === 'folder') folderLines.set(unit.group, index);
    // The line of a folder comes after the entries it stands among, and before those below it.
    const depth = unit.depth + (unit.role === 'folder' ? 0.5 : 0);
    const level = levels.get(depth) ?? [];
    levels.set(depth, level);
    level.push(index);
  });
  const bundle = (index: number): number[] => {
    const group = choice.units[index]?.group ?? 0;
    const folder = folderLines.get(group);
    if (folder === undefined) return underFolders && group > 0 ? [] : [index];
    return folder === index ? [index] : [folder, index];
  };
  const most = choice.chars + (choice.share.chars - choice.chars) * LEVELS_SHARE;
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    if (maxDepth !== null && level > maxDepth) break;
    const indices = levels.get(level) ?? [];
    if (choice.add(indices.flatMap(bundle), most)) continue;
    sample(choice, indices, bundle);
  }
  choice.units.forEach((unit, index) => {
    if (unit.role === 'entry' && (maxDepth === null || unit.depth <= maxDepth)) choice.add(bundle(index));
  });
}

/** Entries of every folder in turn: first, last, second … of each, while there is room. */
function sample(choice: UnitChoice, indices: readonly number[], bundle: (index: number) => number[]): void {
  const folders = new Map<string, number[]>();
  for (const index of indices) {
    const unit = choice.units[index];
    if (unit === undefined) continue;
    const parent = unit.name
      .split('/')
      .slice(0, Math.max(0, unit.depth - 1))
      .join('/');
    const folder = folders.get(parent) ?? [];
    folders.set(parent, folder);
    folder.push(index);
  }
  const orders = [...folders.values()].map((folder) => outerFirst(folder, folder.length, folder.length));
  inTurns(orders, (index) => choice.add(bundle(index)));
}
