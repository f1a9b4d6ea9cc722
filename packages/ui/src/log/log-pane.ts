/**
 * One pane of a log: a viewport whose rows are lines and gaps of a part. It is told what to show as
 * one `LogModel` and compares it with the last one; what a person does comes back as calls.
 */
import type { LineSpan, LogModel } from './log-model.ts';
import { gapRow, lineRow, moreRow } from './log-rows.ts';
import type { Gap, RowList } from './row-list.ts';
import { Viewport } from './viewport.ts';

/** Rows before and behind the screen whose lines are loaded. */
const AHEAD_ROWS = 100;

export interface LogActions {
  readonly onToggle: (gap: Gap) => void;
  readonly onMore: (gap: Gap) => void;
  readonly onPick: (line: number, extend: boolean) => void;
  readonly onCursor: (line: number) => void;
  readonly onShow: (span: LineSpan, byScrolling: boolean) => void;
}

export class LogPane {
  readonly #viewport: Viewport;
  readonly #actions: LogActions;
  #model: LogModel | undefined;

  constructor(scroller: HTMLElement, actions: LogActions) {
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

  update(model: LogModel): void {
    const before = this.#model;
    this.#model = model;
    this.#viewport.setWrap(model.wrap);
    if (before?.rows === model.rows) this.#viewport.refresh();
    else this.#viewport.setRows(model.rows, before && this.#topAfter(before.rows, model.rows));
  }

  /** Lines have arrived. */
  loaded(widest: number): void {
    this.#viewport.widen(widest);
    this.#viewport.refreshSome(({ dataset }) => dataset.waits !== undefined);
  }

  scrollToLine(line: number, how: 'third' | 'nearest' | 'top'): void {
    if (!this.#model) return;
    const row = this.#model.rows.rowOfLine(line);
    if (how === 'top') this.#viewport.scrollToTop(this.#model.rows.topOf(row));
    else this.#viewport.scrollToRow(row, how);
  }

  scrollToRow(row: number): void {
    this.#viewport.scrollToRow(row, 'nearest');
  }

  /** The line at the top stays where it is when rows are folded or unfolded. */
  #topAfter(before: RowList, after: RowList): number {
    const row = before.rowAt(this.#viewport.top);
    const within = this.#viewport.top - before.topOf(row);
    const found = before.at(row);
    if (found === undefined) return 0;
    return after.topOf(after.rowOfLine(before.lineOf(row))) + (found.kind === 'line' ? within : 0);
  }

  #render(row: number): HTMLElement {
    const model = this.#model as LogModel;
    const found = model.rows.at(row);
    if (found?.kind === 'line') return lineRow(found.line, found.state, model);
    if (found?.kind === 'gap') return gapRow(found.gap, found.isOpen, model);
    if (found?.kind === 'more') return moreRow(found.gap, found.firstLine, model);
    return document.createElement('div');
  }

  #onShow(first: number, last: number, byScrolling: boolean): void {
    const model = this.#model as LogModel;
    const needed: number[] = [];
    const [from, to] = [Math.max(0, first - AHEAD_ROWS), Math.min(model.rows.count - 1, last + AHEAD_ROWS)];
    for (let row = from; row <= to; row += 1) {
      const found = model.rows.at(row);
      if (found?.kind === 'line') needed.push(found.line);
    }
    model.lines.need(needed);
    this.#actions.onShow(
      { first: model.rows.lineOf(first), last: lastLineOf(model.rows, last) },
      byScrolling,
    );
  }

  #onClick(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : undefined;
    const element = target?.closest<HTMLElement>('[data-line], [data-row]');
    if (!element || !this.#model) return;
    const line = Number(element.dataset.line);
    if (target?.closest('a.n')) {
      event.preventDefault();
      this.#actions.onPick(line, event.shiftKey);
    } else if (element.dataset.row === undefined) {
      // Selecting text is no click.
      if (getSelection()?.isCollapsed !== false) this.#actions.onCursor(line);
    } else this.#onGap(element, line);
  }

  #onGap(element: HTMLElement, line: number): void {
    const { rows } = this.#model as LogModel;
    for (let row = rows.rowOfLine(line); row >= 0; row -= 1) {
      const found = rows.at(row);
      if (found === undefined || found.kind === 'line') continue;
      if (element.dataset.row === 'gap') this.#actions.onToggle(found.gap);
      else this.#actions.onMore(found.gap);
      return;
    }
  }
}

function lastLineOf(rows: RowList, row: number): number {
  const found = rows.at(row);
  return found?.kind === 'gap' || found?.kind === 'more' ? found.gap.lastLine : rows.lineOf(row);
}
