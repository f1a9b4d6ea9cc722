// docs/errors.md has one row for each code of SpillwayError, with its status.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, SpillwayError } from '@spillway/core';
import { expect, test } from 'vitest';
import { ROOT } from './blocks.ts';

const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
const source = readFileSync(join(ROOT, 'packages/core/src/model/errors.ts'), 'utf8');

test('the page of errors lists every code once, with its status', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  const declared = /const HTTP_STATUS = \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const codes = [...declared.matchAll(/(\w+): \d/g)].map(([, code]) => code as ErrorCode);
  const expected = codes.map((code) => [code, new SpillwayError(code, 'x').status]);
  expect(rows.toSorted()).toEqual(expected.toSorted());
  expect(codes.length).toBeGreaterThan(10);
});
