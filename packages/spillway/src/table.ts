/** A table in box characters, as wide as its cells; cells are given as single lines. */
export function boxTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const inner = widths.reduce((sum, width) => sum + width + 3, -1);
  const titleLine = `│ ${title.padEnd(inner - 2)} │`;
  const rule = (left: string, cross: string, right: string) =>
    left + widths.map((width) => '─'.repeat(width + 2)).join(cross) + right;
  const line = (cells: readonly string[]) =>
    `│ ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' │ ')} │`;
  return `${[`┌${'─'.repeat(inner)}┐`, titleLine, rule('├', '┬', '┤'), line(header), rule('├', '┼', '┤'), ...rows.map(line), rule('└', '┴', '┘')].join('\n')}\n`;
}
