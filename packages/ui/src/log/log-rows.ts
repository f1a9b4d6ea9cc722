/** The elements of a log's rows. Made without markup: text nodes and classes only. */
import { ChevronRight, CircleX, Download, TriangleAlert } from 'lucide';
import { formatBytes, formatCount, formatLines, pluralize } from '../data/figures.ts';
import type { Line } from './line-cache.ts';
import type { CharGap, LogModel } from './log-model.ts';
import { type Gap, type LineState, ROW_CHARS, rowOfChar } from './row-list.ts';
import type { Piece } from './visible.ts';

export function lineRow(line: number, state: LineState, model: LogModel): HTMLElement {
  const row = element('div', rowClasses(line, state, model));
  row.dataset.line = String(line);
  const number = element('a', 'n', model.label ? model.label(line) : formatCount(firstOf(line, model)));
  number.href = `#L${line}`;
  number.tabIndex = -1;
  const text = element('span', 't');
  const loaded = model.lines.get(line);
  if (!loaded) row.dataset.waits = '';
  else {
    const pieces = state === 'kept' ? withGaps(loaded, model.gaps) : loaded.pieces;
    text.append(...textNodes(pieces, model.marks(loaded.text)));
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

/** The number of a line, or of the first char of a row. */
function firstOf(line: number, { by }: LogModel): number {
  return by === 'chars' ? (line - 1) * ROW_CHARS + 1 : line;
}

/** Pieces of a kept line with what was left out of it marked. */
function withGaps({ pieces, start, text }: Line, gaps: readonly CharGap[]): readonly Piece[] {
  const first = firstGapBehind(gaps, start);
  const inside: [number, number][] = [];
  for (let i = first; i < gaps.length; i += 1) {
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

/** The first gap that ends behind so many chars. */
function firstGapBehind(gaps: readonly CharGap[], chars: number): number {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle] as CharGap).last_char <= chars) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rowClasses(
  line: number,
  state: LineState,
  { errorLines, warningLines, hitLines, block, picked, cursor }: LogModel,
): string {
  const within = (span: typeof block) => span !== undefined && line >= span.first && line <= span.last;
  const isOf = (lines: readonly number[]) => countWithin(lines, { firstLine: line, lastLine: line }) > 0;
  return [
    'r',
    state,
    isOf(errorLines) && 'err',
    isOf(warningLines) && 'warn',
    within(block) && 'sel',
    within(picked) && 'picked',
    isOf(hitLines) && 'hit',
    line === cursor && 'cur',
  ]
    .filter(Boolean)
    .join(' ');
}

export function gapRow(gap: Gap, isOpen: boolean, model: LogModel): HTMLElement {
  const { firstLine, lastLine, chars, bytes, firstChar = 1 } = gap;
  const isFetched = model.fetched.some(
    ({ first_line, last_line }) =>
      first_line !== null && last_line !== null && first_line <= lastLine && last_line >= firstLine,
  );
  const holdsCursor = !isOpen && model.cursor >= firstLine && model.cursor <= lastLine;
  const [count, range] =
    model.by === 'chars'
      ? [pluralize(chars, 'char'), formatLines(firstChar, firstChar + chars - 1)]
      : [
          pluralize(lastLine - firstLine + 1, 'line'),
          `${formatLines(firstLine, lastLine)} · ${formatBytes(bytes)}`,
        ];
  const row = buttonRow('gap', firstLine, ['gap', isFetched && 'was', holdsCursor && 'cur']);
  row.ariaExpanded = String(isOpen);
  row.append(
    element('span', 'n', icon(ChevronRight, 'chev')),
    element(
      'span',
      'g',
      element('strong', '', count),
      ' left out ',
      element('span', 'dim', range),
      ...chips(gap, model, isFetched),
    ),
  );
  return row;
}

export function moreRow(gap: Gap, firstLine: number, { by }: LogModel): HTMLElement {
  const row = buttonRow('more', firstLine, ['more-row']);
  const left = gap.lastLine - firstLine + 1;
  const rows = by === 'chars' ? 'rows' : 'lines';
  row.textContent = `Show ${left <= 1_000 ? 'all' : '1,000 more of'} ${formatCount(left)} ${rows}`;
  return row;
}

function buttonRow(kind: 'gap' | 'more', line: number, classes: readonly (string | false)[]) {
  const row = element('button', classes.filter(Boolean).join(' '));
  row.type = 'button';
  row.tabIndex = -1;
  row.dataset.row = kind;
  row.dataset.line = String(line);
  return row;
}

function chips(gap: Gap, { errorLines, warningLines }: LogModel, isFetched: boolean): HTMLElement[] {
  const errors = countWithin(errorLines, gap);
  const warnings = countWithin(warningLines, gap);
  return [
    ...(errors > 0 ? [chip('error', CircleX, pluralize(errors, 'error'))] : []),
    ...(warnings > 0 ? [chip('warning', TriangleAlert, pluralize(warnings, 'warning'))] : []),
    ...(isFetched ? [chip('fetched', Download, 'read later')] : []),
  ];
}

function chip(tone: string, of: Parameters<typeof icon>[0], words: string): HTMLElement {
  return element('span', `chip ${tone}`, icon(of, 's'), words);
}

type LineRange = Pick<Gap, 'firstLine' | 'lastLine'>;

/** How many of the sorted lines lie in a range. */
function countWithin(lines: readonly number[], { firstLine, lastLine }: LineRange): number {
  const before = (limit: number) => {
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle] as number) < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return before(lastLine + 1) - before(firstLine);
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

function icon(
  nodes: readonly (readonly [string, Readonly<Record<string, string | number | undefined>>])[],
  classes: string,
): SVGElement {
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
