/**
 * Shows the rows of a log that fit on the screen, however many there are. Knows nothing of Preact:
 * it owns the elements in its scroller, keeps those that stay in view, and asks `render` for new
 * ones. Rows have known heights; with `wrap` they have their own, and the row at the share of the
 * log that was scrolled is put at the same share of the screen.
 */
import type { Rows } from './rows.ts';
import { ScrollScale } from './scroll-scale.ts';

const OVERSCAN_ROWS = 12;
/** Rows are placed around a base, so that their px stay small numbers. */
const REBASE_PX = 1_000_000;

export interface ViewportOptions {
  readonly scroller: HTMLElement;
  readonly render: (row: number) => HTMLElement;
  /** After each change of what is shown: the first and last row, and whether a person scrolled. */
  readonly onShow: (first: number, last: number, byScrolling: boolean) => void;
}

export class Viewport {
  readonly #scroller: HTMLElement;
  readonly #spacer = document.createElement('div');
  readonly #layer = document.createElement('div');
  readonly #block = document.createElement('div');
  readonly #options: ViewportOptions;
  readonly #scale = new ScrollScale();
  readonly #shown = new Map<number, HTMLElement>();
  readonly #sizes: ResizeObserver;
  readonly #listening = new AbortController();
  #rows: Rows | undefined;
  #height = 0;
  #base = 0;
  #frame = 0;
  #wrap = false;
  #widest = 0;

  constructor(options: ViewportOptions) {
    this.#options = options;
    this.#scroller = options.scroller;
    this.#spacer.className = 'vp-spacer';
    this.#layer.className = 'vp-layer';
    this.#block.className = 'vp-block';
    this.#layer.append(this.#block);
    this.#spacer.append(this.#layer);
    this.#scroller.replaceChildren(this.#spacer);
    const { signal } = this.#listening;
    this.#scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true, signal });
    this.#scroller.addEventListener('scrollend', () => this.#settle(), { signal });
    this.#scroller.addEventListener('keydown', (event) => this.#onKeyDown(event), { signal });
    this.#sizes = new ResizeObserver(() => this.#onResize());
    this.#sizes.observe(this.#scroller);
  }

  close(): void {
    this.#listening.abort();
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  /** Shows other rows; `top` is the position in px, else the place stays. */
  setRows(rows: Rows, top?: number): void {
    this.#rows = rows;
    this.#clear();
    this.#onResize(top);
  }

  setWrap(wrap: boolean): void {
    if (wrap === this.#wrap) return;
    this.#wrap = wrap;
    this.#scroller.classList.toggle('wrap', wrap);
    this.#spacer.style.width = wrap || this.#widest === 0 ? '' : widthOf(this.#widest);
    this.refresh();
  }

  /** Makes all rows anew: their content has changed. */
  refresh(): void {
    this.#clear();
    this.#show(false);
  }

  /** Makes the rows anew that a test holds for; the others stay, with what is selected in them. */
  refreshSome(isStale: (element: HTMLElement) => boolean): void {
    for (const [row, element] of [...this.#shown]) {
      if (!isStale(element)) continue;
      const fresh = this.#place(row);
      element.replaceWith(fresh);
      this.#shown.set(row, fresh);
    }
    if (this.#wrap) this.#show(false);
  }

  /** Room for lines this many chars wide, so that the width does not jump while scrolling. */
  widen(chars: number): void {
    if (chars <= this.#widest) return;
    this.#widest = chars;
    this.#spacer.style.width = this.#wrap ? '' : widthOf(chars);
  }

  /** Position of the first visible row, in px. */
  get top(): number {
    return this.#scale.top;
  }

  scrollToTop(top: number): void {
    this.#scroller.scrollTop = this.#scale.goTo(top);
    this.#show(false);
  }

  /** Brings a row into view that is not: to a third of the height, or only as far as needed. */
  scrollToRow(row: number, how: 'third' | 'nearest'): void {
    if (!this.#rows) return;
    const top = this.#rows.topOf(row);
    const bottom = top + this.#rows.heightOf(row);
    const isVisible = top >= this.#scale.top && bottom <= this.#scale.top + this.#height;
    if (isVisible) return;
    if (how === 'third') this.scrollToTop(top - this.#height / 3);
    else this.scrollToTop(top < this.#scale.top ? top : bottom - this.#height);
  }

  #onScroll(): void {
    // We put it there ourselves.
    if (this.#scale.isAt(this.#scroller.scrollTop)) return;
    this.#scale.moved(this.#scroller.scrollTop);
    if (this.#scale.isStuck) this.#settle();
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#show(true));
  }

  /** Browsers glide to the ends; the last small moves of it would count 1:1 and stop short. */
  #onKeyDown(event: KeyboardEvent): void {
    const isPlain = !(event.altKey || event.metaKey || event.shiftKey);
    if (!isPlain || (event.key !== 'Home' && event.key !== 'End')) return;
    event.preventDefault();
    this.scrollToTop(event.key === 'Home' ? 0 : (this.#rows?.height ?? 0));
  }

  #settle(): void {
    const top = this.#scale.settled();
    if (Math.abs(this.#scroller.scrollTop - top) >= 1) this.#scroller.scrollTop = top;
  }

  #onResize(top?: number): void {
    if (!this.#rows) return;
    this.#height = this.#scroller.clientHeight;
    this.#scale.resize(this.#rows.height, this.#height);
    this.#spacer.style.height = `${this.#scale.spacer}px`;
    this.#layer.style.height = `${Math.min(this.#height, this.#scale.spacer)}px`;
    this.#scroller.scrollTop = this.#scale.goTo(top ?? this.#scale.top);
    this.#show(false);
  }

  #clear(): void {
    for (const element of this.#shown.values()) element.remove();
    this.#shown.clear();
  }

  #show(byScrolling: boolean): void {
    if (!this.#rows || this.#rows.count === 0) return;
    if (this.#wrap) this.#showWrapped(byScrolling);
    else this.#showExact(byScrolling);
  }

  #showExact(byScrolling: boolean): void {
    const rows = this.#rows as Rows;
    const { top } = this.#scale;
    if (Math.abs(top - this.#base) > REBASE_PX) {
      this.#base = Math.round(top);
      this.#clear();
    }
    const first = rows.rowAt(top);
    const last = rows.rowAt(top + this.#height);
    this.#draw(Math.max(0, first - OVERSCAN_ROWS), Math.min(rows.count - 1, last + OVERSCAN_ROWS));
    this.#block.style.transform = `translateY(${Math.round(this.#base - top)}px)`;
    this.#options.onShow(first, last, byScrolling);
  }

  #draw(first: number, last: number): void {
    for (const [row, element] of this.#shown)
      if (row < first || row > last) {
        element.remove();
        this.#shown.delete(row);
      }
    // From the end, so that the next row is there: a selection and a screen reader follow the
    // order.
    for (let row = last; row >= first; row -= 1) {
      if (this.#shown.has(row)) continue;
      const element = this.#place(row);
      this.#block.insertBefore(element, this.#shown.get(row + 1) ?? null);
      this.#shown.set(row, element);
    }
  }

  #place(row: number): HTMLElement {
    const element = this.#options.render(row);
    if (!this.#wrap && this.#rows) element.style.top = `${this.#rows.topOf(row) - this.#base}px`;
    return element;
  }

  #showWrapped(byScrolling: boolean): void {
    const rows = this.#rows as Rows;
    const range = rows.height - this.#height;
    const share = range <= 0 ? 0 : this.#scale.top / range;
    const exact = share * rows.height;
    const anchor = rows.rowAt(Math.min(exact, rows.height - 1));
    const within = (exact - rows.topOf(anchor)) / rows.heightOf(anchor);
    const fits = Math.ceil(this.#height / rows.lineHeight) + 1;
    const first = Math.max(0, anchor - Math.ceil(share * fits) - 1);
    const last = Math.min(rows.count - 1, anchor + Math.ceil((1 - share) * fits) + 1);
    this.#draw(first, last);
    const element = this.#shown.get(anchor);
    if (element) {
      const at = element.offsetTop + within * element.offsetHeight - share * this.#height;
      // A log that is shorter than the screen starts at its top.
      const y = first === 0 ? Math.max(0, at) : at;
      this.#block.style.transform = `translateY(${-y}px)`;
    }
    this.#options.onShow(first, last, byScrolling);
  }
}

/** Room for that many chars and the numbers of the lines. */
function widthOf(chars: number): string {
  return `max(100%, calc(${chars}ch + 100px))`;
}
