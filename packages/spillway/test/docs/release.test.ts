// scripts/release/contents.mjs, which `npm run check` and a release ask: what it finds wrong with a
// package.
import { expect, test } from 'vitest';

type Files = Readonly<Record<string, string>>;
interface Contents {
  problemsOf(paths: ReadonlySet<string>, read: (path: string) => string): string[];
}

const { problemsOf }: Contents = await import(
  new URL('../../../../scripts/release/contents.mjs', import.meta.url).href
);

const SOUND: Files = {
  'package.json': JSON.stringify({
    name: 'made',
    exports: {
      '.': { types: './dist/index.d.ts', default: './lib/index.js' },
      './package.json': './package.json',
    },
    bin: { made: './bin/made.js' },
  }),
  LICENSE: '',
  'README.md': '# Made\n\n## Use\n\n[Use](#use), [npm](https://www.npmjs.com/package/made)\n',
  'bin/made.js': '',
  'lib/index.js': '',
  'dist/index.d.ts': '',
};

function problems(change: Files, without: readonly string[] = []): string[] {
  const kept = Object.entries({ ...SOUND, ...change }).filter(([path]) => !without.includes(path));
  const files = new Map(kept);
  return problemsOf(new Set(files.keys()), (path) => files.get(path) ?? '');
}

test('a sound package has no problems', () => {
  expect(problems({})).toEqual([]);
});

test('what package.json names, the README and the licence must be there', () => {
  expect(problems({}, ['LICENSE', 'README.md', 'bin/made.js', 'dist/index.d.ts'])).toEqual([
    'made: LICENSE is missing',
    'made: README.md is missing',
    'made: dist/index.d.ts is missing',
    'made: bin/made.js is missing',
  ]);
});

test('links of the README work on npmjs.com', () => {
  const text = '[a page](docs/a.md), [a heading](#nowhere), [an address](https://example.com)\n';
  expect(problems({ 'README.md': text })).toEqual([
    'made: README.md links to docs/a.md, which leads nowhere on npmjs.com',
    'made: README.md links to #nowhere, which leads nowhere on npmjs.com',
  ]);
});

test('what only the repository needs stays out', () => {
  expect(
    problems({ 'test/a.test.ts': '', 'dist/.tsbuildinfo': '', 'lib/a.js.map': '', 'src/a.ts': '' }),
  ).toEqual([
    'made: test/a.test.ts must not be in it',
    'made: dist/.tsbuildinfo must not be in it',
    'made: lib/a.js.map must not be in it',
    'made: src/a.ts must not be in it',
  ]);
});
