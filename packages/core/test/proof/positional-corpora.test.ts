/**
 * Every positional strategy on real outputs that nobody here wrote. They are looked for at
 * SPILLWAY_CORPORA or beside the checkout (`../shared/corpora`), and are not part of the
 * repository; without them these tests are skipped, and say so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/text/utf8.ts';
import { CALL, openSpillway } from '../opening.ts';

const folder = resolve(
  process.env.SPILLWAY_CORPORA ?? join(import.meta.dirname, '../../../../../shared/corpora'),
  'plain',
);
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  : [];
if (files.length === 0) console.warn(`Real outputs not found at ${folder}: the tests on them are skipped.`);

describe.skipIf(files.length === 0).each(['head', 'tail', 'head_tail', 'lines', 'size_limit'])(
  '%s on real outputs',
  (strategy) => {
    it.each([300, 1_000, 8_000])(
      'keeps the limit of %i, counts exactly and can fetch every gap',
      async (inlineLimit) => {
        for (const file of files) {
          const bytes = readFileSync(file);
          const text = decode(bytes);
          const spillway = openSpillway();
          const { projection } = await spillway.process(
            CALL,
            { kind: 'text', text: bytes },
            { policy: { strategy, inlineLimit } },
          );
          const { omitted, original_size } = projection.metadata;
          expect(projection.text.length).toBeLessThanOrEqual(inlineLimit);
          expect(projection.text.isWellFormed()).toBe(true);
          expect(original_size).toBe(text.length);
          for (const gap of omitted) {
            const fetched: Uint8Array[] = [];
            const wanted = {
              artifact_id: projection.metadata.artifact_id,
              chars: `${gap.first_char}-${gap.last_char}`,
            };
            for await (const chunk of await spillway.readRaw(wanted, 's')) fetched.push(chunk);
            expect(decode(Buffer.concat(fetched)) === text.slice(gap.first_char - 1, gap.last_char)).toBe(
              true,
            );
          }
          if (omitted.length === 0) expect(projection.text === text).toBe(true);
        }
      },
    );
  },
);
