/** Scrolling through more than a browser can be tall. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SPACER_PX, ScrollScale } from '../../src/log/scroll-scale.ts';

const HEIGHT = 27_000_000;
const VIEW = 600;

function tall(): ScrollScale {
  const scale = new ScrollScale();
  scale.resize(HEIGHT, VIEW);
  return scale;
}

describe('a log that is taller than a browser allows', () => {
  it('is scrolled by an element of 8 million px', () => {
    expect(tall().spacer).toBe(MAX_SPACER_PX);
  });

  it('moves px by px with a wheel', () => {
    const scale = tall();
    const bar = scale.goTo(13_000_000);
    expect(scale.moved(bar + 100) - 13_000_000).toBe(100);
  });

  it('moves by its share with the bar, to both ends exactly', () => {
    const scale = tall();
    expect(scale.moved(MAX_SPACER_PX - VIEW)).toBe(HEIGHT - VIEW);
    expect(scale.moved(0)).toBe(0);
    expect(scale.moved((MAX_SPACER_PX - VIEW) / 2)).toBeCloseTo((HEIGHT - VIEW) / 2, -3);
  });

  it('reaches the end with a wheel without getting stuck', () => {
    const scale = tall();
    const bar = scale.goTo(HEIGHT - VIEW - 5_000);
    for (let i = 1; i <= 50; i += 1) scale.moved(Math.min(MAX_SPACER_PX - VIEW, bar + i * 100));
    expect(scale.top).toBe(HEIGHT - VIEW);
    expect(scale.isStuck).toBe(false);
  });

  it('has its bar where a drag to that place would bring the same lines', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: HEIGHT - VIEW }), (top) => {
        const scale = tall();
        const bar = scale.goTo(top);
        const other = tall();
        other.goTo(top < HEIGHT / 2 ? HEIGHT - VIEW : 0);
        expect(Math.abs(other.moved(bar) - top)).toBeLessThan(4);
      }),
    );
  });
});

describe('a log that fits', () => {
  it('is scrolled as it is', () => {
    const scale = new ScrollScale();
    scale.resize(5_000, VIEW);
    expect(scale.moved(4_400)).toBe(4_400);
    expect(scale.goTo(9_999)).toBe(4_400);
  });
});
