// A table that holds ratios of a run against what we want them to be. A goal is { name, ratio,
// atMost or atLeast, limit }: `limit` says in words what keeps us from more.
import { digits, times } from './report.mjs';

export function goalTable(goals) {
  return {
    title: 'goals',
    columns: [
      ['', 'name'],
      ['ratio', 'ratio', times],
      ['goal', 'goal'],
      ['missed by', 'missedBy', (factor) => (factor > 1 ? times(factor) : 'met')],
      ['what limits it', 'limit'],
    ],
    rows: goals.map(({ name, ratio, atMost, atLeast, limit }) => ({
      name,
      ratio,
      goal: atMost === undefined ? `≥ ${digits(atLeast)}×` : `≤ ${digits(atMost)}×`,
      missedBy: atMost === undefined ? atLeast / ratio : ratio / atMost,
      limit,
    })),
  };
}
