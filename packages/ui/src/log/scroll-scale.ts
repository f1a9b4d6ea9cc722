/**
 * Scrolling through more than a browser can be tall. Chromium caps heights at 33,554,428 px, at
 * half of it on HiDPI screens, so the scrolled element stays below 8 million px and stands for a
 * taller one. Small moves are 1:1, so that a wheel feels as everywhere; larger ones (the bar, Page
 * Down held, End) are proportional. The two drift apart by small moves; `settled` says where the
 * bar belongs. Near both ends a px of the bar is a px of the whole, so that a wheel reaches the
 * ends without a jump.
 */

const MAX_SPACER_PX = 8_000_000;
/** How far from an end the bar is exact. */
const END_PX = 100_000;

export class ScrollScale {
  /** The position in the whole, in px. */
  top = 0;
  #height = 0;
  #viewport = 1;
  #barTop = 0;

  /** The height of the scrolled element. */
  get spacer(): number {
    return Math.min(this.#height, MAX_SPACER_PX);
  }

  resize(height: number, viewport: number): void {
    this.#height = height;
    this.#viewport = viewport;
    this.top = this.#clamp(this.top);
  }

  /** The element was scrolled to `barTop`; the position after it. */
  moved(barTop: number): number {
    const delta = barTop - this.#barTop;
    this.#barTop = barTop;
    const isSmall = Math.abs(delta) < 2 * this.#viewport;
    if (this.#isExact) this.top = barTop;
    else if (isSmall) this.top = this.#clamp(this.top + delta);
    else this.top = this.#clamp(scaled(barTop, this.#barRange, this.#range));
    return this.top;
  }

  /** Whether the bar already stands there; screens round to parts of a px. */
  isAt(barTop: number): boolean {
    return Math.abs(barTop - this.#barTop) < 1;
  }

  /** Whether the bar has reached an end that the position has not. */
  get isStuck(): boolean {
    if (this.#isExact) return false;
    const atStart = this.#barTop <= 0 && this.top > 0;
    return atStart || (this.#barTop >= this.#barRange && this.top < this.#range);
  }

  /** Goes to a position; where the bar belongs then. */
  goTo(top: number): number {
    this.top = this.#clamp(top);
    return this.settled();
  }

  /** Where the bar belongs for the position. The element must be scrolled there. */
  settled(): number {
    this.#barTop = this.#isExact ? this.top : Math.round(scaled(this.top, this.#range, this.#barRange));
    return this.#barTop;
  }

  get #isExact(): boolean {
    return this.#height <= MAX_SPACER_PX;
  }

  get #range(): number {
    return Math.max(1, this.#height - this.#viewport);
  }

  get #barRange(): number {
    return Math.max(1, this.spacer - this.#viewport);
  }

  #clamp(top: number): number {
    return Math.max(0, Math.min(top, this.#height - this.#viewport));
  }
}

/** A place on a way of length `from` as a place on one of length `to`: exact at the ends. */
function scaled(at: number, from: number, to: number): number {
  if (at <= END_PX) return at;
  if (at >= from - END_PX) return to - (from - at);
  return END_PX + ((at - END_PX) / (from - 2 * END_PX)) * (to - 2 * END_PX);
}
