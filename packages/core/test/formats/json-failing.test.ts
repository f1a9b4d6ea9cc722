/** Which members of an object say that something failed. */
import { expect, it } from 'vitest';
import { saysFailure } from '../../src/formats/json/keep/failing.ts';

const says = (member: string) => saysFailure(Buffer.from(`{${member}}`), 1);

it.each([
  '"status":"failed"',
  '"state": "FAILED"',
  '"status":"payment_failed"',
  '"result":"build-error"',
  '"outcome":"gateway timeout"',
  '"error":"no such order"',
  '"success":false',
  '"failed":2',
])('%s does', (member) => {
  expect(says(member)).toBe(true);
});

it.each([
  '"status":"passed"',
  '"status":"not_failed"',
  '"state":"no error"',
  '"event":"on-error"',
  '"status":"failed_over"',
  '"name":"failed"',
  '"error":""',
  '"success":true',
  '"failures":0',
])('%s does not', (member) => {
  expect(says(member)).toBe(false);
});
