// Tables and the spelling of numbers. A table is { title, columns: [heading, key, spell?][], rows:
// object[] }: rows hold plain numbers, which go into the JSON file as they are; a column says how
// its numbers are written in markdown.

export function markdown({ title, columns, rows }) {
  const cells = rows.map((row) =>
    columns.map(([, key, spell = String]) => (row[key] === undefined ? '–' : spell(row[key], row))),
  );
  const heading = columns.map(([name]) => name);
  const widths = heading.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [`**${title}**`, '', line(heading), rule, ...cells.map(line)].join('\n');
}

/** Three digits that count: 0.0123, 1.23, 12.3, 1,230. */
export function digits(value) {
  if (typeof value !== 'number') return String(value);
  if (value === 0) return '0';
  const precise = Number(value.toPrecision(3));
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(precise))));
  return precise.toLocaleString('en-US', { maximumFractionDigits: Math.min(decimals, 6) });
}

export const whole = (value) => Math.round(value).toLocaleString('en-US');

export const times = (value) => (typeof value === 'number' ? `${digits(value)}×` : String(value));

/** `1.23 (1.1–1.5)`: the median with the smallest and the largest. */
export const spread = ({ median, min, max }) => `${digits(median)} (${digits(min)}–${digits(max)})`;

export const yesNo = (value) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value));
