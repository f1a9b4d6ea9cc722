/**
 * Bars over time. uPlot is loaded when the first chart is shown; it draws on a canvas, so a table
 * beside it carries the numbers. Colours come from the tokens and follow the theme.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useValue } from '../../data/observable.ts';
import { theme } from '../../shell/theme.ts';
import type { BarChartData, Drawing } from './draw-bars.ts';

export function BarChart({ title, series, buckets, bucketMs }: BarChartData & { title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const colors = `${useValue(theme)} ${useDark()}`;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let drawing: Drawing | undefined;
    let isGone = false;
    const resized = new ResizeObserver(() => drawing?.resize());
    void import('./draw-bars.ts').then(({ drawBars }) => {
      if (isGone) return;
      drawing = drawBars(element, { series, buckets, bucketMs });
      resized.observe(element);
    });
    return () => {
      isGone = true;
      resized.disconnect();
      drawing?.destroy();
    };
  }, [series, buckets, bucketMs, colors]);
  return <div ref={box} class="chart-box" role="img" aria-label={`${title}. The table has the numbers.`} />;
}

/** Whether the system is dark: colours are read again when it changes. */
function useDark(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => setDark(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  return isDark;
}
