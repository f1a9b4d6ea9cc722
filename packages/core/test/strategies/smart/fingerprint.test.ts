/** Which lines look alike. */
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../src/strategies/smart/fingerprint.ts';

const templates = (...lines: readonly string[]) =>
  new Set(lines.map((line) => fingerprintOf(line, 0).template)).size;

describe('a template', () => {
  it('is the same for lines that differ in numbers and spaces only', () => {
    expect(templates('took 12 ms', 'took 3456 ms', '  took\t7  ms')).toBe(1);
    expect(templates('job7 done', 'job19 done')).toBe(1);
    expect(templates('at 0x1f', 'at 0xDEADbeef')).toBe(1);
    expect(templates('commit deadbeef01 x', 'commit 0123456789abcdef x', 'commit 7 x')).toBe(1);
  });

  it('is the same however long a bar or a rule is', () => {
    expect(templates('[###......] 1 failing', '[######...] 1 failing', '[####.....] 2 failing')).toBe(1);
    expect(templates('--- done', '-------- done')).toBe(1);
    expect(templates('a = b', 'a == b')).toBe(2);
  });

  it('differs where words do', () => {
    expect(templates('took 12 ms', 'took 12 s', 'look 12 ms')).toBe(3);
    expect(templates('a facade', 'a decade')).toBe(2);
    expect(templates('deadbeefs', 'deadbeef')).toBe(2);
    expect(templates('xdeadbeef', 'xfacefeed')).toBe(2);
    expect(templates('0x', '0')).toBe(2);
    expect(templates('a b', 'ab')).toBe(2);
  });

  it('looks at the beginning of a line only', () => {
    const long = 'word '.repeat(28);
    expect(templates(`${long}a`, `${long}b`)).toBe(1);
    expect(templates(`${long.slice(0, -2)}a`, `${long.slice(0, -2)}b`)).toBe(2);
  });
});

describe('a signature', () => {
  it('is made of the cues and of how a line begins', () => {
    const [a, b, c] = [
      fingerprintOf('error: cannot open 12', 3),
      fingerprintOf('error: cannot close 7', 3),
      fingerprintOf('error: cannot open 12', 5),
    ].map(({ signature }) => signature);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
});
