/**
 * How many columns a text takes on a terminal: one a character, two for East Asian wide characters
 * and emoji, none for marks. What people see as one character (a flag, a family) is measured as
 * one.
 */

const PLAIN = /^[\x20-\x7e]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const MARKS_ONLY = /^[\p{M}\u200b-\u200d\ufeff]+$/u;

let segmenter: Intl.Segmenter | undefined;

export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += widthOf(grapheme);
  return width;
}

/** The text in exactly so many columns: filled up, or cut with an ellipsis. */
export function toWidth(text: string, width: number): string {
  const missing = width - displayWidth(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let kept = '';
  let room = width - 1;
  for (const grapheme of graphemes(text)) {
    room -= widthOf(grapheme);
    if (room < 0) break;
    kept += grapheme;
  }
  return toWidth(`${kept}…`, width);
}

function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

function widthOf(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return MARKS_ONLY.test(grapheme) ? 0 : 1;
}
