/**
 * A table in box characters, as wide as its cells or as the terminal: then one column is cut, the
 * last unless another is named, with an ellipsis. If even that does not fit, the cells of a row
 * stand below each other. Names of tools and sessions may hold anything: control characters and
 * line ends are made visible. Widths are columns of the terminal.
 */
import { visibleLine } from './visible.ts';

const PLAIN = /^[\x20-\x7e]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const MARKS_ONLY = /^[\p{M}\u200b-\u200d\ufeff]+$/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The columns that a text takes on a terminal: one for a character, two for East Asian wide
 * characters and emoji, none for marks. A flag or a family counts as one character.
 */
function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += widthOf(grapheme);
  return width;
}

/** The text in exactly so many columns: filled up, or cut with an ellipsis. */
function toWidth(text: string, width: number): string {
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

export function boxTable(
  title: string,
  header: readonly string[],
  content: readonly (readonly string[])[],
  columns: number | undefined,
  cuttable = header.length - 1,
): string {
  const rows = content.map((row) => row.map(visibleLine));
  if (!fits(header, rows, columns, cuttable)) return stacked(title, header, rows);
  const natural = widthsOf(header, rows);
  const room =
    columns === undefined
      ? Number.POSITIVE_INFINITY
      : columns - natural.reduce((sum, width, column) => sum + 3 + (column === cuttable ? 0 : width), 1);
  const widths = natural.map((width, column) => (column === cuttable ? Math.min(width, room) : width));
  const inner = widths.reduce((sum, width) => sum + width + 3, -1);
  const rule = (left: string, cross: string, right: string) =>
    left + widths.map((width) => '─'.repeat(width + 2)).join(cross) + right;
  const line = (cells: readonly string[]) =>
    `│ ${widths.map((width, column) => toWidth(cells[column] ?? '', width)).join(' │ ')} │`;
  return `${[
    `┌${'─'.repeat(inner)}┐`,
    `│ ${toWidth(visibleLine(title), inner - 2)} │`,
    rule('├', '┬', '┤'),
    line(header),
    rule('├', '┼', '┤'),
    ...rows.map(line),
    rule('└', '┴', '┘'),
  ].join('\n')}\n`;
}

/** Whether a table has room if its cuttable column is cut to `leastCut`. */
export function fits(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
  cuttable: number,
  leastCut = LEAST_CUT,
): boolean {
  const least = widthsOf(header, rows).map((width, column) =>
    column === cuttable ? Math.min(width, leastCut) : width,
  );
  return columns === undefined || least.reduce((sum, width) => sum + width + 3, 1) <= columns;
}

/** No column is cut further. */
const LEAST_CUT = 10;

function widthsOf(header: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return header.map((name, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), displayWidth(name)),
  );
}

function stacked(title: string, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const blocks = rows.map((row) => row.map((text, i) => `${i === 0 ? '' : '  '}${header[i] ?? ''}: ${text}`));
  return `${[title, ...blocks.flat()].join('\n')}\n`;
}
