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
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    bin: { made: './bin/made.js' },
  }),
  LICENSE: '',
  'README.md': '# Made\n\n## Use\n\n[Use](#use), [npm](https://www.npmjs.com/package/made)\n',
  'bin/made.js': '',
  'dist/index.js': '',
  'dist/index.d.ts': '',
  'dist/index.js.map': JSON.stringify({ sources: ['../src/index.ts'] }),
  'src/index.ts': '',
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

test('a source map leads to a source that is there, or holds it', () => {
  expect(problems({}, ['src/index.ts'])).toEqual([
    'made: dist/index.js.map leads to src/index.ts, which is not in it; an older build? Remove dist',
  ]);
  const whole = JSON.stringify({ sources: ['../src/index.ts'], sourcesContent: ['export {}'] });
  expect(problems({ 'dist/index.js.map': whole }, ['src/index.ts'])).toEqual([]);
});

test('links of the README work on npmjs.com', () => {
  const text = '[a page](docs/a.md), [a heading](#nowhere), [an address](https://example.com)\n';
  expect(problems({ 'README.md': text })).toEqual([
    'made: README.md links to docs/a.md, which leads nowhere on npmjs.com',
    'made: README.md links to #nowhere, which leads nowhere on npmjs.com',
  ]);
});

test('what only the repository needs stays out', () => {
  expect(problems({ 'test/a.test.ts': '', 'dist/.tsbuildinfo': '' })).toEqual([
    'made: test/a.test.ts must not be in it',
    'made: dist/.tsbuildinfo must not be in it',
  ]);
});
