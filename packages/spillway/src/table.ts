/**
 * A table in box characters, as wide as its cells or as the terminal: then one column is cut, the
 * last unless another is named, with an ellipsis. If even that does not fit, the cells of a row
 * stand below each other. Names of tools and sessions may hold anything: control characters and
 * line ends are made visible. Widths are columns of the terminal.
 */
import { displayWidth, toWidth } from './display-width.ts';
import { visibleLine } from './visible.ts';

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
