/**
 * How the context window of a session filled, turn by turn: from the requests that the ledger noted,
 * with results, fetches and compactions in the turn that they led to. Drawn once, as shapes: the
 * page makes elements of them, and a file of its own holds them as SVG with the same numbers. Each
 * point is a link to its place. Numbers and names of tools only: what was captured is added by choice.
 */

import { createHash } from 'node:crypto';
import type { ArtifactId, LedgerEvent } from '@spillway/core';
import { formatCount, pluralize, redactText } from '@spillway/core/plugin';
import { everyItem } from '@spillway/core/store';
import { visible } from '../visible.ts';
import { type ApiRequest, inHtml } from './answer.ts';
import type { Inspected } from './inspected.ts';
import { sessionOf, wholeText, windowNumbers } from './sessions-view.ts';
import { entriesOf } from './thread.ts';

/** An element of the picture: its name, its attributes, and what is in it. */
export type Shape = readonly [
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...inside: (Shape | string)[],
];
/** A request, and what happened between the one before and it. */
interface TimelineTurn {
  readonly turn: number;
  readonly at: number;
  readonly events: TurnEvents;
  /** In tokens; null as long as no request was made. */
  readonly use: ReturnType<typeof windowNumbers> | null;
}
type TurnEvents = ReturnType<typeof eventOf>;

export async function showTimeline(inspected: Inspected, request: ApiRequest) {
  const { id } = request;
  const turns = await turnsOf(inspected, id);
  const addressAt = (at: number) => `/sessions/${encodeURIComponent(id)}#at-${at}`;
  const addressOf = ({ output, at }: Point) => (output === null ? addressAt(at) : `/o/${output}`);
  if (!turns.some(({ use }) => use !== null)) return { picture: null, table: null };
  return { picture: drawn(id, turns, addressOf), table: tableOf(turns, addressOf) };
}

/** The requests of a session; what happened behind the last one is a turn that is still open. */
async function turnsOf(inspected: Inspected, id: string): Promise<TimelineTurn[]> {
  const { scope } = await sessionOf(inspected, id);
  const turns: TimelineTurn[] = [];
  let events: TurnEvents = [];
  const add = (at: number, use: TimelineTurn['use']) => {
    turns.push({ turn: turns.length + 1, at, events, use });
    events = [];
  };
  for await (const event of everyItem((page) => inspected.store.events({ scope, ...page }))) {
    if (event.session !== id) continue;
    if (event.type === 'prepared') add(event.at, windowNumbers(event.data ?? {}));
    else events.push(...eventOf(event));
  }
  if (events[0] !== undefined) add(events[0].at, null);
  return turns;
}

function eventOf({ type, at, tool = '', output, data = {} }: LedgerEvent) {
  const shown = data.cut === true ? 'cut' : 'result';
  const kinds: Readonly<Record<string, Kind>> = { fetched: 'fetch', compacted: 'compaction' };
  const kind = type === 'projected' && data.audience === 'model' ? shown : kinds[type];
  return kind === undefined ? [] : [{ kind, at, tool, output: output ?? null }];
}

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [1_200, 420, 76, 56, 52];
/** For light and dark, as the page has them. */
const [GROUND, INK, LINE] = [
  'light-dark(#ffffff,#0e1116)',
  'light-dark(#14181d,#e8ebef)',
  'light-dark(#d9dee4,#2b323b)',
];
const PARTS = [
  { name: 'system', label: 'System', fill: 'light-dark(#6b7480,#8993a0)' },
  { name: 'messages', label: 'Messages', fill: 'light-dark(#2f6fd0,#6ea4f5)' },
  { name: 'results', label: 'Tool results', fill: 'light-dark(#0f8490,#37b3be)' },
  { name: 'reserved', label: 'Reserved', fill: 'light-dark(#b4bcc6,#4a545f)' },
] as const;
const MARKS = {
  result: { label: 'Result', fill: 'light-dark(#0f8490,#37b3be)' },
  cut: { label: 'Cut result', fill: 'light-dark(#805300,#eec06a)' },
  fetch: { label: 'Read later', fill: 'light-dark(#6438bd,#bda3f7)' },
  compaction: { label: 'Compaction', fill: 'light-dark(#b3221a,#ff8f85)' },
} as const;
type Kind = keyof typeof MARKS;
const MOST_MARKS = 12;

/** What a point stands for: a turn, or something that happened before it. */
interface Point {
  readonly turn: number;
  readonly at: number;
  readonly output: string | null;
}

type AddressOf = (point: Point) => string;

function drawn(session: string, turns: readonly TimelineTurn[], addressOf: AddressOf): Shape {
  const uses = turns.flatMap(({ use }) => use ?? []);
  const size = uses.findLast((use) => use.size !== null)?.size ?? null;
  const peak = Math.max(...uses.map(({ used }) => used), 1);
  const most = Math.max(size ?? 0, peak);
  const wide = (WIDTH - LEFT - 24) / turns.length;
  const yOf = (tokens: number) => rounded(TOP + (1 - tokens / most) * (HEIGHT - TOP - BOTTOM));
  const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((share): Shape[] => {
    const y = yOf(share * most);
    const line = { x1: LEFT, x2: WIDTH - 24, y1: y, y2: y, stroke: LINE };
    return [['line', line], text(LEFT - 8, y + 4, formatCount(Math.round(share * most)), 'end')];
  });
  const share =
    size === null ? '' : ` · at most ${Math.round((peak / size) * 100)} % of ${formatCount(size)} tokens`;
  const title = `${session} · ${pluralize(uses.length, 'turn')}${share}`;
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
    'font-family': 'system-ui, sans-serif',
    'font-size': 12,
    fill: INK,
  };
  return [
    'svg',
    frame,
    ['title', {}, `How the context window of ${session} filled`],
    ['rect', { width: WIDTH, height: HEIGHT, fill: GROUND }],
    ['text', { x: LEFT, y: 24, 'font-size': 16, 'font-weight': 600 }, title],
    ...lines,
    ...turns.flatMap((turn, index) => column(turn, LEFT + index * wide, wide, yOf, addressOf)),
    text(LEFT, HEIGHT - 34, 'turn 1', 'start'),
    text(WIDTH - 24, HEIGHT - 34, turnName(turns.at(-1) as TimelineTurn), 'end'),
    ...legend(turns),
  ];
}

/** A turn as a bar, with a mark above it for everything that happened before it. */
function column(
  turn: TimelineTurn,
  x: number,
  wide: number,
  yOf: (tokens: number) => number,
  addressOf: AddressOf,
): Shape[] {
  const { at: asked, events, use } = turn;
  const width = rounded(wide - (wide > 6 ? 2 : 0));
  let below = 0;
  const bars = PARTS.flatMap(({ name, fill }): Shape[] => {
    const bottom = yOf(below);
    below += use?.[name] ?? 0;
    const height = rounded(bottom - yOf(below));
    return height > 0 ? [['rect', { x: rounded(x), y: yOf(below), width, height, fill }]] : [];
  });
  const point = (label: string, href: string, ...shapes: Shape[]): Shape => [
    'a',
    { href, 'aria-label': label },
    ['title', {}, label],
    ...shapes,
  ];
  const when = use === null ? 'Since the last turn' : `Before turn ${turn.turn}`;
  const marks = events.slice(0, MOST_MARKS).map(({ kind, tool, output, at }, index) => {
    const cy = Math.max(36, yOf(below) - 8 - index * 9);
    const circle = { cx: rounded(x + width / 2), cy, r: 3.5, fill: MARKS[kind].fill };
    const label = `${when}: ${MARKS[kind].label}${tool === '' ? '' : `, ${tool}`}`;
    return point(label, addressOf({ turn: turn.turn, at, output }), ['circle', circle]);
  });
  if (use === null) return marks;
  const label = `Turn ${turn.turn}: ${formatCount(use.used)} tokens`;
  return [point(label, addressOf({ turn: turn.turn, at: asked, output: null }), ...bars), ...marks];
}

/** The turns as a table, each with what happened before it. */
function tableOf(turns: readonly TimelineTurn[], addressOf?: AddressOf): Shape {
  const head = ['Turn', 'Time (UTC)', 'Tokens', ...PARTS.map(({ label }) => label), 'Before the turn'];
  const rows = turns.map((each): Shape => {
    const { turn, at, events, use } = each;
    const counts = [use?.used, ...PARTS.map(({ name }) => use?.[name])];
    const happened = events.flatMap(({ kind, tool, output, at: when }, index): (Shape | string)[] => {
      const words = `${MARKS[kind].label}${tool === '' ? '' : `: ${tool}`}`;
      const href = output === null ? undefined : addressOf?.({ turn, at: when, output });
      return [index === 0 ? '' : ', ', href === undefined ? words : ['a', { href }, words]];
    });
    const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
    return [
      'tr',
      { id: `t${turn}` },
      ['th', { scope: 'row' }, turnName(each)],
      ...[time, ...counts.map((count) => (count === undefined ? '' : formatCount(count)))].map(
        (words): Shape => ['td', {}, words],
      ),
      ['td', { class: 'text' }, ...happened],
    ];
  });
  const names = head.map(
    (name): Shape => ['th', { scope: 'col', class: name === head.at(-1) ? 'text' : '' }, name],
  );
  return ['table', { class: 'table' }, ['thead', {}, ['tr', {}, ...names]], ['tbody', {}, ...rows]];
}

function turnName({ turn, use }: TimelineTurn): string {
  return use === null ? 'since then' : `turn ${turn}`;
}

/** What the picture holds. */
function legend(turns: readonly TimelineTurn[]): Shape[] {
  const parts = PARTS.filter(({ name }) => turns.some(({ use }) => (use?.[name] ?? 0) > 0));
  const kinds = new Set(turns.flatMap(({ events }) => events.map(({ kind }) => kind)));
  const marks = Object.entries(MARKS).flatMap(([kind, mark]) => (kinds.has(kind as Kind) ? mark : []));
  return [...parts, ...marks].flatMap(({ label, fill }, index): Shape[] => {
    const x = LEFT + index * 138;
    const shape: Shape =
      index < parts.length
        ? ['rect', { x, y: HEIGHT - 21, width: 10, height: 10, fill }]
        : ['circle', { cx: x + 5, cy: HEIGHT - 16, r: 4, fill }];
    return [shape, text(x + 16, HEIGHT - 12, label, 'start')];
  });
}

function text(x: number, y: number, words: string, anchor: 'start' | 'end'): Shape {
  return ['text', { x, y, 'text-anchor': anchor }, words];
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The shapes as markup. */
function markupOf(shape: Shape | string): string {
  if (typeof shape === 'string') return inHtml(shape);
  const [name, attributes, ...inside] = shape;
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${inHtml(String(value))}"`);
  return `<${name}${given.join('')}>${inside.map(markupOf).join('')}</${name}>`;
}

const STYLE = `:root{color-scheme:light dark}
body{font:14px system-ui,sans-serif;margin:24px;color:${INK};background:${GROUND}}
main{overflow-x:auto}
svg{max-width:100%;height:auto}
table{border-collapse:collapse;margin-top:16px}
td,th{padding:4px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid ${LINE}}
.text{text-align:left}
h1{position:absolute;clip-path:inset(50%)}
:target{background:light-dark(#fff3d9,#2d2310)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:8px;background:light-dark(#f6f7f9,#14181e)}`;
/** The arrow keys lead from point to point; only one of them is a stop of the Tab key. */
const SCRIPT = `const points = [...document.querySelectorAll('svg a')];
const stopAt = (to) => { for (const point of points) point.tabIndex = point === to ? 0 : -1; };
stopAt(points[0]);
addEventListener('keydown', ({ key }) => {
  const from = points.indexOf(document.activeElement);
  const to = points[from + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? NaN)];
  if (from >= 0 && to) { stopAt(to); to.focus(); }
});`;

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/**
 * The timeline as one HTML file, which loads nothing and runs only our script. A point leads to its row.
 * What was said and shown is in it only by choice, without known secrets.
 */
export async function timelinePage(inspected: Inspected, session: string, hasContent: boolean) {
  const turns = await turnsOf(inspected, session);
  const allowed = `style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}`;
  const policy = `default-src 'none'; ${allowed}; base-uri 'none'; form-action 'none'`;
  const picture =
    turns.length === 0
      ? '<p>No request of this session is recorded.</p>'
      : markupOf(drawn(session, turns, ({ turn }) => `#t${turn}`));
  const thread = hasContent ? await threadMarkup(inspected, session) : '';
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer"><title>${inHtml(session)}: context window</title><style>${STYLE}</style></head>
<body><main><h1>${inHtml(session)}</h1>${picture}
${markupOf(tableOf(turns))}
${thread}</main><script>${SCRIPT}</script></body></html>
`;
  return { html, turns: turns.filter(({ use }) => use !== null).length };
}

/** What was said, called and shown to the model, in order. */
async function threadMarkup(inspected: Inspected, name: string): Promise<string> {
  const { store, threads, opened } = inspected;
  const session = await sessionOf(inspected, name);
  const thread = await threads.of(inspected, session);
  const entries = await entriesOf(inspected, session, thread, [...thread.entries.keys()]);
  const texts: [title: string, text: string][] = [];
  for (const entry of entries) {
    if (entry.kind === 'message')
      texts.push([entry.role, await wholeText(inspected, session, { place: entry.place })]);
    else if (entry.kind === 'summary') {
      const { version } = entry;
      texts.push([`summary ${version}`, await wholeText(inspected, session, { summary: version })]);
    } else {
      const frozen =
        entry.output === null ? undefined : await store.frozen(entry.output.id as ArtifactId, 'model');
      texts.push([`${entry.tool} ${entry.input}`, frozen?.projection.text ?? '']);
    }
  }
  const shown = (text: string) => inHtml(visible(redactText(text, opened.config.own?.secrets)));
  const sections = texts.map(([title, text]) => `<h3>${shown(title)}</h3><pre>${shown(text)}</pre>`);
  return `<h2>What was said and shown</h2>${sections.join('\n')}`;
}
