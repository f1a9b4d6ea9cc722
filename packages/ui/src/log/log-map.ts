/**
 * The map of a log: one strip of what was shown and left out, marks for errors, warnings and what
 * was read later, and a frame around what is on the screen. Drawn on a canvas, a pixel row at a
 * time, so that a million lines cost no more than a hundred; scrolling moves the frame only. A click
 * goes to the place.
 */
import type { LineSpan } from './facts.ts';
import type { Run } from './rows.ts';

export interface MapModel {
  readonly lines: number;
  readonly runs: readonly Pick<Run, 'kept' | 'first_line' | 'last_line'>[];
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
  readonly hits: readonly number[];
  readonly fetched: readonly LineSpan[];
}

export class LogMap {
  readonly #canvas: HTMLCanvasElement;
  readonly #frame: HTMLElement;
  readonly #sizes: ResizeObserver;
  #model: MapModel | undefined;

  constructor(canvas: HTMLCanvasElement, frame: HTMLElement, onGo: (line: number) => void) {
    this.#canvas = canvas;
    this.#frame = frame;
    this.#sizes = new ResizeObserver(() => this.paint());
    this.#sizes.observe(canvas);
    const go = ({ buttons, offsetY }: PointerEvent) => {
      if (!this.#model || buttons !== 1) return;
      const { lines } = this.#model;
      onGo(Math.max(1, Math.min(lines, Math.round((offsetY / canvas.clientHeight) * lines))));
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener('pointermove', go);
  }

  close(): void {
    this.#sizes.disconnect();
  }

  update(model: MapModel): void {
    this.#model = model;
    this.paint();
  }

  /** Puts the frame around these lines. */
  show({ first, last }: LineSpan): void {
    const lines = Math.max(1, this.#model?.lines ?? 1);
    this.#frame.style.top = `${((first - 1) / lines) * 100}%`;
    this.#frame.style.height = `${((last - first + 1) / lines) * 100}%`;
  }

  /** Draws all of it anew: for another model, size or theme. */
  paint(): void {
    const context = this.#canvas.getContext('2d');
    if (!context || !this.#model) return;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    this.#canvas.width = Math.round(width * devicePixelRatio);
    this.#canvas.height = Math.round(height * devicePixelRatio);
    context.scale(devicePixelRatio, devicePixelRatio);
    const { lines, runs, errors, warnings, hits, fetched } = this.#model;
    const perLine = height / Math.max(1, lines);
    const strip = width * (width < 24 ? 0.55 : 0.58);
    const yOf = (line: number) => (line - 1) * perLine;
    const bar = (x: number, wide: number, { first, last }: LineSpan, least = 1) =>
      context.fillRect(x, yOf(first), wide, Math.max(least, yOf(last + 1) - yOf(first)));
    const marks = (some: readonly number[], x: number, wide: number, tall: number) => {
      for (const y of new Set(some.map((line) => Math.floor(yOf(line))))) context.fillRect(x, y, wide, tall);
    };
    // What was kept is drawn over what was left out: a pixel may stand for many lines.
    for (const isKept of [false, true]) {
      this.#fill(context, isKept ? 'kept-bar' : 'omit-bar');
      for (const { kept, first_line: first, last_line: last } of runs)
        if (kept === isKept) bar(0, strip, { first, last });
    }
    this.#fill(context, 'warning', 0.45);
    marks(warnings, strip + width * 0.16, width * 0.1, 1);
    this.#fill(context, 'fetched');
    for (const span of fetched) bar(strip + width * 0.07, Math.max(2, width * 0.06), span, 3);
    this.#fill(context, 'focus');
    marks(hits, strip + width * 0.02, Math.max(2, width * 0.05), 2);
    this.#fill(context, 'error');
    marks(errors, strip + width * 0.16, width * 0.84 - strip, 3);
  }

  /** A token as the colour that it is now: a canvas does not know `light-dark()`. */
  #fill(context: CanvasRenderingContext2D, name: string, alpha = 1): void {
    this.#canvas.style.color = `var(--${name})`;
    context.fillStyle = getComputedStyle(this.#canvas).color;
    context.globalAlpha = alpha;
  }
}
