/** What a tool printed, made visible: colours as classes, nothing hidden, nothing obeyed. */
import { describe, expect, it } from 'vitest';
import { PLAIN, visiblePieces } from '../../src/log/visible.ts';

const shown = (line: string) =>
  visiblePieces(line, PLAIN).pieces.map(({ text, style }) => (style ? `${style}|${text}` : text));

describe('a line of a log', () => {
  it('that is plain is one piece', () => {
    expect(shown('plain <b>text</b> & more')).toEqual(['plain <b>text</b> & more']);
  });

  it('has its colours and weights as classes', () => {
    expect(shown('\x1b[1;31merror:\x1b[0m no \x1b[35mrule\x1b[39m!')).toEqual([
      'a-red b|error:',
      ' no ',
      'a-magenta|rule',
      '!',
    ]);
  });

  it('has the nearest of eight colours for 256 and for millions', () => {
    expect(shown('\x1b[38;5;196mred\x1b[0m\x1b[38;2;10;200;20mgreen\x1b[0m')).toEqual([
      'a-red|red',
      'a-green|green',
    ]);
  });

  it('loses links, titles and cursor moves of a terminal, and keeps their text', () => {
    expect(shown('\x1b]8;;http://evil.example\x07click\x1b]8;;\x07 \x1b]0;title\x1b\\done\x1b[2K')).toEqual([
      'click',
      ' ',
      'done',
    ]);
  });

  it('shows control characters, bidi overrides and invisible ones as signs', () => {
    expect(shown('a\x00b\u202Ec\u200Bd\x7f')).toEqual(['a', '^@', 'b', 'U+202E', 'c', 'U+200B', 'd', '^?']);
  });

  it('keeps tabs, accents and emoji as they are', () => {
    expect(shown('\tété 🎉')).toEqual(['\tété 🎉']);
  });

  it('says where each piece begins in the stored text', () => {
    expect(visiblePieces('\x1b[31mab\x1b[0mc', PLAIN).pieces.map(({ at }) => at)).toEqual([5, 11]);
  });

  it('begins with the colours of the line before it, until they are reset', () => {
    const { end } = visiblePieces('\x1b[1;32mbegins', PLAIN);
    const { pieces, end: after } = visiblePieces('goes on\x1b[0m, ends', end);
    expect(pieces.map(({ text, style }) => [style, text])).toEqual([
      ['a-green b', 'goes on'],
      ['', ', ends'],
    ]);
    expect(after).toEqual(PLAIN);
  });

  it('that ends within an escape is shown to its end', () => {
    expect(shown('x\x1b[3')).toEqual(['x', '^[', '[3']);
  });
});
