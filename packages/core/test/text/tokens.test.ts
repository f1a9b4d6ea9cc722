/** Token estimates by kind of text. */
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/text/tokens.ts';

describe('the estimate', () => {
  it('grows with the text and is 0 for none', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('word '.repeat(200))).toBeGreaterThan(estimateTokens('word '.repeat(100)));
  });

  it('prices dense text far above prose', () => {
    const base64 = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7919) % 256)).toString('base64');
    const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(9);
    expect(estimateTokens(base64) / base64.length).toBeGreaterThan(0.5);
    expect(estimateTokens(prose) / prose.length).toBeLessThan(0.3);
    expect(estimateTokens('漢字仮名交じり文')).toBeGreaterThanOrEqual(7);
  });

  it('is linear on one unbroken run', () => {
    expect(estimateTokens('a'.repeat(2_000_000))).toBeGreaterThan(100_000);
  });
});
