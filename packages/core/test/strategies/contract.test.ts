/** Every built-in strategy, and an example of one's own, keeps the promises; broken ones are caught. */
import { type Ranks, RowFlag, type Strategy, type TableRows } from '@spillway/core/plugin';
import { strategyContract } from '@spillway/core/testing';
import { describe, expect, it } from 'vitest';

/**
 * Shows the first line of each paragraph, with the whole paragraph where it has a word in capitals;
 * a text without paragraphs is shown from its beginning.
 */
const paragraphs: Strategy = {
  name: 'paragraphs',
  rank(table): Ranks {
    const { rows } = table;
    const score = new Float32Array(rows);
    const unit = new Int32Array(rows);
    const parent = new Int32Array(rows).fill(-1);
    let first = 0;
    for (let row = 0; row < rows; row++) {
      if (beginsParagraph(table, row)) first = row;
      // Earlier paragraphs first, the lines of a paragraph behind its first line.
      score[row] = row === first ? 2 - row / rows : 1 / (2 + row - first);
      parent[row] = row === first ? -1 : first;
      if (!/\b[A-Z]{4,}\b/.test(table.textOf(row))) continue;
      score[first] = 4;
      unit[row] = first + 1;
    }
    return { score, unit, parent };
  },
};

function beginsParagraph(table: TableRows, row: number): boolean {
  const isFirst = row === 0 || table.textOf(row - 1) === '';
  return isFirst && ((table.flags[row] as number) & RowFlag.continued) === 0 && table.textOf(row) !== '';
}

const BUILT_IN = [
  'auto',
  'head',
  'tail',
  'head_tail',
  'size_limit',
  'lines',
  'reading',
  'smart_summary',
  'element',
];

describe.each(
  [...BUILT_IN, paragraphs].map(
    (strategy) => [typeof strategy === 'string' ? strategy : strategy.name, strategy] as const,
  ),
)('%s', (_, strategy) => {
  it.each(strategyContract.map((each) => [each.name, each] as const))('%s', async (_name, { run }) => {
    await run({ strategy });
  });
});

describe('the contract catches a strategy that', () => {
  const all = ({ rows }: TableRows) => new Float32Array(rows).fill(1);
  let asked = 0;
  it.each([
    ['keeps nothing', ({ rows }) => ({ score: new Float32Array(rows) }), /nothing is kept/],
    ['answers NaN', (table) => ({ score: all(table).fill(Number.NaN, 3, 4) }), /NaN/],
    ['ranks too few rows', (table) => ({ score: all(table).subarray(1) }), /rows are ranked/],
    ['answers another way each time', (table) => ({ score: all(table).fill(++asked, 0, 1) }), /deep/],
    [
      'throws',
      () => {
        throw new TypeError('broken');
      },
      /broken/,
    ],
  ] satisfies [string, Strategy['rank'], RegExp][])('%s', async (_, rank, words) => {
    const failures: string[] = [];
    for (const { run } of strategyContract)
      await run({ strategy: { name: 'broken', rank } }).catch(({ message }: Error) => failures.push(message));
    expect(failures.join('\n')).toMatch(words);
  });
});
