/**
 * A table in box characters, as wide as its cells or as the terminal: then the last column is cut,
 * with an ellipsis. If even that does not fit, the cells of a row stand below each other. Names of
 * tools and sessions may hold anything: control characters and line ends are made visible.
 */
import { visibleLine } from './visible.ts';

export function boxTable(
  title: string,
  header: readonly string[],
  content: readonly (readonly string[])[],
  columns: number | undefined,
): string {
  const rows = content.map((row) => row.map(visibleLine));
  const natural = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const frame = natural.length * 3 + 1;
  const others = natural.slice(0, -1).reduce((sum, width) => sum + width, 0);
  if (columns !== undefined && frame + others + LEAST_LAST > columns) return stacked(title, header, rows);
  const room =
    columns === undefined ? Number.POSITIVE_INFINITY : Math.max(LEAST_LAST, columns - frame - others);
  const widths = natural.map((width, column) =>
    column === natural.length - 1 ? Math.min(width, room) : width,
  );
  const inner = widths.reduce((sum, width) => sum + width + 3, -1);
  const rule = (left: string, cross: string, right: string) =>
    left + widths.map((width) => '─'.repeat(width + 2)).join(cross) + right;
  const line = (cells: readonly string[]) =>
    `│ ${widths.map((width, column) => cell(cells[column] ?? '', width)).join(' │ ')} │`;
  return `${[
    `┌${'─'.repeat(inner)}┐`,
    `│ ${title.padEnd(inner - 2)} │`,
    rule('├', '┬', '┤'),
    line(header),
    rule('├', '┼', '┤'),
    ...rows.map(line),
    rule('└', '┴', '┘'),
  ].join('\n')}\n`;
}

/** The narrowest last column. */
const LEAST_LAST = 10;

function stacked(title: string, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const blocks = rows.map((row) => row.map((text, i) => `${i === 0 ? '' : '  '}${header[i] ?? ''}: ${text}`));
  return `${[title, ...blocks.flat()].join('\n')}\n`;
}

function cell(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1).toWellFormed()}…` : text.padEnd(width);
}
