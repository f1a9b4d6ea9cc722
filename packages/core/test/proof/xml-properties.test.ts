/** What holds for every XML text, budget and chunking. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/text/utf8.ts';
import { chunked } from '../arbitraries.ts';
import { anyXml, checkXml, run } from '../formats/xml-reading.ts';

const budget = fc.oneof(fc.integer({ min: 150, max: 700 }), fc.integer({ min: 700, max: 9_000 }));

describe('element on any well-formed XML', () => {
  it('the generator makes well-formed documents', () => {
    fc.assert(
      fc.property(anyXml, (text) => void checkXml(text)),
      { numRuns: 200 },
    );
  });

  it('gives well-formed XML within the budget', () => {
    fc.assert(
      fc.property(anyXml, budget, (text, chars) => {
        const ran = run([Buffer.from(text)], chars);
        expect(ran.selector.failure).toBeNull();
        checkXml(ran.text);
        expect(ran.text.length).toBeLessThanOrEqual(Math.max(chars, 150));
      }),
      { numRuns: 200 },
    );
  });

  it('covers the text exactly, counts exactly, and keeps only what stands there', () => {
    fc.assert(
      fc.property(anyXml, budget, (text, chars) => {
        const bytes = Buffer.from(text);
        const { selector, selection, totals } = run([bytes], chars);
        let at = 0;
        let units = 0;
        let lines = 0;
        for (const segment of selection) {
          expect(segment.start).toBe(at);
          at = segment.end;
          units += segment.chars;
          lines += segment.lines;
          const original = bytes.subarray(segment.start, segment.end);
          expect(segment.chars).toBe(decode(original).length);
          if (segment.kind === 'keep') expect(Buffer.compare(selector.bytes(segment), original)).toBe(0);
          if (segment.kind === 'elide') expect(decode(original).replace('\uFEFF', '').trim()).toBe('');
          if (segment.kind === 'omit' && segment.what?.unit === 'element')
            expect(checkXml(decode(original), 'fragment').elements).toBe(segment.what.count);
          if (segment.kind === 'omit' && segment.what?.slot === 'text')
            expect(segment.what.count).toBe(segment.chars);
        }
        expect([at, units, lines]).toEqual([totals.bytes, totals.chars, totals.lines]);
      }),
      { numRuns: 150 },
    );
  });

  it('selects the same in any chunking', () => {
    fc.assert(
      fc.property(anyXml, budget, fc.array(fc.nat(), { maxLength: 12 }), (text, chars, cuts) => {
        const bytes = Buffer.from(text);
        const one = run([bytes], chars);
        const other = run(chunked(bytes, cuts), chars);
        expect(other.selection).toEqual(one.selection);
        expect(other.text).toBe(one.text);
      }),
      { numRuns: 100 },
    );
  });

  it('selects the same byte by byte', () => {
    fc.assert(
      fc.property(anyXml, budget, (text, chars) => {
        const bytes = Buffer.from(text);
        fc.pre(bytes.length < 30_000);
        const one = run([bytes], chars);
        const other = run(
          Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
          chars,
        );
        expect(other.selection).toEqual(one.selection);
        expect(other.text).toBe(one.text);
      }),
      { numRuns: 15 },
    );
  });

  it('keeps within a limit of lines', () => {
    fc.assert(
      fc.property(anyXml, budget, fc.integer({ min: 3, max: 60 }), (text, chars, lines) => {
        const ran = run([Buffer.from(text)], chars, { lines });
        checkXml(ran.text);
        expect(ran.text.split(/\r\n|\r|\n/).length).toBeLessThanOrEqual(lines);
      }),
      { numRuns: 150 },
    );
  });

  it('takes nothing for XML that is not', () => {
    const junk = fc.constantFrom('<', '&', '</x>', '<x', '\u0001', ' y="1"', '>');
    fc.assert(
      fc.property(anyXml, fc.nat(), junk, (text, position, added) => {
        // What stands in a document type, a comment, an instruction or a very long tag is not
        // judged.
        fc.pre(!/<[!?]|="[^"]{4000}/.test(text));
        const at = position % text.length;
        const changed = text.slice(0, at) + added + text.slice(at);
        const { selector } = run([Buffer.from(changed)], 2_000);
        expect({ changed, accepted: selector.failure === null }).toEqual({
          changed,
          accepted: isXml(changed),
        });
      }),
      { numRuns: 300 },
    );
  });
});

const tag = fc.constantFrom(
  ...'<p> </p> <li> </li> <ul> </ul> <div> </div> <b> </b> <br> <td> <tr> <table> </table> <option> <svg/> </x> <body> </td>'.split(
    ' ',
  ),
  '<a href=x>',
  '</a>',
  '<p class="a > b">',
  "<img alt='\"' src=y/>",
  '<script>if (a < b) "</p>"</script>',
  '<STYLE>p {}</Style >',
  '<!-- note -->',
  '<!doctype html>',
  '<?php x ?>',
  ' \n ',
  'words & <3 日本 ',
  'long '.repeat(300),
);
const soup = fc
  .tuple(
    fc.array(tag, { minLength: 1, maxLength: 30 }),
    fc.array(tag, { maxLength: 20 }),
    fc.integer({ min: 1, max: 200 }),
  )
  .map(
    ([first, second, times]) =>
      first.join('') + second.join('').repeat(Math.min(times, 40_000 / (second.join('').length + 1))),
  );

describe('element on any HTML', () => {
  it('keeps within the budget, covers exactly and selects the same in any chunking, or refuses', () => {
    fc.assert(
      fc.property(soup, budget, fc.array(fc.nat(), { maxLength: 8 }), (text, chars, cuts) => {
        const bytes = Buffer.from(text);
        const one = run([bytes], chars, { markup: 'html' });
        const other = run(chunked(bytes, cuts), chars, { markup: 'html' });
        expect([other.selector.failure, other.selection]).toEqual([one.selector.failure, one.selection]);
        if (one.selector.failure !== null) return;
        expect(one.text.length).toBeLessThanOrEqual(chars);
        expect(one.selection.reduce((sum, segment) => sum + segment.chars, 0)).toBe(one.totals.chars);
        expect(one.selection.reduce((sum, segment) => sum + segment.lines, 0)).toBe(one.totals.lines);
      }),
      { numRuns: 200, examples: [[`<p></p>${'<!doctype html>words '.repeat(20)}`, 150, []]] },
    );
  });
});

function isXml(text: string): boolean {
  try {
    checkXml(text);
    return true;
  } catch {
    return false;
  }
}
