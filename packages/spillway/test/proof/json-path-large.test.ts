/** A JSONPath on an output of 200 MB: answered from the store in one pass, in bounded memory. */
import type { Spillway } from '@spillway/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSpillway, temporaryStore } from '../../../core/test/opening.ts';
import { jsonPaths } from '../../src/paths.ts';

const ITEMS = 100_000;
const FILLER = 'lorem ipsum '.repeat(170);
let spillway: Spillway;
let id: string;

beforeAll(async () => {
  spillway = openSpillway({ store: await temporaryStore(), paths: jsonPaths() });
  const capture = await spillway.open({ tool: 't', session: 's', scope: 's' });
  const part = capture.part({ name: 'text' });
  await part.write('{"items":[');
  for (let from = 0; from < ITEMS; from += 500) {
    const rows = Array.from(
      { length: 500 },
      (_, i) => `{"id":${from + i},"text":"${FILLER}","big":1234567890123456789${from + i}}`,
    );
    await part.write(`${from === 0 ? '' : ','}${rows.join(',')}`);
  }
  await part.write(']}');
  const answer = await capture.finish({
    outcome: { status: 'ok' },
    complete: true,
    sourceTruncated: false,
  });
  id = (await spillway.sealed(answer))?.id ?? '';
});

afterAll(() => spillway.close());

const fetch = (json_path: string) => spillway.retrieve({ artifact_id: id, json_path }, 's');

it('with a simple path does not hold it', async () => {
  const before = process.memoryUsage();
  let most = 0;
  const watch = setInterval(() => {
    const now = process.memoryUsage();
    most = Math.max(most, now.rss - before.rss);
  }, 5);
  const page = await fetch('$.items[99990:99992].big');
  clearInterval(watch);
  expect(page.totalBytes).toBeGreaterThan(200_000_000);
  expect(page.body).toBe(
    `$['items'][99990]['big']: 123456789012345678999990\n$['items'][99991]['big']: 123456789012345678999991\n`,
  );
  expect(most).toBeLessThan(96 * 1024 ** 2);
});

it('with any other path is refused, and what may be asked is told', async () => {
  await expect(fetch('$..id')).rejects.toThrow(
    /^The document has 2\d\d MB, over 67 MB: too much for this query\. Ask for one place or a row of places, such as \$\.items\[100:200\]\.name: names, indexes from 0, slices and \* work at any size\.$/,
  );
});
