/** Source code. */
import type { Detected } from '../../model/content.ts';
import { CONFIDENCE, type Evidence, type Format, type FormatHint } from '../../model/format.ts';
import type { TextSample } from '../../model/text-sample.ts';
import { blocksPlan } from './plan.ts';

const FAMILIES: Readonly<Record<string, string>> = {
  'c-like':
    'js mjs cjs jsx ts mts cts tsx c h cc cpp hpp cxx cs java kt scala go rs swift php css scss less dart zig proto m pl',
  'python-like': 'py pyi pyx nim gd',
  'ruby-like': 'rb lua ex exs cr jl vim',
  'lisp-like': 'lisp el clj cljs scm rkt',
  shell: 'sh bash zsh fish ksh',
  sql: 'sql',
  markup: 'vue svelte astro',
  config: 'yml yaml toml ini cfg conf',
};

export const code: Format = {
  name: 'code',
  kinds: ['code'],
  hints: [
    { kind: 'code', mediaTypes: /javascript|typescript|x-python|x-c\b|x-sh|css|x-rust|x-go|x-java/ },
    ...Object.entries(FAMILIES).map(
      ([detail, extensions]): FormatHint => ({ kind: 'code', detail, extensions: extensions.split(' ') }),
    ),
  ],
  recognisers: [{ confidence: CONFIDENCE.writing, recognise: recogniseCode }],
  plan: blocksPlan,
  errorLines: 'quoted',
};

function recogniseCode(_sample: TextSample, evidence: Evidence): Detected | null {
  const { expected, hasCodeLines, written, holdsJson } = evidence;
  const hint = expected.find(({ kind }) => kind === 'code');
  const found = hint !== undefined && hasCodeLines ? hint : written;
  return found.kind === 'code' && !holdsJson ? found : null;
}
