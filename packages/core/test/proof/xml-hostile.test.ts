/**
 * XML made to hurt: no crash, no more memory than the reach allows, and still XML. Sizes are such
 * that each takes a second or so.
 */
import { describe, expect, it } from 'vitest';
import { keepMarkup } from '../../src/formats/xml/tree.ts';
import type { FormatReader } from '../../src/model/strategy.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { decode } from '../../src/text/utf8.ts';
import { xmlGap } from '../../src/wording/xml-gap.ts';
import { bytesInUse } from '../bytes-in-use.ts';
import { checkXml, policy, share } from '../formats/xml-reading.ts';

const CHARS = 8_000;

/** A text in 64 KB chunks, made as it is read. */
function* repeated(count: number, one: (i: number) => string): Generator<string> {
  let chunk = '';
  for (let i = 0; i < count; i++) {
    chunk += one(i);
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function feed(
  parts: readonly Iterable<string>[],
  markup: 'xml' | 'html' = 'xml',
): { selector: FormatReader; held: number } {
  const selector = keepMarkup(markup).start(policy, CHARS);
  const cutter = new PieceCutter('text');
  const before = bytesInUse();
  let most = before;
  let pieces = 0;
  for (const part of parts)
    for (const chunk of part)
      for (const piece of cutter.push(Buffer.from(chunk))) {
        selector.push(piece.bytes);
        if (++pieces % 50 === 0) most = Math.max(most, bytesInUse());
      }
  for (const piece of cutter.finish()) selector.push(piece.bytes);
  return { selector, held: Math.max(most, bytesInUse()) - before };
}

function renderedText(selector: FormatReader, chars = CHARS): string {
  return selector
    .select(share(chars))
    .map((segment) => {
      if (segment.kind === 'keep') return decode(selector.bytes(segment));
      return segment.kind === 'elide' || segment.what === undefined ? '' : xmlGap(segment.what);
    })
    .join('');
}

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY lol0 "lol">${Array.from({ length: 9 }, (_, i) => `<!ENTITY lol${i + 1} "${`&lol${i};`.repeat(10)}">`).join('')}]>`;

describe.each<[string, () => Iterable<string>[]]>([
  ['a million siblings', () => [['<r>'], repeated(1_000_000, () => '<a/>'), ['</r>']]],
  ['99,999 levels', () => [repeated(99_999, () => '<a>'), repeated(99_999, () => '</a>')]],
  [
    'a value of 10 MB',
    () => [['<r a="1" b="'], repeated(10_000, () => 'x'.repeat(1_000)), ['" c="2"><z>hello</z></r>']],
  ],
  ['half a million attributes', () => [['<r'], repeated(500_000, (i) => ` a${i}="v"`), ['><z/></r>']]],
  [
    '10 MB of spaces between tags',
    () => [['<r><a/>'], repeated(10_000, () => ' '.repeat(1_000)), ['<a/></r>']],
  ],
  ['10 MB of spaces in a tag', () => [['<r><a'], repeated(10_000, () => ' '.repeat(1_000)), ['/></r>']]],
  ['a comment of 10 MB', () => [['<r><!--'], repeated(10_000, () => 'x'.repeat(1_000)), ['--><a/></r>']]],
  [
    'a text of 20 MB',
    () => [['<r><z>'], repeated(1_000_000, () => 'lorem &amp; ipsum 日本\n'), ['</z></r>']],
  ],
  ['a CDATA section of 10 MB', () => [['<r><![CDATA['], repeated(1_000_000, () => ']] > < '), [']]></r>']]],
  [
    'a hundred thousand names',
    () => [['<r>'], repeated(100_000, (i) => `<n${i} x${i}="${i}">${'y'.repeat(99)}</n${i}>`), ['</r>']],
  ],
  [
    'two hundred large parts',
    () => [
      ['<r>'],
      ...Array.from({ length: 200 }, (_, i) => [
        [`<s n="${i}">`],
        repeated(2_000, (j) => `<p>part ${i}, ${j}</p>\n`),
        ['</s>'],
      ]).flat(),
      ['</r>'],
    ],
  ],
  ['a billion laughs', () => [[LAUGHS, '<lolz>&lol9;</lolz>']]],
])('%s', (_, parts) => {
  it('is shown as XML within the budget, from little memory', () => {
    const { selector, held } = feed(parts());
    expect(selector.failure).toBeNull();
    for (const chars of [150, CHARS]) {
      const text = renderedText(selector, chars);
      expect(text.length).toBeLessThanOrEqual(chars);
      checkXml(text);
    }
    expect(held).toBeLessThan(CHARS * 2_000);
  }, 60_000);
});

it('a million levels are refused', () => {
  expect(feed([repeated(1_000_000, () => '<a>'), repeated(1_000_000, () => '</a>')]).selector.failure).toBe(
    'it is nested too deep',
  );
});

describe('hostile HTML', () => {
  it('is refused, or read, in time', () => {
    expect(
      feed([repeated(40_000, () => '<span>'), repeated(40_000, () => '<li>')], 'html').selector.failure,
    ).toBe('its nesting cannot be understood');
    expect(feed([repeated(40_000, () => '</p>')], 'html').selector.failure).toBe(
      'its nesting cannot be understood',
    );
    expect(feed([['<p>'], repeated(300_000, () => '<'), ['</p>']], 'html').selector.failure).toBeNull();
  }, 60_000);
});
