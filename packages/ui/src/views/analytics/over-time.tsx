/** Two charts over the same spans of time, each with its numbers as a table. */
import type { TimeBucket } from '../../../../spillway/src/inspector/api.ts';
import { formatCount, formatShort, formatSpan } from '../../data/figures.ts';
import { BarChart } from './bar-chart.tsx';
import type { ChartSeries } from './draw-bars.ts';

interface OverTimeProps {
  readonly buckets: readonly TimeBucket[];
  readonly bucketMs: number;
}

const COUNTS: readonly ChartSeries[] = [
  { name: 'Results', color: '--omit-bar', of: ({ outputs }) => outputs },
  { name: 'Cut', color: '--kept-bar', of: ({ cut }) => cut },
  { name: 'Cut and fetched again', color: '--fetched', of: ({ fetched }) => fetched },
];
const SAVED: readonly ChartSeries[] = [
  { name: 'Tokens', color: '--kept-bar', of: ({ tokens_saved }) => tokens_saved },
];

export function OverTime({ buckets, bucketMs }: OverTimeProps) {
  const span = spanWords(bucketMs);
  return (
    <div class="charts">
      <Chart title={`Results and cuts per ${span}`} series={COUNTS} buckets={buckets} bucketMs={bucketMs} />
      <Chart
        title={`Tokens saved, net of fetches, per ${span}`}
        series={SAVED}
        buckets={buckets}
        bucketMs={bucketMs}
      />
    </div>
  );
}

function Chart({
  title,
  series,
  buckets,
  bucketMs,
}: OverTimeProps & { title: string; series: readonly ChartSeries[] }) {
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        {series.length > 1 && (
          <ul class="legend">
            {series.map(({ name, color }) => (
              <li key={name}>
                <i class={`swatch ${color.slice(2)}`} />
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <BarChart title={title} series={series} buckets={buckets} bucketMs={bucketMs} />
      <details>
        <summary>Table</summary>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">From</th>
              {series.map(({ name }) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {buckets
              .filter(({ outputs }) => outputs > 0)
              .map((bucket) => (
                <tr key={bucket.from_at}>
                  <th scope="row">{formatSpan(bucket.from_at, bucketMs)}</th>
                  {series.map(({ name, of }) => (
                    <td key={name}>{formatCount(of(bucket))}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
        <p class="hint">
          {formatShort(buckets.filter(({ outputs }) => outputs === 0).length)} spans without a result are left
          out.
        </p>
      </details>
    </figure>
  );
}

const HOUR_MS = 3_600_000;

function spanWords(ms: number): string {
  const words = new Map([
    [HOUR_MS / 4, '15 minutes'],
    [HOUR_MS, 'hour'],
    [6 * HOUR_MS, '6 hours'],
    [24 * HOUR_MS, 'day'],
    [7 * 24 * HOUR_MS, 'week'],
    [30 * 24 * HOUR_MS, '30 days'],
  ]);
  return words.get(ms) ?? `${Math.round(ms / 24 / HOUR_MS)} days`;
}
