import { describe, expect, it } from 'vitest';
import { shown } from '../../opening.ts';

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');
const counted = async (text: string) =>
  /\[Error lines: (?:\d+ of )?(\d+)/.exec((await shown(text, { strategy: 'smart_summary' })).text)?.[1] ??
  '0';

describe('errors are counted', () => {
  it('not where a status says that all is well', async () => {
    const text = lines(
      600,
      (i) => `2026-01-01T10:00:00Z INFO request path=/items/${i} status=200 bytes=${i * 3}`,
    );
    expect(await counted(text)).toBe('0');
  });

  it('where a server answers with 5xx, and not where it sends as many bytes', async () => {
    const text = lines(
      600,
      (i) =>
        `10.0.0.${i % 200} - - [10/Oct/2025:13:55:36 +0000] "GET /a/${i} HTTP/1.1" ${i % 100 === 50 ? 503 : 200} ${i + 1} "-" "curl/8"`,
    );
    expect(await counted(text)).toBe('6');
  });

  it('by the level of a line, whatever else it says', async () => {
    const text = lines(
      600,
      (i) =>
        `ts=${i} level=${i % 200 === 100 ? 'error' : 'info'} msg="did ${i}" error="failed to connect: retried"`,
    );
    expect(await counted(text)).toBe('3');
  });

  it('not where none happened', async () => {
    expect(
      await counted(
        lines(600, (i) => `module ${i}: 0 errors, 0 failures, 12 files in src/error-handler-${i}.ts`),
      ),
    ).toBe('0');
  });
});
