/**
 * Takes the pieces of a plan within a room, reads rows as text, and helps to make plans. Units:
 * chars as rendered; shares are parts of the room.
 */
import type { Plan, PlanFacts, PlanPiece, PlanRows, RowRun } from '../model/plan.ts';
import type { Policy } from '../model/policy.ts';
import { decode } from '../text/utf8.ts';
import { CONTINUED, HIGH, type LineTable } from './line-table.ts';
import type { RowFit } from './row-fit.ts';

export type Planner = (rows: Rows, facts: PlanFacts) => Plan | null;

/** Our own line about a row is cut here. */
const MOST_NOTE_CHARS = 150;
/** This many consecutive rows are shown as text. */
const LEAST_RUN = 3;
const SEEN_BYTES = 1_200;
const SAMPLED = 150;

/**
 * How much of the room is enough: most of a small one, a falling share of a large one. A strategy
 * that was named for the tool or the call gets all of it.
 */
export function enoughOf(room: number, { strategy }: Policy): number {
  return strategy === 'auto' ? Math.min(room, 1_600 + 0.35 * room) : room;
}

export class Rows implements PlanRows {
  readonly table: LineTable;
  readonly #texts: (string | undefined)[] = [];
  readonly count: number;

  constructor(table: LineTable) {
    this.table = table;
    this.count = table.rows;
  }

  text(row: number): string {
    let text = this.#texts[row];
    if (text === undefined) {
      const { from, to, ending, flags, bytes } = this.table;
      const start = from[row] as number;
      const end = Math.min((to[row] as number) - (ending[row] as number), start + SEEN_BYTES);
      if (row < 0 || row >= this.count || ((flags[row] as number) & CONTINUED) !== 0) text = '';
      else if (((flags[row] as number) & HIGH) === 0) text = bytes.toString('latin1', start, end).trimEnd();
      else text = decode(bytes.subarray(start, end)).trimEnd();
      this.#texts[row] = text;
    }
    return text;
  }

  indent(row: number): number {
    const text = this.text(row);
    let columns = 0;
    for (let at = 0; at < text.length; at++) {
      if (text[at] === ' ' || text[at] === '|' || text[at] === '│') columns++;
      else if (text[at] === '\t') columns += 4;
      else break;
    }
    return columns;
  }

  filled(): number[] {
    const rows: number[] = [];
    for (let row = 0; row < this.count; row++) if (this.text(row).trim() !== '') rows.push(row);
    return rows;
  }

  share(test: (text: string) => boolean): number {
    const step = Math.max(1, this.count / SAMPLED);
    let seen = 0;
    let held = 0;
    for (let at = 0; at < this.count; at += step) {
      const text = this.text(Math.floor(at));
      if (text.trim() === '') continue;
      seen++;
      if (test(text)) held++;
    }
    return seen === 0 ? 0 : held / seen;
  }
}

export function takeTiers(fit: RowFit, rows: Rows, { tiers, ...plan }: Plan, enough: number): void {
  let isInOrder = true;
  for (const { pieces, share = 1, over, inOrder } of tiers) {
    const whole = over === true ? fit.share.chars : enough;
    const most = Math.min(whole, fit.chars + share * whole);
    for (let at = 0; at < pieces.length && (inOrder !== true || isInOrder); ) {
      const { row, to = row, text, isWhole } = pieces[at] as PlanPiece;
      let end = at + 1;
      if (isWhole === true) {
        const isTaken = fit.takeTogether([...(plan.with?.(row) ?? []), [row, to]], most);
        if (inOrder === true) isInOrder &&= isTaken;
        at = end;
        continue;
      }
      let last = to;
      while (text === undefined && pieces[end]?.text === undefined && follows(rows, last, pieces[end]?.row)) {
        const next = pieces[end++] as PlanPiece;
        last = next.to ?? next.row;
      }
      if (text !== undefined) {
        let free = row;
        while (free < to && fit.taken[free] === 1) free++;
        const isOfAll = row === 0 && to === rows.count - 1;
        const isNoted = fit.note(free, `· ${clipped(text, most)}`, most, isOfAll);
        if (inOrder === true) isInOrder &&= isNoted;
      } else takeRows(fit, rows, row, last, most, to > row);
      at = end;
    }
  }
}

/** Ignoring blank rows between them. */
function follows(rows: Rows, last: number, row: number | undefined): boolean {
  if (row === undefined || row <= last || row > last + 3) return false;
  for (let between = last + 1; between < row; between++) if (rows.text(between) !== '') return false;
  return true;
}

/** As many as fit; few of them become lines below a marker. */
function takeRows(
  fit: RowFit,
  rows: Rows,
  first: number,
  last: number,
  most: number,
  isTogether: boolean,
): void {
  const isBeside = fit.taken[first - 1] === 1 || fit.taken[last + 1] === 1 || first === 0;
  if (last - first + 1 >= LEAST_RUN || isBeside) {
    for (let end = last; end >= first; end = Math.min(end - 1, first + Math.floor((end - first) * 0.8)))
      if (fit.takeTogether([[first, end]], most)) return;
    if (!isBeside || isTogether) return;
  }
  for (let row = first; row <= last; row++) {
    const text = rows.text(row).trim();
    if (text !== '' && !fit.list(row, most))
      fit.note(row, `${rows.table.lineOf(row)}: ${clipped(text, MOST_NOTE_CHARS)}`, most);
  }
}

export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).trimEnd()}…`.toWellFormed();
}

export function piecesOf(rows: readonly number[]): PlanPiece[] {
  return rows.map((row) => ({ row }));
}

export function wholePieces(runs: readonly RowRun[]): PlanPiece[] {
  return runs.map(([row, to]) => ({ row, to, isWhole: true }));
}

/** Every prefix is spread over the whole. */
export function spread(count: number): number[] {
  const order = new Set<number>();
  if (count > 0) order.add(0).add(count - 1);
  for (let step = count / 2; step >= 0.5; step /= 2)
    for (let at = step; at < count; at += step) order.add(Math.floor(at));
  return [...order];
}

/** An even sample in order, within `chars`; the others are counted. */
export function sampleNames(names: readonly string[], chars: number): string {
  const kept = new Set<number>();
  let used = 0;
  for (const at of spread(names.length)) {
    used += (names[at] as string).length + 2;
    if (used > chars) break;
    kept.add(at);
  }
  const listed = names.filter((_, at) => kept.has(at)).join(', ');
  const left = names.length - kept.size;
  return left === 0 ? listed : `${listed}${listed === '' ? '' : ', '}… ${formatMore(left)}`;
}

function formatMore(count: number): string {
  return `${count} more`;
}
