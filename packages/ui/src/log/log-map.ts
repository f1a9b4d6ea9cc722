/**
 * The map of a log: one strip of what was shown and left out, marks for errors, warnings and what
 * was read later, and a frame around what is on the screen. Drawn on a canvas, a pixel row at a
 * time, so that a million lines cost no more than a hundred; while somebody scrolls only the frame
 * is drawn anew, over a copy of the rest. A click goes to the place.
 */
import type { LineSpan } from './log-model.ts';

export interface MapModel {
  readonly lines: number;
  readonly runs: readonly {
    readonly kept: boolean;
    readonly first_line: number;
    readonly last_line: number;
  }[];
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
  readonly hits: readonly number[];
  readonly fetched: readonly LineSpan[];
}

export class LogMap {
  readonly #canvas: HTMLCanvasElement;
  readonly #sizes: ResizeObserver;
  readonly #colours = new Map<string, string>();
  #model: MapModel | undefined;
  #view: LineSpan = { first: 1, last: 1 };
  /** Everything but the frame, as it was drawn last. */
  #drawn: HTMLCanvasElement | undefined;
  #frame = 0;

  constructor(canvas: HTMLCanvasElement, onGo: (line: number) => void) {
    this.#canvas = canvas;
    this.#sizes = new ResizeObserver(() => this.#redraw());
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
    this.#redraw();
  }

  update(model: MapModel): void {
    this.#model = model;
    this.#redraw();
  }

  /** Puts the frame around these lines. */
  show(view: LineSpan): void {
    this.#view = view;
    this.#draw();
  }

  #redraw(): void {
    this.#drawn = undefined;
    this.#draw();
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    const context = this.#canvas.getContext('2d');
    if (!context || !this.#model) return;
    this.#drawn ??= this.#paintedModel(this.#model);
    const { width, height } = this.#drawn;
    if (width === 0 || height === 0) return;
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.clearRect(0, 0, width, height);
    context.drawImage(this.#drawn, 0, 0);
    context.scale(devicePixelRatio, devicePixelRatio);
    paintFrame(context, this.#model.lines, this.#view, this.#paper(context));
  }

  #paintedModel(model: MapModel): HTMLCanvasElement {
    const drawn = document.createElement('canvas');
    drawn.width = Math.round(this.#canvas.clientWidth * devicePixelRatio);
    drawn.height = Math.round(this.#canvas.clientHeight * devicePixelRatio);
    const context = drawn.getContext('2d');
    if (!context) return drawn;
    context.scale(devicePixelRatio, devicePixelRatio);
    paintMap(context, model, this.#paper(context));
    return drawn;
  }

  #paper(context: CanvasRenderingContext2D): Paper {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const fill = (name: string, alpha = 1) => {
      context.fillStyle = this.#colour(name);
      context.globalAlpha = alpha;
    };
    return { width, height, fill };
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
}

function paintFrame(
  context: CanvasRenderingContext2D,
  lines: number,
  { first, last }: LineSpan,
  { width, height, fill }: Paper,
): void {
  const perLine = height / Math.max(1, lines);
  const top = (first - 1) * perLine;
  const tall = Math.max(6, (last - first + 1) * perLine);
  fill('ink', 0.1);
  context.fillRect(0, top, width, tall);
  fill('ink-2');
  context.strokeStyle = context.fillStyle;
  context.strokeRect(0.5, top + 0.5, width - 1, Math.max(1, tall - 1));
}
