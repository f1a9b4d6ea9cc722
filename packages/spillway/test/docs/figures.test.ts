// Figures live in bench/README.md. Pages that quote one round it, and are held to it here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './blocks.ts';

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8').replaceAll(/\s+/g, ' ');
const bench = readFileSync(join(ROOT, 'bench/README.md'), 'utf8');

/** The percentages of the row that begins so, in the section of a question, rounded. */
function figures(question: string, row: string): number[] {
  const section = bench.split(/^### /m).find((text) => text.startsWith(`${question}\n`)) ?? '';
  const line = section.split('\n').find((text) => text.startsWith(`| ${row}`)) ?? '';
  return [...line.matchAll(/\| ([\d.]+) %/g)].map(([, figure]) => Math.round(Number(figure)));
}

test('the READMEs and the concepts quote what the benchmarks say of failing outputs', () => {
  const [small, standard, large] = figures('folds', '296 failing builds');
  const [, tail] = figures('salience', 'plain tail');
  expect([small, standard, large, tail].every((figure) => figure !== undefined)).toBe(true);
  expect(read('README.md')).toContain(`keep everything that a reader must see in ${standard} %;`);
  expect(read('README.md')).toContain(`the last 8,000 chars keep it in ${tail} %`);
  for (const page of ['packages/core/README.md', 'packages/spillway/README.md'])
    expect(read(page), page).toContain(`keep all that a reader must see in ${standard} %`);
  expect(read('docs/concepts.md')).toContain(
    `in ${small} % of the failing outputs of our benchmark, 8,000 in ${standard} %, 16,000 in ${large} %`,
  );
});

test('no other page quotes a share of outputs that are kept', () => {
  const pages = ['docs/projection.md', 'docs/history.md', 'docs/README.md'];
  for (const page of pages)
    expect(read(page), page).not.toMatch(/\b[89]\d(?:\.\d)? % of (?:\d+ )?(?:real|failing)/);
});
