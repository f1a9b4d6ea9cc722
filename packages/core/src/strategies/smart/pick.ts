/** Takes units by priority until the budget is full: a marker is paid for each gap, and a gap shorter than its marker is closed. */
import type { Share } from '../../model/strategy.ts';
import type { Unit } from './salience.ts';

export function pickUnits(units: readonly Unit[], share: Share, total: number): Unit[] {
  const gapChars = share.gap.chars;
  const byIndex = new Map(units.map((unit) => [unit.index, unit]));
  const taken = new Set<number>();
  let left = share.chars;
  let lines = share.lines;
  const order = [...units].sort((a, b) => b.priority - a.priority || b.index - a.index);
  const has = (index: number) => taken.has(index);
  const cost = (unit: Unit) => {
    const before = unit.index === 0 || has(unit.index - 1);
    const after = unit.index === total - 1 || has(unit.index + 1);
    const gaps = before && after ? -1 : before || after ? 0 : 1;
    return unit.chars + (taken.size === 0 ? 2 : gaps) * gapChars;
  };
  for (const unit of order) {
    if (has(unit.index)) continue;
    const price = cost(unit);
    if (price > left || lines < 1 + share.gap.lines) continue;
    lines -= 1 + share.gap.lines;
    taken.add(unit.index);
    left -= price;
    left -= closeSmallGaps(unit.index, byIndex, taken, left, gapChars);
  }
  return units.filter((unit) => taken.has(unit.index)).sort((a, b) => a.index - b.index);
}

/** Lines between two taken ones that cost less than a marker are taken too. */
function closeSmallGaps(
  index: number,
  byIndex: ReadonlyMap<number, Unit>,
  taken: Set<number>,
  left: number,
  gapChars: number,
): number {
  let spent = 0;
  for (const direction of [-1, 1]) {
    const between: Unit[] = [];
    let chars = 0;
    for (let at = index + direction; chars <= gapChars; at += direction) {
      if (taken.has(at)) {
        if (between.length > 0 && chars - gapChars <= left - spent) {
          for (const unit of between) taken.add(unit.index);
          spent += chars - gapChars;
        }
        break;
      }
      const unit = byIndex.get(at);
      if (unit === undefined) break;
      between.push(unit);
      chars += unit.chars;
    }
  }
  return spent;
}
