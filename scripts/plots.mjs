// Draws the tables of bench/README.md as docs/images/bench-*.svg, so a plot never says anything else
// than its table. node scripts/plots.mjs writes them; scripts/check-plots.mjs compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './toolchain.mjs';

const WIDTH = 760;
const LABELS = 270;
const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.quiet{fill:#59636e}.grid{stroke:#d1d9e0}
.ours{fill:#0969da}.other{fill:#9aa4af}.line{fill:none;stroke-width:2}.ours-line{stroke:#0969da;stroke-width:3}
.other-line{stroke:#9aa4af}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}
.grid{stroke:#3d444d}.ours{fill:#4493f8}.other{fill:#6e7681}.ours-line{stroke:#4493f8}.other-line{stroke:#6e7681}}`;

/** All plots, by the name of their file. */
export function plots() {
  const figures = readFileSync(join(root, 'bench', 'README.md'), 'utf8');
  const rows = comparison(figures);
  return new Map([
    ['bench-cost.svg', curves(costs(figures))],
    ['bench-kept.svg', bars(rows)],
    [
      'bench-limits.svg',
      lines(rows.filter(({ shares }) => shares.slice(0, 3).every((share) => share !== null))),
    ],
  ]);
}

/** The rows of the first table of the comparison: a name, and percentages. */
function comparison(markdown) {
  const section = markdown.slice(markdown.indexOf('\n### comparison\n'));
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => {
      const [name, ...cells] = line.slice(2, -2).split(' | ');
      return { name, shares: cells.slice(0, 5).map(shareIn) };
    });
  if (rows[0]?.name.startsWith('spillway') !== true || rows.length < 5)
    throw new Error('bench/README.md: the first table of the comparison is not as expected.');
  return rows;
}

function shareIn(cell) {
  const [, share] = /^([\d.]+) %/.exec(cell) ?? [];
  return share === undefined ? null : Number(share);
}

/** What is kept at 8,000 chars, fresh outputs and what was used later: three bars for each. */
function bars(rows) {
  const columns = [
    [1, 'failing outputs'],
    [3, 'fresh tools'],
    [4, 'used later'],
  ];
  const room = (WIDTH - LABELS - 20) / columns.length;
  const body = columns.flatMap(([column, title], at) => {
    const x = LABELS + at * room;
    const head = `<text class="quiet" x="${x}" y="52">${title}</text>`;
    return [
      head,
      ...rows.map(({ shares }, i) => bar(x, 66 + i * 26, (room - 60) / 100, shares[column], i === 0)),
    ];
  });
  const names = rows.map(({ name }, i) => `<text x="0" y="${79 + i * 26}">${escaped(name)}</text>`);
  const title = 'Share that a cut to 8,000 chars keeps, in percent';
  return svg(title, 76 + rows.length * 26, [...names, ...body]);
}

function bar(x, y, scale, share, isOurs) {
  if (share === null) return `<text class="quiet" x="${x}" y="${y + 13}">not measured</text>`;
  const width = Math.max(1, share * scale);
  return `<rect class="${isOurs ? 'ours' : 'other'}" x="${x}" y="${y}" width="${digits(width)}" height="16" rx="2"/><text x="${digits(x + width + 6)}" y="${y + 13}">${share.toFixed(0)}</text>`;
}

/** What is kept at 4,000, 8,000 and 16,000 chars: a line for each. */
function lines(rows) {
  const at = [60, 270, 480];
  const y = (share) => 70 + (100 - share) * 2.4;
  const grid = [0, 25, 50, 75, 100].map(
    (share) =>
      `<line class="grid" x1="60" x2="480" y1="${y(share)}" y2="${y(share)}"/><text class="quiet" x="20" y="${y(share) + 4}">${share}</text>`,
  );
  const limits = ['4,000', '8,000', '16,000'].map(
    (limit, i) => `<text class="quiet" text-anchor="middle" x="${at[i]}" y="336">${limit}</text>`,
  );
  const title = 'Share of failing outputs of which everything a reader must see is kept, by limit in chars';
  return svg(title, 350, [...grid, ...limits, ...drawnLines(rows, at, y)]);
}

/** The rows of the table of costs that the plot shows: a name, and percentages by chance. */
function costs(markdown) {
  const section = markdown.slice(markdown.indexOf('\n### cost\n'));
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
  return rows
    .map(([name, ...cells]) => ({ name, shares: cells.map(Number) }))
    .filter(({ name }) => COSTS.includes(name));
}

const COSTS = [
  'spillway default, 8,000',
  'plain head + tail, 8,000',
  'rtk err (rule)',
  "Claude Code's own rule",
  "Codex's own rule",
];

/** What a session costs, by the chance that the agent asks for what it misses: a line for each. */
function curves(rows) {
  const at = [60, 165, 270, 375, 480];
  const y = (share) => 70 + (110 - share) * 5;
  const grid = [70, 80, 90, 100, 110].map(
    (share) =>
      `<line class="grid" x1="60" x2="480" y1="${y(share)}" y2="${y(share)}"/><text class="quiet" x="20" y="${y(share) + 4}">${share}</text>`,
  );
  const chances = ['never', '25 %', '50 %', '75 %', 'always'].map(
    (chance, i) => `<text class="quiet" text-anchor="middle" x="${at[i]}" y="296">${chance}</text>`,
  );
  return svg('Cost of a session in percent of showing everything, by the chance that the agent asks', 310, [
    ...grid,
    ...chances,
    ...drawnLines(rows, at, y),
  ]);
}

/** A line for each row, and its name at its end. */
function drawnLines(rows, at, y) {
  const drawn = [...rows].reverse().map(({ shares, name }) => {
    const points = at.map((x, i) => `${x},${digits(y(shares[i]))}`).join(' ');
    return `<polyline class="line ${name.startsWith('spillway') ? 'ours-line' : 'other-line'}" points="${points}"/>`;
  });
  const names = placed(rows.map(({ name, shares }) => ({ name, y: y(shares[at.length - 1]) }))).map(
    ({ name, y: baseline }) => `<text x="492" y="${digits(baseline + 4)}">${escaped(name)}</text>`,
  );
  return [...drawn, ...names];
}

/** Names at the ends of their lines, moved apart. */
function placed(names) {
  let last = Number.NEGATIVE_INFINITY;
  return names
    .toSorted((a, b) => a.y - b.y)
    .map(({ name, y }) => {
      last = Math.max(y, last + 16);
      return { name, y: last };
    });
}

function svg(title, height, body) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}</style>
<text x="0" y="20" font-weight="600">${escaped(title)}</text>
${body.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function digits(number) {
  return Number(number.toFixed(1));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, text] of plots()) {
    writeFileSync(join(root, 'docs', 'images', name), text);
    console.log(`wrote docs/images/${name}`);
  }
