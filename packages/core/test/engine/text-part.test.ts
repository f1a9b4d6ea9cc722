// A part that is all there and fits is left alone; only what is cut, or long, is looked at.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LineScan } from '../../src/table/line-scan.ts';
import { selectedFrom } from '../part-text.ts';

const TEXT = 'one\ntwo\r\nthree 日本';

describe('a part', () => {
  afterEach(() => vi.restoreAllMocks());

  it('that fits as it is is kept whole and never scanned', () => {
    const push = vi.spyOn(LineScan.prototype, 'push');
    const { selection, texts, decidedBy, grammar, findings, fallback } = selectedFrom(TEXT, {
      chars: TEXT.length,
      lines: 3,
    });
    const end = Buffer.byteLength(TEXT);
    expect(selection).toEqual([{ kind: 'keep', start: 0, end, chars: TEXT.length, lines: 3 }]);
    expect(texts).toEqual([TEXT]);
    expect([decidedBy, grammar, findings, fallback]).toEqual(['auto', null, null, null]);
    expect(push).not.toHaveBeenCalled();
  });

  it('that quotes errors is shown by its format where a summary was asked for', () => {
    const hunk = (i: number) =>
      `diff --git a/f${i}.ts b/f${i}.ts\n--- a/f${i}.ts\n+++ b/f${i}.ts\n@@ -1,2 +1,2 @@\n-  error: it failed\n+  throw new Error('cannot open ${i}');\n context\n`;
    const diff = Array.from({ length: 200 }, (_, i) => hunk(i)).join('');
    const policy = { strategy: 'smart_summary' };
    const share = { chars: 3_000, gap: { chars: 60, lines: 2 } };
    expect(selectedFrom(diff, share, { policy }).decidedBy).toBe('element');
    const refused = `${diff}error: patch failed: f3.ts:1\n`;
    expect(selectedFrom(refused, share, { policy }).decidedBy).toBe('smart_summary');
  });
});
