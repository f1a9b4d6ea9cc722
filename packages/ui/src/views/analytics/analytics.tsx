/** Analytics: what was cut, saved, fetched again and perhaps lost; over time, by tool, and what to do. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  AdviceRow,
  AnalyticsAnswer,
  LossRow,
  OutputsAnswer,
  SettingsAnswer,
  TimeBucket,
  ToolNumbers,
  ToolSettingsAnswer,
} from '../../../../spillway/src/inspector/api.ts';
import { Meter } from '../../components/bar.tsx';
import { askedFor } from '../../components/call.tsx';
import { EditSetting } from '../../components/edit-setting.tsx';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { OkIcon } from '../../components/icons.ts';
import { NotALoss } from '../../components/not-a-loss.tsx';
import { settingWords } from '../../components/setting-words.ts';
import { get } from '../../data/api-client.ts';
import {
  formatCount,
  formatShare,
  formatShort,
  formatSpan,
  formatTime,
  pluralize,
} from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useResource } from '../../data/resource.ts';
import { useSlowly } from '../../data/slowly.ts';
import { workspace } from '../../data/workspace.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress, type Route, sessionAddress, setQuery } from '../../shell/router.ts';
import { theme } from '../../shell/theme.ts';
import { OutputItem } from '../outputs/output-item.tsx';
import { settingsAddress } from '../settings/settings.tsx';
import type { BarChartData, ChartSeries, Drawing } from './draw-bars.ts';

/** Two charts over the same spans of time, each with its numbers as a table. */
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

function OverTime({ buckets, bucketMs }: OverTimeProps) {
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

/**
 * Bars over time. uPlot is loaded when the first chart is shown; it draws on a canvas, so a table
 * beside it carries the numbers. Colours come from the tokens and follow the theme.
 */
function BarChart({ title, series, buckets, bucketMs }: BarChartData & { title: string }) {
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

/** Settings that would have served better, with the outputs that say so, and one click to apply them. */
interface RecommendationsProps {
  readonly rows: readonly AdviceRow[];
  readonly none: string | null;
  readonly onApplied: () => void;
}

function Recommendations({ rows, none, onApplied }: RecommendationsProps) {
  return (
    <section class="section" aria-label="Recommendations">
      <h2>To do</h2>
      {none !== null && <p class="hint">No recommendation. {none}</p>}
      {rows.map((row) => (
        <Recommendation key={`${row.tool} ${row.setting}`} row={row} onApplied={onApplied} />
      ))}
    </section>
  );
}

function Recommendation({ row, onApplied }: { row: AdviceRow; onApplied: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [isApplying, setApplying] = useState(false);
  const { tool, setting, current, value, sentence, evidence } = row;
  return (
    <article class="card advice">
      <div class="advice-head">
        <p>
          <code>{tool}</code> <code class="dim">{setting}</code>{' '}
          <span class="num">
            {settingWords(current)} → <b>{settingWords(value)}</b>
          </span>
        </p>
        <button type="button" class="btn pri" onClick={() => setApplying(true)}>
          Apply…
        </button>
      </div>
      <p>{sentence}</p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Evidence: {pluralize(evidence.length, 'output')}</summary>
        {isOpen && <Evidence tool={tool} ids={evidence} />}
      </details>
      {isApplying && <Apply row={row} onClose={() => setApplying(false)} onApplied={onApplied} />}
    </article>
  );
}

const MOST_OUTPUTS = 500;

function Evidence({ tool, ids }: { tool: string; ids: readonly string[] }) {
  const { data, error } = useResource(`evidence ${ids.join()}`, (signal) =>
    get<OutputsAnswer>('/api/outputs', { tool, limit: MOST_OUTPUTS }, signal),
  );
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  const rows = new Map(data.items.map((item) => [item.id, item]));
  return (
    <ul class="outputs">
      {ids.map((id) => {
        const row = rows.get(id);
        return row ? (
          <OutputItem key={id} output={row} />
        ) : (
          <li key={id} class="output-row">
            <a class="output-link" href={outputAddress(id)}>
              <code>{id}</code>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** The same dialog as in Settings, with the recommended value in its field. */
function Apply({ row, onClose, onApplied }: { row: AdviceRow; onClose: () => void; onApplied: () => void }) {
  const { tool, setting, value } = row;
  const { data } = useResource(`apply ${tool} ${setting}`, async (signal) => {
    const [all, own] = await Promise.all([
      get<SettingsAnswer>('/api/settings', {}, signal),
      get<ToolSettingsAnswer>('/api/settings/of', { tool }, signal),
    ]);
    const field = all.fields.find(({ name }) => name === setting);
    const current = own.rows.find(({ name }) => name === setting);
    return field && current ? { field, row: current } : undefined;
  });
  if (!data) return null;
  return <EditSetting {...data} tool={tool} proposed={value} onClose={onClose} onWritten={onApplied} />;
}

/** Results of which the model may have missed something, with the reason and a link to the place. */
const WHY = {
  failure_left_out: 'A line that tells of a failure was left out',
  made_again: 'The same call was made again, with the same result',
};

interface LossesProps {
  readonly losses: readonly LossRow[];
  readonly cut: number;
  readonly onJudged: () => void;
}

function Losses({ losses, cut, onJudged }: LossesProps) {
  return (
    <section class="section">
      <h2>Suspected losses</h2>
      {losses.length === 0 ? (
        <p class="hint">
          {cut === 0
            ? 'Nothing was cut, so nothing can have been missed.'
            : 'No cut left a failure out, and no call was made again with the same result.'}
        </p>
      ) : (
        <table class="table cards">
          <thead>
            <tr>
              <th scope="col">Result</th>
              <th scope="col" class="text">
                Why
              </th>
              <th scope="col" class="text">
                Tool
              </th>
              <th scope="col" class="text">
                Session
              </th>
              <th scope="col">When</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {losses.map((loss) => (
              <tr key={loss.id + loss.why}>
                <th scope="row" class="clip">
                  <a href={outputAddress(loss.id, loss.part, loss.line)}>
                    <code>{loss.summary === '' ? loss.id : askedFor(loss)}</code>
                  </a>
                </th>
                <td class="text" data-label="Why">
                  <span>
                    {WHY[loss.why]}
                    {loss.line !== null && `: line ${formatCount(loss.line)}`}
                  </span>
                </td>
                <td class="text" data-label="Tool">
                  {loss.tool}
                </td>
                <td class="text" data-label="Session">
                  <a href={sessionAddress(loss.session, loss.id)}>{loss.session}</a>
                </td>
                <td data-label="When">{loss.at === 0 ? '—' : formatTime(loss.at)}</td>
                <td class="act">
                  <NotALoss id={loss.id} onJudged={onJudged} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The same numbers for each tool. */
const COLUMNS: readonly (readonly [name: string, title: string, of: (numbers: ToolNumbers) => string])[] = [
  ['Results', 'Results that were recorded', ({ outputs }) => formatCount(outputs)],
  ['Cut', 'Results of which the model was shown a part', ({ cut }) => formatCount(cut)],
  [
    'Median',
    'Half of the results have at most so many chars',
    ({ median_chars }) => formatShort(median_chars),
  ],
  ['p95', '95 of 100 results have at most so many chars', ({ p95_chars }) => formatShort(p95_chars)],
  ['Saved', 'Tokens saved, net of what was fetched later', ({ tokens_saved }) => formatShort(tokens_saved)],
  ['Fetched again', 'Cut results of which something was fetched', ({ refetched }) => formatCount(refetched)],
  [
    'Not followed up',
    'Cut results of which nothing was fetched',
    ({ unfollowed }) => formatCount(unfollowed),
  ],
  ['Made again', 'Calls that were made again', ({ reexecuted }) => formatCount(reexecuted)],
  ['Losses', 'Suspected losses', ({ losses }) => formatCount(losses)],
];

function ByTool({ tools }: { tools: readonly ToolNumbers[] }) {
  return (
    <section class="section">
      <h2>By tool</h2>
      <table class="table cards two">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {COLUMNS.map(([name, title]) => (
              <th scope="col" key={name} title={title}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((numbers) => (
            <tr key={numbers.tool}>
              <th scope="row">
                <a href={settingsAddress(numbers.tool)}>{numbers.tool}</a>
              </th>
              {COLUMNS.map(([name, , of]) => (
                <td key={name} data-label={name}>
                  {of(numbers)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const SPANS = { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days', all: 'Everything' };

export function AnalyticsView({ route }: { route: Route }) {
  const since = route.query.get('since') ?? '7d';
  const tool = route.query.get('tool') ?? '';
  const asked = { since: since === 'all' ? undefined : since, tool };
  const { data, error, reload } = useResource(`analytics ${since} ${tool}`, (signal) =>
    get<AnalyticsAnswer>('/api/analytics', asked, signal),
  );
  const listed = useResource('tools', (signal) => get<OutputsAnswer>('/api/outputs', { limit: 1 }, signal));
  useLiveEvents(useSlowly(reload));
  usePage({ title: 'Analytics' });
  const isEmpty = useValue(workspace)?.has_store === false;
  if (isEmpty) return <NothingStored />;
  if (error) return <Problem error={error} retry={reload} />;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Analytics</h1>
        <span class="hint">Tokens are estimates, four chars each, from the ledger.</span>
        <div class="end filters">
          <select
            aria-label="Since when"
            value={since}
            onChange={(event) => setQuery({ since: event.currentTarget.value })}
          >
            {!(since in SPANS) && <option value={since}>Since {since}</option>}
            {Object.entries(SPANS).map(([span, words]) => (
              <option key={span} value={span}>
                {words}
              </option>
            ))}
          </select>
          <select
            aria-label="Tool"
            value={tool}
            onChange={(event) => setQuery({ tool: event.currentTarget.value })}
          >
            <option value="">All tools</option>
            {listed.data?.tools.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      </header>
      {data ? <Found data={data} onApplied={reload} /> : <Loading />}
    </div>
  );
}

function Found({ data, onApplied }: { data: AnalyticsAnswer; onApplied: () => void }) {
  const { total, tools, losses, history } = data;
  if (total.outputs === 0)
    return (
      <Empty title="Nothing was recorded in this time">
        <button type="button" class="btn" onClick={() => setQuery({ since: 'all', tool: undefined })}>
          Show everything
        </button>
      </Empty>
    );
  return (
    <>
      <Totals total={total} history={history} />
      {total.cut === 0 ? (
        <Empty
          title={
            total.shown < total.outputs
              ? `Of ${pluralize(total.outputs - total.shown, 'result')} it is not known what was shown; no other was cut.`
              : total.outputs === 1
                ? 'The one result was passed on whole.'
                : `All ${formatCount(total.outputs)} results were passed on whole.`
          }
          icon={OkIcon}
        />
      ) : (
        <Recommendations rows={data.recommendations} none={data.no_advice} onApplied={onApplied} />
      )}
      <OverTime buckets={data.buckets} bucketMs={data.bucket_ms} />
      <Losses losses={losses} cut={total.cut} onJudged={onApplied} />
      <ByTool tools={tools} />
    </>
  );
}

/** The numbers of the whole, each with what it is a part of. */
interface TotalsProps {
  readonly total: ToolNumbers;
  readonly history: AnalyticsAnswer['history'];
}

function Totals({ total, history }: TotalsProps) {
  const { cut, outputs, tokens_saved: saved, refetched, unfollowed, losses } = total;
  return (
    <>
      <dl class="facts five">
        <div>
          <dt class="k">Cut</dt>
          <dd class="v">
            {formatCount(cut)}{' '}
            <small>
              of {pluralize(outputs, 'result')} · {formatShare(cut, outputs)}
            </small>
            <Meter part={cut} of={outputs} label={`${formatShare(cut, outputs)} cut`} />
          </dd>
        </div>
        <div>
          <dt class="k">{saved < 0 ? 'Read more, net of fetches' : 'Saved, net of fetches'}</dt>
          <dd class="v">
            <span class="dim" title="An estimate: four chars a token">
              ≈
            </span>{' '}
            {formatShort(Math.abs(saved))} <small>tokens</small>
          </dd>
        </div>
        <Fact name="Fetched again" value={refetched} of={cut} />
        <Fact name="Not followed up" value={unfollowed} of={cut} />
        <div>
          <dt class="k">Suspected losses</dt>
          <dd class={losses > 0 ? 'v warning' : 'v ok'}>{formatCount(losses)}</dd>
        </div>
      </dl>
      <p class="hint facts-note">
        Not followed up: cut, and the model fetched nothing of it later.
        {historyWords(total, history).map((words) => ` ${words}`)}
      </p>
    </>
  );
}

function Fact({ name, value, of }: { name: string; value: number; of: number }) {
  return (
    <div>
      <dt class="k">{name}</dt>
      <dd class="v">
        {formatCount(value)} <small>of {pluralize(of, 'cut')}</small>
      </dd>
    </div>
  );
}

/** Only what happened. */
function historyWords(
  { reexecuted, not_stored }: ToolNumbers,
  { missing_results, overflows_avoided }: AnalyticsAnswer['history'],
): string[] {
  return [
    reexecuted > 0 && `${pluralize(reexecuted, 'call')} made again.`,
    not_stored > 0 && `${pluralize(not_stored, 'result')} not stored.`,
    missing_results > 0 && `${pluralize(missing_results, 'result')} missing in a session.`,
    overflows_avoided > 0 && `${pluralize(overflows_avoided, 'request')} kept inside the window.`,
  ].filter((words) => words !== false);
}
