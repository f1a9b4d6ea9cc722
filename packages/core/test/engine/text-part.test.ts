// A part that is all there and fits is left alone; only what is cut, or long, is looked at.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Share } from '../../src/model/strategy.ts';
import { LineScan } from '../../src/table/line-scan.ts';
import { measure } from '../../src/text/utf8.ts';
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

  it('that is empty is nothing', () => {
    expect(selectedFrom('', { chars: 1, lines: 1 }).selection).toEqual([]);
  });

  it.each([{ chars: TEXT.length - 1 }, { lines: 2 }])('that does not fit is cut: %j', (share) => {
    const { selection } = selectedFrom(TEXT, share);
    expect(selection.some(({ kind }) => kind === 'omit')).toBe(true);
    expect(selection.at(-1)?.end).toBe(Buffer.byteLength(TEXT));
  });

  it('that is no text is left out whole, whatever fits', () => {
    const image = Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      Uint8Array.from({ length: 3_000 }, (_, i) => (i * 89) & 0xff),
    ]);
    const { selection, withheld, decidedBy } = selectedFrom(image, { chars: 8_000 });
    const { chars } = measure(image);
    expect(selection).toMatchObject([{ kind: 'omit', start: 0, end: image.length, chars }]);
    expect([withheld, decidedBy]).toEqual(['PNG image', 'binary']);
  });

  it('in another encoding that can be read is shown', () => {
    const { selection, withheld } = selectedFrom(Buffer.from('größer\n'.repeat(400), 'latin1'), {
      chars: 8_000,
    });
    expect([selection[0]?.kind, withheld]).toEqual(['keep', null]);
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

  it('gives the same for the same share, whatever was asked before', () => {
    const text = Array.from({ length: 3_000 }, (_, i) => `2026-01-01 10:00:00 ERROR step ${i} failed\n`).join(
      '',
    );
    const share = (chars: number): Partial<Share> => ({ chars, gap: { chars: 40, lines: 2 } });
    const { selection } = selectedFrom(text, share(2_000));
    expect(selectedFrom(text, share(2_000), { cuts: [10, 5_000, 70_001] }).selection).toEqual(selection);
  });
});
