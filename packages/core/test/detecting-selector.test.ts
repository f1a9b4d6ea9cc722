// A part that is all there and fits is left alone; only what is cut, or long, is looked at.
import { describe, expect, it } from 'vitest';
import { DetectingSelector } from '../src/engine/detecting-selector.ts';
import { formatOf } from '../src/formats/index.ts';
import type { Detected } from '../src/model/content.ts';
import { DEFAULT_POLICY } from '../src/policy/resolve.ts';
import { DocumentRoom } from '../src/strategies/deferred.ts';
import { POSITIONAL } from '../src/strategies/positional.ts';
import { piecesOf } from '../src/testing/index.ts';

const [HEAD] = POSITIONAL.filter(({ name }) => name === 'head') as [(typeof POSITIONAL)[number]];
const gap = { chars: 40, lines: 1 };
const TEXT = 'one\ntwo\r\nthree 日本';

function selecting(
  text: string | Uint8Array,
  detected: Detected = { kind: 'prose' },
): { selector: DetectingSelector; looked: () => number } {
  let looked = 0;
  const selector = new DetectingSelector({
    policy: DEFAULT_POLICY,
    reachChars: 8_000,
    sampleBytes: 1_000,
    binary: 'withheld',
    detect: () => {
      looked++;
      return detected;
    },
    formatOf: ({ kind }) => formatOf(kind),
    elementFor: () => undefined,
    textFirst: false,
    textName: 'head',
    textFor: () => HEAD,
    room: new DocumentRoom(),
  });
  for (const piece of piecesOf(text).pieces) selector.push(piece);
  return { selector, looked: () => looked };
}

describe('a part', () => {
  it('that fits as it is is kept whole without a look at what it is', () => {
    const { selector, looked } = selecting(TEXT);
    const bytes = Buffer.byteLength(TEXT);
    expect(selector.select({ chars: TEXT.length, lines: 3, gap })).toEqual([
      { kind: 'keep', start: 0, end: bytes, chars: TEXT.length, lines: 3 },
    ]);
    expect(Buffer.from(selector.bytes({ start: 4, end: bytes })).toString()).toBe(TEXT.slice(4));
    expect([selector.decidedBy, selector.grammar, selector.fallback, selector.findings]).toEqual([
      'head',
      null,
      null,
      null,
    ]);
    expect(looked()).toBe(0);
  });

  it('that is empty is nothing', () => {
    expect(selecting('').selector.select({ chars: 1, lines: 1, gap })).toEqual([]);
  });

  it('that does not fit, by chars or by lines, is looked at once', () => {
    for (const share of [
      { chars: TEXT.length - 1, lines: 3, gap },
      { chars: TEXT.length, lines: 2, gap },
    ]) {
      const { selector, looked } = selecting(TEXT);
      expect(selector.select(share).some(({ kind }) => kind === 'omit')).toBe(true);
      selector.select(share);
      expect(looked()).toBe(1);
    }
  });

  it('that is no text is left out whole, whatever fits, in any pieces', () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, i) => (i * 89) & 0xff);
    const { selector } = selecting(bytes, { kind: 'binary', detail: 'PNG image' });
    const { totals } = piecesOf(bytes);
    const [only, ...rest] = selector.select({ chars: 8_000, lines: 8_000, gap });
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ kind: 'omit', start: 0, end: 3_000, chars: totals.chars });
    expect([selector.withheld, selector.decidedBy]).toEqual(['PNG image', 'binary']);
  });

  it('that is taken for binary but can be read is shown', () => {
    const bytes = Buffer.from('größer\n'.repeat(200), 'latin1');
    for (const detail of ['base64', 'another encoding']) {
      const { selector } = selecting(bytes, { kind: 'binary', detail });
      expect(selector.select({ chars: 8_000, lines: 8_000, gap })[0]?.kind).toBe('keep');
      expect(selector.withheld).toBeNull();
    }
  });

  it('that is longer than the sample is looked at while it comes', () => {
    const { looked } = selecting('a line\n'.repeat(200));
    expect(looked()).toBe(1);
  });
});
