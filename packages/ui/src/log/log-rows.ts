/** The elements of a log's rows. Made without markup: text nodes and classes only. */
import { ChevronRight, CircleX, Download, TriangleAlert } from 'lucide';
import type { IconNode } from '../components/controls.tsx';
import { formatBytes, formatCount, formatLines, pluralize } from '../data/figures.ts';
import type { Line } from './line-cache.ts';
import {
  firstIndex,
  type LineSpan,
  type LineState,
  type LogFacts,
  ROW_CHARS,
  type Row,
  rowOfChar,
  type ShownView,
} from './rows.ts';
import type { Piece } from './visible.ts';

type CharGap = ShownView['gaps'][number];

export function lineRow({ line, run }: Row, facts: LogFacts): HTMLElement {
  const own = facts.own?.(line);
  const state = own?.state ?? (facts.view === undefined ? 'plain' : run.kept ? 'kept' : 'out');
  const row = element('div', rowClasses(line, state, facts));
  row.dataset.line = String(line);
  const first = facts.by === 'chars' ? (line - 1) * ROW_CHARS + 1 : line;
  const number = element('a', 'n', own?.label ?? formatCount(first));
  number.href = `#L${line}`;
  number.tabIndex = -1;
  const text = element('span', 't');
  const loaded = facts.lines.get(line);
  if (!loaded) row.dataset.waits = '';
  else {
    const pieces = state === 'kept' ? withGaps(loaded, facts.view?.gaps ?? []) : loaded.pieces;
    text.append(...textNodes(pieces, facts.marks(loaded.text)));
    if (loaded.clippedFrom !== undefined) {
      const words = ` … ${formatCount(loaded.clippedFrom)} chars in this line: read them all`;
      const rest = element('a', 'clipped', words);
      rest.href = `?by=chars#L${rowOfChar(loaded.start + 1)}`;
      text.append(rest);
    }
  }
  row.append(number, text);
  return row;
}

/** Pieces of a kept line with what was left out of it marked. */
function withGaps({ pieces, start, text }: Line, gaps: readonly CharGap[]): readonly Piece[] {
  const inside: [number, number][] = [];
  for (let i = firstIndex(gaps, ({ last_char }) => last_char > start); i < gaps.length; i += 1) {
    const { first_char, last_char } = gaps[i] as CharGap;
    if (first_char > start + text.length) break;
    inside.push([first_char - 1 - start, last_char - start]);
  }
  if (inside.length === 0) return pieces;
  return pieces.flatMap((piece) => {
    const cuts = inside.flat().filter((at) => at > piece.at && at < piece.at + piece.text.length);
    const ends = piece.isSign ? [piece.at + 1] : [...cuts, piece.at + piece.text.length];
    let from = piece.at;
    return ends.map((to) => {
      const isOut = inside.some(([begin, end]) => from >= begin && from < end);
      const style = isOut ? `${piece.style} lo`.trim() : piece.style;
      const text = piece.isSign ? piece.text : piece.text.slice(from - piece.at, to - piece.at);
      const part = { ...piece, text, style, at: from };
      from = to;
      return part;
    });
  });
}

function rowClasses(line: number, state: LineState, facts: LogFacts): string {
  const within = (span: LineSpan | undefined) =>
    span !== undefined && line >= span.first && line <= span.last;
  const marked = {
    err: countWithin(facts.errors, line, line) > 0,
    warn: countWithin(facts.warnings, line, line) > 0,
    sel: within(facts.block),
    picked: within(facts.picked),
    hit: countWithin(facts.hits, line, line) > 0,
    cur: line === facts.cursor,
  };
  return ['r', state, ...Object.entries(marked).flatMap(([name, is]) => (is ? name : []))].join(' ');
}

export function gapRow({ run, isOpen }: Row, facts: LogFacts): HTMLElement {
  const { first_line: first, last_line: last, chars, bytes, first_char: at = 1 } = run;
  const isFetched = facts.fetched.some(
    ({ first_line, last_line }) =>
      first_line !== null && last_line !== null && first_line <= last && last_line >= first,
  );
  const holdsCursor = !isOpen && facts.cursor >= first && facts.cursor <= last;
  const [count, range] =
    facts.by === 'chars'
      ? [pluralize(chars, 'char'), formatLines(at, at + chars - 1)]
      : [pluralize(last - first + 1, 'line'), `${formatLines(first, last)} · ${formatBytes(bytes)}`];
  const errors = countWithin(facts.errors, first, last);
  const warnings = countWithin(facts.warnings, first, last);
  const row = buttonRow('gap', first, `gap${isFetched ? ' was' : ''}${holdsCursor ? ' cur' : ''}`);
  row.ariaExpanded = String(isOpen);
  const words = element(
    'span',
    'g',
    element('strong', '', count),
    ' left out ',
    element('span', 'dim', range),
  );
  if (errors > 0) words.append(chip('error', CircleX, pluralize(errors, 'error')));
  if (warnings > 0) words.append(chip('warning', TriangleAlert, pluralize(warnings, 'warning')));
  if (isFetched) words.append(chip('fetched', Download, 'read later'));
  row.append(element('span', 'n', icon(ChevronRight, 'chev')), words);
  return row;
}

export function moreRow({ run, line }: Row, { by }: LogFacts): HTMLElement {
  const row = buttonRow('more', line, 'more-row');
  const left = run.last_line - line + 1;
  const rows = by === 'chars' ? 'rows' : 'lines';
  row.textContent = `Show ${left <= 1_000 ? 'all' : '1,000 more of'} ${formatCount(left)} ${rows}`;
  return row;
}

function buttonRow(kind: Row['kind'], line: number, classes: string): HTMLButtonElement {
  const row = element('button', classes);
  row.type = 'button';
  row.tabIndex = -1;
  row.dataset.row = kind;
  row.dataset.line = String(line);
  return row;
}

function chip(tone: string, of: IconNode, words: string): HTMLElement {
  return element('span', `chip ${tone}`, icon(of, 's'), words);
}

/** How many of the sorted lines lie in a range. */
export function countWithin(lines: readonly number[], first: number, last: number): number {
  return firstIndex(lines, (line) => line > last) - firstIndex(lines, (line) => line >= first);
}

/** Text nodes with their colours; what a search found is marked across colours. */
export function textNodes(
  pieces: readonly Piece[],
  marks: readonly (readonly [from: number, to: number])[],
): Node[] {
  return pieces.flatMap((piece) => (piece.isSign ? [span(piece, 'ctl')] : markedNodes(piece, marks)));
}

function markedNodes(piece: Piece, marks: readonly (readonly [from: number, to: number])[]): Node[] {
  const nodes: Node[] = [];
  let from = 0;
  for (const [markFrom, markTo] of marks) {
    const first = Math.max(from, markFrom - piece.at);
    const last = Math.min(piece.text.length, markTo - piece.at);
    if (last <= first) continue;
    if (first > from) nodes.push(span({ ...piece, text: piece.text.slice(from, first) }));
    nodes.push(element('mark', '', piece.text.slice(first, last)));
    from = last;
  }
  if (from < piece.text.length) nodes.push(span({ ...piece, text: piece.text.slice(from) }));
  return nodes;
}

function span({ text, style }: Piece, extra = ''): Node {
  const classes = extra ? `${style} ${extra}`.trim() : style;
  if (classes === '') return document.createTextNode(text);
  const made = element('span', classes, text);
  paint(made.style, style);
  return made;
}

/** The colours of a terminal: `a-red` is the text, `g-red` the ground; inverse text has its own. */
function paint(to: CSSStyleDeclaration, style: string): void {
  const [, text] = /\ba-(\w+)/.exec(style) ?? [];
  const [, ground] = /\bg-(\w+)/.exec(style) ?? [];
  if (text && !style.includes('inv')) to.color = `var(--ansi-${text})`;
  if (ground) to.background = `color-mix(in srgb, var(--ansi-${ground}) 22%, transparent)`;
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  classes: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = classes;
  made.append(...children);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

function icon(nodes: IconNode, classes: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', `i ${classes}`);
  svg.setAttribute('aria-hidden', 'true');
  for (const [tag, attributes] of nodes) {
    const child = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) child.setAttribute(name, String(value));
    svg.append(child);
  }
  return svg;
}
