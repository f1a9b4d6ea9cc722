/**
 * Keeps whole lines. An entry is kept only below the head of its section, so what is kept stays
 * valid.
 */
import type { Plan, PlanRows } from '@spillway/core/plugin';

export function iniPlan(rows: PlanRows): Plan {
  const all = rows.filled();
  const heads = new Map<number, number>();
  let head: number | undefined;
  for (const row of all) {
    if (rows.text(row).startsWith('[')) head = row;
    if (head !== undefined) heads.set(row, head);
  }
  return {
    strategy: 'element',
    why: 'it is INI',
    isQuoted: true,
    tiers: [{ pieces: [...heads.keys()].map((row) => ({ row, isWhole: true })) }],
    with: (row) => [
      [heads.get(row) ?? row, heads.get(row) ?? row],
      [row, row],
    ],
    label: (above, below) => ({
      unit: 'entry',
      count: all.filter((row) => row > above && row < below).length,
    }),
  };
}
