/**
 * How the context window of a session filled, turn by turn: from the requests that the ledger noted,
 * with results, fetches and compactions in the turn that they led to. Rendered once, as an SVG
 * without styles and scripts, for the page, for a picture to share, and for a file of its own with
 * the same numbers. Numbers and names of tools only: nothing that was captured is in it.
 */
import { createHash } from 'node:crypto';
import type { LedgerEvent } from '@spillway/core';
import { everyItem } from '@spillway/core/store';
import type { ApiRequest } from './api-request.ts';
import type { Inspected } from './inspected.ts';
import { sessionOf } from './sessions-view.ts';
import { windowNumbers } from './window-use.ts';

type Timeline = Awaited<ReturnType<typeof timelineOf>>;
/** A request in tokens, and what happened between the one before and it. */
export type TimelineTurn = ReturnType<typeof turnOf>;
type TurnEvents = ReturnType<typeof eventOf>;

export async function showTimeline(inspected: Inspected, request: ApiRequest) {
  return timelineOf(inspected, request.id);
}

export async function timelineOf(inspected: Inspected, id: string) {
  const { scope } = await sessionOf(inspected, id);
  const turns: TimelineTurn[] = [];
  let events: TurnEvents = [];
  for await (const event of everyItem((page) => inspected.store.events({ scope, ...page }))) {
    if (event.session !== id) continue;
    if (event.type === 'prepared') {
      turns.push(turnOf(turns.length + 1, event, events));
      events = [];
    } else events.push(...eventOf(event));
  }
  const size = turns.findLast((turn) => turn.size !== null)?.size ?? null;
  const svg = turns.length === 0 ? null : drawn(id, size, turns);
  return { session: id, size, turns, rest: events, svg };
}

function turnOf(turn: number, { at, data = {} }: LedgerEvent, events: TurnEvents) {
  return { turn, at, events, ...windowNumbers(data) };
}

function eventOf({ type, at, tool = '', output, data = {} }: LedgerEvent) {
  const shown = data.cut === true ? 'cut' : 'result';
  const kinds: Readonly<Record<string, keyof typeof MARKS>> = { fetched: 'fetch', compacted: 'compaction' };
  const kind = type === 'projected' && data.audience === 'model' ? shown : kinds[type];
  const chars = typeof data.chars === 'number' ? data.chars : 0;
  return kind === undefined ? [] : [{ kind, at, tool, output: output ?? null, chars }];
}

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [1_200, 420, 76, 56, 52];
const PARTS = [
  { name: 'system', label: 'System', fill: '#8a94a6' },
  { name: 'messages', label: 'Messages', fill: '#4f7cac' },
  { name: 'results', label: 'Tool results', fill: '#0d9488' },
] as const;
const MARKS = {
  result: { label: 'Result', fill: '#0d9488' },
  cut: { label: 'Result that was cut', fill: '#b45309' },
  fetch: { label: 'Read later', fill: '#7c3aed' },
  compaction: { label: 'Compaction', fill: '#be123c' },
} as const;

function drawn(session: string, size: number | null, turns: readonly TimelineTurn[]): string {
  const most = Math.max(size ?? 0, ...turns.map(({ used }) => used), 1);
  const wide = (WIDTH - LEFT - 24) / turns.length;
  const yOf = (tokens: number) => TOP + (1 - tokens / most) * (HEIGHT - TOP - BOTTOM);
  const bars = turns.map((turn, index) => column(turn, LEFT + index * wide, wide, yOf));
  const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = yOf(share * most).toFixed(1);
    const label = Math.round(share * most).toLocaleString('en-US');
    return `<line x1="${LEFT}" x2="${WIDTH - 24}" y1="${y}" y2="${y}" stroke="#d5dae1"/>${text(LEFT - 8, Number(y) + 4, label, 'end')}`;
  });
  const peak = Math.max(...turns.map(({ used }) => used));
  const share =
    size === null
      ? ''
      : ` · at most ${Math.round((peak / size) * 100)} % of ${size.toLocaleString('en-US')} tokens`;
  const title = `${session} · ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}${share}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#1f2937" role="img">`,
    `<title>How the context window of ${escaped(session)} filled</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="24" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...lines,
    ...bars,
    text(LEFT, HEIGHT - 34, 'turn 1', 'start'),
    text(WIDTH - 24, HEIGHT - 34, `turn ${turns.length}`, 'end'),
    ...legend(),
    '</svg>',
  ].join('');
}

function column(turn: TimelineTurn, x: number, wide: number, yOf: (tokens: number) => number): string {
  let below = 0;
  const gap = wide > 6 ? 2 : 0;
  const rects = PARTS.map(({ name, fill }) => {
    const from = yOf(below);
    below += turn[name];
    const tall = Math.max(0, from - yOf(below));
    return `<rect x="${x.toFixed(1)}" y="${yOf(below).toFixed(1)}" width="${(wide - gap).toFixed(1)}" height="${tall.toFixed(1)}" fill="${fill}"/>`;
  });
  const marks = turn.events.slice(0, 12).map(({ kind }, index) => {
    const [cx, cy] = [x + (wide - gap) / 2, yOf(below) - 8 - index * 9];
    return `<circle cx="${cx.toFixed(1)}" cy="${Math.max(36, cy).toFixed(1)}" r="3.5" fill="${MARKS[kind].fill}"/>`;
  });
  const label = `Turn ${turn.turn}: ${turn.used.toLocaleString('en-US')} tokens`;
  return `<g data-turn="${turn.turn}"><title>${label}</title>${rects.join('')}${marks.join('')}</g>`;
}

function legend(): string[] {
  const all = [...PARTS, ...Object.values(MARKS)];
  return all.map(({ label, fill }, index) => {
    const x = LEFT + index * 155;
    const shape =
      index < PARTS.length
        ? `<rect x="${x}" y="${HEIGHT - 21}" width="10" height="10" fill="${fill}"/>`
        : `<circle cx="${x + 5}" cy="${HEIGHT - 16}" r="4" fill="${fill}"/>`;
    return shape + text(x + 16, HEIGHT - 12, label, 'start');
  });
}

function text(x: number, y: number, words: string, anchor: 'start' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

const SCRIPT =
  "for(const g of document.querySelectorAll('[data-turn]'))g.addEventListener('click',()=>document.getElementById('t'+g.dataset.turn)?.scrollIntoView({block:'center'}))";
const STYLE =
  'body{font:14px system-ui,sans-serif;margin:24px;color:#1f2937;background:#fff}svg{max-width:100%;height:auto}table{border-collapse:collapse;margin-top:16px}td,th{padding:4px 12px;text-align:right;border-bottom:1px solid #d5dae1}td:last-child,th:last-child{text-align:left}';

/** The timeline as one HTML file: inert but for one script, which only scrolls; it loads nothing. */
export function timelinePage({ session, turns, svg }: Timeline): string {
  const policy = `default-src 'none'; script-src '${hashOf(SCRIPT)}'; style-src '${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'`;
  const rows = turns.map(({ turn, at, used, system, messages, results, events }) => {
    const happened = events.map(({ kind, tool }) => `${MARKS[kind].label}${tool === '' ? '' : `: ${tool}`}`);
    const cells = [turn, new Date(at).toISOString(), used, system, messages, results, happened.join('; ')];
    return `<tr id="t${turn}">${cells.map((cell) => `<td>${escaped(String(cell))}</td>`).join('')}</tr>`;
  });
  const head = ['Turn', 'Time', 'Tokens', 'System', 'Messages', 'Tool results', 'Before it'];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer"><title>${escaped(session)}: context window</title><style>${STYLE}</style></head>
<body><h1>${escaped(session)}</h1>${svg ?? '<p>No request of this session is recorded.</p>'}
<table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>
<script>${SCRIPT}</script></body></html>
`;
}

function hashOf(code: string): string {
  return `sha256-${createHash('sha256').update(code).digest('base64')}`;
}
