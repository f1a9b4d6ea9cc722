/** Unified diffs, plain or from git. */
import type { Detected } from '../../model/content.ts';
import { CONFIDENCE, type Format } from '../../model/format.ts';
import type { SampleLine } from '../../model/text-sample.ts';
import { fileOfDiff } from './address.ts';
import { patchPlan, worthOfFiles } from './plan.ts';

export const diff: Format = {
  name: 'diff',
  kinds: ['diff'],
  hints: [
    {
      kind: 'diff',
      extensions: ['diff', 'patch'],
      mediaTypes: /diff|patch/,
      tools: /(?:^|_)(?:diff|patch|show_commit)(?:_|$)/,
    },
  ],
  recognisers: [{ confidence: CONFIDENCE.marks, recognise: ({ lines }) => diffKind(lines) ?? null }],
  plan: patchPlan,
  worth: worthOfFiles,
  errorLines: 'quoted',
  address: fileOfDiff,
};

/** First line of `git format-patch`; a long file list may precede the first change. */
const MAIL = /^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001$/;
const HEAD = /^(?:diff --(?:git|cc|combined) |--- \S|Index: \S)/;
const BEFORE_HEAD = 'd-I';
const HUNK = /^@@{1,2} -\d+(?:,\d+)? (?:-\d+(?:,\d+)? )?\+\d+(?:,\d+)? @@/;
const FILE_ONLY =
  /^(?:similarity index|rename (?:from|to)|new file mode|deleted file mode|old mode|Binary files|GIT binary patch)/;
const BODY =
  /^(?:[ +\-\\\t]|@@|diff |index |new (?:file|mode)|deleted file|old mode|similarity |dissimilarity |rename |copy |Binary files|GIT binary|literal \d|delta \d|Index: |={20,}$|commit [0-9a-f]{7}|Author:|AuthorDate:|Commit|Date:|Merge:|From [0-9a-f]{7}|From:|Subject:|\d+\.\d+\.\d+$|Only in )/;
const FENCE = /^\s{0,3}(?:```|~~~)/;
const BODY_SHARE = 0.9;

function diffKind(lines: readonly SampleLine[]): Detected | undefined {
  if (MAIL.test(lines[0]?.text ?? '')) return { kind: 'diff', detail: 'git' };
  const head = lines.findIndex(({ text }) => BEFORE_HEAD.includes(text[0] ?? ' ') && HEAD.test(text));
  if (head < 0 || lines.slice(0, head).some((line) => FENCE.test(line.text))) return undefined;
  const rest = lines.slice(head);
  const hunk = rest.findIndex((line) => HUNK.test(line.text));
  const isGit = rest[0]?.text.startsWith('diff --') === true;
  if (hunk < 0 && !(isGit && rest.some((line) => FILE_ONLY.test(line.text)))) return undefined;
  const body = rest.filter((line) => BODY.test(line.text)).length;
  return body >= rest.length * BODY_SHARE ? { kind: 'diff', detail: isGit ? 'git' : 'unified' } : undefined;
}
