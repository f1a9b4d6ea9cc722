// Every adapter has its tests, its row in the table and its guide.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { namesOnPage } from './integrations.ts';

const at = (path: string) => new URL(path, import.meta.url);

test('every adapter that is proven has a row and a guide, and there is no other row', () => {
  const proofs = readdirSync(at('.'))
    .filter((name) => name.endsWith('.test.ts') && name !== 'integrations.test.ts')
    .map((name) => readFileSync(at(name), 'utf8'))
    .filter((text) => text.includes('prove({'));
  const names = proofs.map((text) => /prove\(\{\s+name: '(.+?)'/.exec(text)?.[1]);
  expect([...namesOnPage()].sort()).toEqual(names.sort());
  const guides = proofs.map((text) => /guide: '(.+?)'/.exec(text)?.[1]);
  expect(guides.filter((guide) => !existsSync(at(`../../../../docs/guides/${guide}.md`)))).toEqual([]);
});

test('every adapter of the package is proven', () => {
  const { exports } = JSON.parse(readFileSync(at('../../package.json'), 'utf8'));
  const adapters = Object.entries(exports as Record<string, { types?: string }>)
    .filter(([, target]) => target.types?.includes('/adapters/') === true)
    .map(([subpath]) => `@spillway/core${subpath.slice(1)}`);
  const page = readFileSync(at('../../../../docs/guides/README.md'), 'utf8');
  expect(adapters.filter((subpath) => !page.includes(`\`${subpath}\``))).toEqual([]);
  expect(adapters.length).toBeGreaterThan(0);
});

test('every guide links to the program that is its example, and imports what it imports', () => {
  const root = '../../../../';
  const examples = readdirSync(at(`${root}examples`));
  const pages = readdirSync(at(`${root}docs/guides`)).filter((name) => name !== 'README.md');
  const paired = pages.flatMap((page) => {
    const example = examples.find((name) => name.slice(3) === page.replace('.md', '.mjs'));
    return example === undefined ? [] : [{ page, example }];
  });
  expect(paired.length).toBeGreaterThan(5);
  for (const { page, example } of paired) {
    const guide = readFileSync(at(`${root}docs/guides/${page}`), 'utf8');
    expect(guide).toContain(`examples/${example}`);
    const program = readFileSync(at(`${root}examples/${example}`), 'utf8');
    // Node 22.13 does not read `await using`.
    expect(guide).not.toContain('await using');
    const modules = [...guide.matchAll(/^import .* from '(@spillway[^']*|spillway[^']*)';$/gm)];
    expect(modules.filter(([, name]) => !program.includes(`from '${name}'`))).toEqual([]);
    expect(modules.length).toBeGreaterThan(0);
  }
});
