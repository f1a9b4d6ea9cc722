/**
 * A log: the rows of a part in an element that scrolls. It knows which gaps are open and goes to
 * lines, gaps and rows; the page tells it all else as one value, and hears what a person does. No
 * Preact in it.
 */
import { gapRow, lineRow, moreRow } from './log-rows.ts';
import { type LineSpan, type LogFacts, type OpenGaps, type Row, Rows, type Run } from './rows.ts';
import { Viewport } from './viewport.ts';

/** Rows before and behind the screen whose lines are loaded. */
const AHEAD_ROWS = 100;
/** A longer gap opens by this many lines, and then by more on demand. */
const OPENED_LINES = 100;
const OPENED_WHOLE = 200;
const MORE_LINES = 1_000;
const LINE_PX = 18;

/** What a person does. */
export interface LogActions {
  /** The number of a line was clicked; `extend`: up to it. */
  readonly onPick?: (line: number, extend: boolean) => void;
  readonly onCursor?: (line: number) => void;
  readonly onShow?: (span: LineSpan, byScrolling: boolean) => void;
}

export class Log {
  readonly #viewport: Viewport;
  readonly #scroller: HTMLElement;
  readonly #actions: () => LogActions;
  #facts: LogFacts | undefined;
  #rows = new Rows([], null, LINE_PX, LINE_PX);
  #open: OpenGaps = new Map();

  constructor(scroller: HTMLElement, actions: () => LogActions) {
    this.#scroller = scroller;
    this.#actions = actions;
    this.#viewport = new Viewport({
      scroller,
      render: (row) => this.#render(row),
      onShow: (first, last, byScrolling) => this.#onShow(first, last, byScrolling),
    });
    scroller.addEventListener('click', (event) => this.#onClick(event));
  }

  close(): void {
    this.#viewport.close();
  }

  focus(): void {
    this.#scroller.focus();
  }

  get hasFocus(): boolean {
    return this.#scroller.contains(document.activeElement);
  }

  set(facts: LogFacts): void {
    const before = this.#facts;
    const isSame = (...names: readonly (keyof LogFacts)[]) =>
      before !== undefined && names.every((name) => Object.is(before[name], facts[name]));
    if (isSame(...(Object.keys(facts) as (keyof LogFacts)[]))) return;
    this.#facts = facts;
    this.#viewport.setWrap(facts.wrap);
    if (isSame('view', 'isWhole', 'lineCount')) this.#viewport.refresh();
    else this.#fold(this.#open);
  }

  /** Lines have arrived. */
  loaded(widest: number): void {
    this.#viewport.widen(widest);
    this.#viewport.refreshSome(({ dataset }) => dataset.waits !== undefined);
  }

  /** Moves the cursor to a line, out of a folded gap, and shows it. */
  goTo(line: number): void {
    this.reveal(line);
    this.#actions().onCursor?.(line);
    this.#viewport.scrollToRow(this.#rows.rowOfLine(line), 'third');
  }

  /** Opens the gap that hides a line far enough to show it. */
  reveal(line: number): void {
    const run = this.#facts?.view?.runs.find((each) => line >= each.first_line && line <= each.last_line);
    if (!run || run.kept) return;
    const needed = line - run.first_line + 1;
    if ((this.#open.get(run.first_line) ?? 0) >= needed) return;
    this.#fold(new Map(this.#open).set(run.first_line, Math.max(OPENED_LINES, needed + OPENED_LINES)));
  }

  /** Puts a line at the top. */
  scrollTo(line: number): void {
    this.#viewport.scrollToTop(this.#rows.topOf(this.#rows.rowOfLine(line)));
  }

  /** Puts a line at a third of the height. */
  show(line: number): void {
    this.#viewport.scrollToRow(this.#rows.rowOfLine(line), 'third');
  }

  /** Moves the cursor by a row. */
  move(step: 1 | -1): void {
    const row = this.#rows.rowOfLine(this.#facts?.cursor ?? 1) + step;
    this.#goToRow(Math.max(0, Math.min(this.#rows.count - 1, row)));
  }

  goToGap(step: 1 | -1): void {
    this.#goToRow(nextOf(this.#rows.gapRows(), this.#rows.rowOfLine(this.#facts?.cursor ?? 1), step));
  }

  /** Opens or folds the gap at the cursor. */
  toggle(row = this.#rows.at(this.#rows.rowOfLine(this.#facts?.cursor ?? 1))): void {
    if (!row || row.run.kept || !this.#facts?.view) return;
    const { first_line: first, last_line: last } = row.run;
    const open = new Map(this.#open);
    const lines = last - first + 1;
    if (!open.delete(first)) open.set(first, lines <= OPENED_WHOLE ? lines : OPENED_LINES);
    this.#fold(open);
    this.#actions().onCursor?.(first);
    this.#viewport.scrollToRow(this.#rows.rowOfLine(Math.min(last, first + 8)), 'nearest');
  }

  /** All gaps open, or none. */
  toggleAll(): void {
    const gaps = this.#open.size > 0 ? [] : (this.#facts?.view?.runs ?? []).filter(({ kept }) => !kept);
    this.#fold(new Map(gaps.map((run) => [run.first_line, run.last_line - run.first_line + 1])));
  }

  /** The line at the top stays where it is. */
  #fold(open: OpenGaps): void {
    const { view, lineCount, isWhole } = this.#facts as LogFacts;
    const before = this.#rows;
    const runs = view?.runs ?? (lineCount === 0 ? [] : [wholeRun(lineCount)]);
    // Gaps are taller where they are touched.
    const gap = matchMedia('(max-width: 819px)').matches ? 40 : 30;
    this.#open = open;
    this.#rows = new Rows(runs, isWhole || !view ? null : open, LINE_PX, gap);
    const row = before.rowAt(this.#viewport.top);
    const found = before.at(row);
    const within = found?.kind === 'line' ? this.#viewport.top - before.topOf(row) : 0;
    const top = found && this.#rows.topOf(this.#rows.rowOfLine(found.line)) + within;
    this.#viewport.setRows(this.#rows, top);
  }

  #goToRow(row: number | undefined): void {
    const found = row === undefined ? undefined : this.#rows.at(row);
    if (row === undefined || !found) return;
    this.#actions().onCursor?.(found.line);
    this.#viewport.scrollToRow(row, 'nearest');
  }

  #render(row: number): HTMLElement {
    const facts = this.#facts as LogFacts;
    const found = this.#rows.at(row) as Row;
    if (found.kind === 'line') return lineRow(found, facts);
    return found.kind === 'gap' ? gapRow(found, facts) : moreRow(found, facts);
  }

  #onShow(first: number, last: number, byScrolling: boolean): void {
    const rows = this.#rows;
    const needed: number[] = [];
    for (let row = Math.max(0, first - AHEAD_ROWS); row <= last + AHEAD_ROWS; row += 1) {
      const found = rows.at(row);
      if (found === undefined) break;
      if (found.kind === 'line') needed.push(found.line);
    }
    this.#facts?.lines.need(needed);
    const [from, to] = [rows.at(first), rows.at(last)];
    if (!from || !to) return;
    const end = to.kind === 'line' ? to.line : to.run.last_line;
    this.#actions().onShow?.({ first: from.line, last: end }, byScrolling);
  }

  #onClick(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : undefined;
    const element = target?.closest<HTMLElement>('[data-line]');
    if (!element) return;
    const line = Number(element.dataset.line);
    if (target?.closest('a.n')) {
      event.preventDefault();
      this.#actions().onPick?.(line, event.shiftKey);
    } else if (element.dataset.row === undefined) {
      // Selecting text is no click.
      if (getSelection()?.isCollapsed !== false) this.#actions().onCursor?.(line);
    } else {
      const row = this.#rows.at(this.#rows.rowOfLine(line));
      if (element.dataset.row === 'gap') this.toggle(row);
      else if (row) this.#showMore(row.run);
    }
  }

  #showMore({ first_line: first }: Run): void {
    this.#fold(new Map(this.#open).set(first, (this.#open.get(first) ?? 0) + MORE_LINES));
  }
}

function wholeRun(lines: number): Run {
  return { kept: false, first_line: 1, last_line: lines, chars: 0, bytes: 0 };
}

/** The next of the sorted numbers after `from`, around the ends. */
export function nextOf(sorted: readonly number[], from: number, step: 1 | -1): number | undefined {
  if (step === 1) return sorted.find((each) => each > from) ?? sorted[0];
  return sorted.findLast((each) => each < from) ?? sorted.at(-1);
}
