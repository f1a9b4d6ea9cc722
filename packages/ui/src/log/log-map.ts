/**
 * The map of a log: one strip of what was shown and left out, marks for errors, warnings and what
 * was read later, and a frame around what is on the screen. Drawn on a canvas, a pixel row at a
 * time, so that a million lines cost no more than a hundred. A click goes to the place.
 */
import type { LineRun } from '../../../spillway/src/inspector/api.ts';
import type { LineSpan } from './log-model.ts';

export interface MapModel {
  readonly lines: number;
  readonly runs: readonly LineRun[];
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
  readonly hits: readonly number[];
  readonly fetched: readonly LineSpan[];
  readonly view: LineSpan;
}

export class LogMap {
  readonly #canvas: HTMLCanvasElement;
  readonly #sizes: ResizeObserver;
  readonly #colours = new Map<string, string>();
  #model: MapModel | undefined;
  #frame = 0;

  constructor(canvas: HTMLCanvasElement, onGo: (line: number) => void) {
    this.#canvas = canvas;
    this.#sizes = new ResizeObserver(() => this.draw());
    this.#sizes.observe(canvas);
    const go = (event: PointerEvent) => {
      if (!this.#model || event.buttons !== 1) return;
      const share = event.offsetY / canvas.clientHeight;
      onGo(Math.max(1, Math.min(this.#model.lines, Math.round(share * this.#model.lines))));
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener('pointermove', go);
  }

  close(): void {
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  /** Another theme: colours are read anew. */
  recolour(): void {
    this.#colours.clear();
    this.draw();
  }

  update(model: MapModel): void {
    this.#model = model;
    this.draw();
  }

  draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    const context = this.#canvas.getContext('2d');
    if (!context || !this.#model) return;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = devicePixelRatio;
    this.#canvas.width = Math.round(width * scale);
    this.#canvas.height = Math.round(height * scale);
    context.scale(scale, scale);
    const fill = (name: string, alpha = 1) => {
      context.fillStyle = this.#colour(name);
      context.globalAlpha = alpha;
    };
    paintMap(context, this.#model, { width, height, fill });
  }

  /** A token as the colour that it is now: a canvas does not know `light-dark()`. */
  #colour(name: string): string {
    let colour = this.#colours.get(name);
    if (colour === undefined) {
      this.#canvas.style.color = `var(--${name})`;
      colour = getComputedStyle(this.#canvas).color;
      this.#colours.set(name, colour);
    }
    return colour;
  }
}

interface Paper {
  readonly width: number;
  readonly height: number;
  readonly fill: (name: string, alpha?: number) => void;
}

function paintMap(context: CanvasRenderingContext2D, model: MapModel, { width, height, fill }: Paper): void {
  const perLine = height / Math.max(1, model.lines);
  const strip = width < 24 ? width * 0.55 : width * 0.58;
  const yOf = (line: number) => (line - 1) * perLine;
  const bar = (x: number, wide: number, { first, last }: LineSpan, least = 1) =>
    context.fillRect(x, yOf(first), wide, Math.max(least, yOf(last + 1) - yOf(first)));
  for (const { kept, first_line, last_line } of [...model.runs].sort(
    (a, b) => Number(a.kept) - Number(b.kept),
  )) {
    fill(kept ? 'kept-bar' : 'omit-bar');
    bar(0, strip, { first: first_line, last: last_line });
  }
  const marks = (lines: readonly number[], x: number, wide: number, tall: number) => {
    for (const y of new Set(lines.map((line) => Math.floor(yOf(line))))) context.fillRect(x, y, wide, tall);
  };
  fill('warning', 0.45);
  marks(model.warnings, strip + width * 0.16, width * 0.1, 1);
  fill('fetched');
  for (const span of model.fetched) bar(strip + width * 0.07, Math.max(2, width * 0.06), span, 3);
  fill('focus');
  marks(model.hits, strip + width * 0.02, Math.max(2, width * 0.05), 2);
  fill('error');
  marks(model.errors, strip + width * 0.16, width - strip - width * 0.16, 3);
  const top = yOf(model.view.first);
  const tall = Math.max(6, yOf(model.view.last + 1) - top);
  fill('ink', 0.1);
  context.fillRect(0, top, width, tall);
  fill('ink-2');
  context.strokeStyle = context.fillStyle;
  context.strokeRect(0.5, top + 0.5, width - 1, Math.max(1, tall - 1));
}
