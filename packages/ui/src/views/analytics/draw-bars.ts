/** Draws bars with uPlot. The only file that imports it: it is loaded when a chart is shown. */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import type { Got } from '../../data/api-client.ts';
import { formatShort, formatSpan } from '../../data/figures.ts';

type TimeBucket = Got<'/api/analytics'>['buckets'][number];

const HEIGHT = 168;
const MOST_BAR_PX = 28;

export interface ChartSeries {
  readonly name: string;
  /** The token of its colour. */
  readonly color: `--${string}`;
  readonly of: (bucket: TimeBucket) => number;
}

export interface BarChartData {
  readonly series: readonly ChartSeries[];
  readonly buckets: readonly TimeBucket[];
  readonly bucketMs: number;
}

export interface Drawing {
  resize(): void;
  destroy(): void;
}

export function drawBars(element: HTMLElement, { series, buckets, bucketMs }: BarChartData): Drawing {
  const style = getComputedStyle(element);
  const color = colorsOf(element);
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: color('--ink-3'), font, ticks: { show: false }, gap: 6 };
  const grid = { stroke: color('--line'), width: 1 };
  // Half a span of room at both ends, so that no bar is cut.
  const middle = buckets.map(({ from_at }) => from_at + bucketMs / 2);
  const range: uPlot.Range.MinMax = [
    (buckets[0]?.from_at ?? 0) - bucketMs * 0.1,
    (buckets.at(-1)?.from_at ?? 0) + bucketMs * 1.1,
  ];
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      ms: 1,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 4, 0, 0],
      scales: {
        x: { time: true, range: () => range },
        y: { range: (_, least, most) => valueRange(least, most) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 90,
          size: 26,
          values: (_plot, splits, _axis, _space, step) => splits.map((at) => formatSpan(at, step)),
        },
        {
          ...axis,
          grid,
          size: 48,
          space: 28,
          incrs: [
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8,
          ],
          values: (_, splits) => splits.map(formatShort),
        },
      ],
      series: [
        {},
        ...series.map(({ name, color: token }) => ({
          label: name,
          fill: color(token),
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars?.({ size: [0.7, MOST_BAR_PX], radius: 0.15 }) ?? null,
        })),
      ],
    } as uPlot.Options,
    [middle, ...series.map(({ of }) => buckets.map(of))],
    element,
  );
  return {
    resize: () => plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    destroy: () => plot.destroy(),
  };
}

/** From zero, or below it; never flat. */
function valueRange(least: number, most: number): [number, number] {
  return [Math.min(0, least * 1.1), Math.max(1, most * 1.1)];
}

/** A token as the colour it has now: a canvas does not resolve `light-dark()`. */
function colorsOf(element: HTMLElement): (token: string) => string {
  const probe = element.appendChild(document.createElement('span'));
  const colors = new Map<string, string>();
  queueMicrotask(() => probe.remove());
  return (token) => {
    const known = colors.get(token);
    if (known !== undefined) return known;
    probe.style.setProperty('color', `var(${token})`);
    const found = getComputedStyle(probe).color;
    colors.set(token, found);
    return found;
  };
}
