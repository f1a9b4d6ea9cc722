/** Analytics: what was cut, saved, fetched again and perhaps lost; over time, by tool, and what to do. */
import * as lucide from 'lucide';
import { useState } from 'preact/hooks';
import { askedFor, NotALoss, Outputs } from '../../components/call.tsx';
import { Button, Facts, Page, Select, Since, Table, TableSection } from '../../components/controls.tsx';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { EditSetting, settingWords } from '../../components/write-settings.tsx';
import type { Got } from '../../data/api-client.ts';
import {
  formatCount,
  formatShare,
  formatShort,
  formatSpan,
  formatTime,
  pluralize,
} from '../../data/figures.ts';
import { useLiveEvents, useLiveSettings } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useGet, useSlowly, workspace } from '../../data/resource.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress, previewAddress, type Route, sessionAddress, setQuery } from '../../shell/router.ts';
import { settingsAddress } from '../settings/settings.tsx';

type Analytics = Got<'/api/analytics'>;
type Advice = Analytics['recommendations'][number];

type Bucket = Analytics['buckets'][number];

interface Series {
  readonly name: string;
  /** The token of its colour. */
  readonly color: `--${string}`;
  readonly of: (bucket: Bucket) => number;
}

const COUNTS: readonly Series[] = [
  { name: 'Results', color: '--omit-bar', of: ({ outputs }) => outputs },
  { name: 'Cut', color: '--kept-bar', of: ({ cut }) => cut },
  { name: 'Cut and read later', color: '--fetched', of: ({ fetched }) => fetched },
];
const SAVED: readonly Series[] = [
  { name: 'Tokens', color: '--kept-bar', of: ({ tokens_saved }) => tokens_saved },
];

interface ChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly data: Analytics;
}

/** Bars over time, with their numbers as a table. */
function Chart({ title, series, data: { buckets, bucket_ms: bucketMs } }: ChartProps) {
  const filled = buckets.filter(({ outputs }) => outputs > 0);
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend row small">
          {series.map(({ name, color }) => (
            <li key={name}>
              <svg class="swatch" aria-hidden="true">
                <rect width="9" height="9" fill={`var(${color})`} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <BarChart label={`${title}. The table has the numbers.`} {...{ series, buckets, bucketMs }} />
      <details>
        <summary>Table</summary>
        <Table
          rows={filled}
          keyOf={({ from_at }) => from_at}
          columns={[
            { name: 'From', of: ({ from_at }) => formatSpan(from_at, bucketMs) },
            ...series.map(({ name, of }) => ({ name, of: (bucket: Bucket) => formatCount(of(bucket)) })),
          ]}
        />
        <p class="hint">Times without a result are not listed.</p>
      </details>
    </figure>
  );
}

const MOST_LABELS = matchMedia('(max-width: 819px)').matches ? 3 : 4;

interface BarChartProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly buckets: readonly Bucket[];
  readonly bucketMs: number;
}

/** The bars of one span of time stand in front of each other. */
function BarChart({ label, series, buckets, bucketMs }: BarChartProps) {
  const values = buckets.flatMap((bucket) => series.map(({ of }) => of(bucket)));
  const [least, most] = [Math.min(0, ...values), Math.max(1, ...values)];
  const step = stepOf(most - least);
  const low = Math.floor(least / step) * step;
  const range = Math.ceil(most / step) * step - low;
  const lines = Array.from({ length: Math.round(range / step) + 1 }, (_, at) => low + at * step);
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
  const yOf = (value: number) => percent(1 - (value - low) / range);
  const every = Math.ceil(buckets.length / MOST_LABELS);
  return (
    <svg class="chart-box" role="img" aria-label={label}>
      {lines.map((value) => (
        <g key={value}>
          <line x2="100%" y1={yOf(value)} y2={yOf(value)} />
          <text class="end" x="-8" y={yOf(value)} dy="4">
            {formatShort(value)}
          </text>
        </g>
      ))}
      {buckets.map((bucket, at) => (
        <g key={bucket.from_at}>
          {series.map(({ name, color, of }) => (
            <rect
              key={name}
              x={percent((at + 0.15) / buckets.length)}
              width={percent(0.7 / buckets.length)}
              y={yOf(Math.max(0, of(bucket)))}
              height={percent(Math.abs(of(bucket)) / range)}
              fill={`var(${color})`}
            />
          ))}
          {at % every === 0 && (
            <text x={percent(at / buckets.length)} y="100%" dy="18">
              {formatSpan(bucket.from_at, bucketMs)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** 1, 2 or 5 of a power of ten, so that up to five lines cover a range. */
function stepOf(range: number): number {
  const power = 10 ** Math.floor(Math.log10(range / 5));
  return Math.max(1, power * ([1, 2, 5].find((each) => range / (power * each) <= 5) ?? 10));
}

/** A setting that would have served better, with the outputs that say so, and one click to apply it. */
function Recommendation({ row, onApplied }: { row: Advice; onApplied: () => void }) {
  const [isApplying, setApplying] = useState(false);
  const { tool, setting, current, value, sentence, evidence } = row;
  return (
    <article class="card advice">
      <div class="between">
        <p>
          <code>{tool}</code> <code class="dim">{setting}</code>{' '}
          <span class="num">
            {settingWords(current)} → <b>{settingWords(value)}</b>
          </span>
        </p>
        <span class="row">
          {evidence[0] && (
            <a class="btn" href={previewAddress(evidence[0].id, {}, { [setting]: value })}>
              Preview
            </a>
          )}
          <Button kind="pri" onClick={() => setApplying(true)}>
            Apply…
          </Button>
        </span>
      </div>
      <p>{sentence}</p>
      <details>
        <summary>Evidence: {pluralize(evidence.length, 'output')}</summary>
        <Outputs items={evidence} />
      </details>
      {isApplying && (
        <EditSetting
          name={setting}
          tool={tool}
          proposed={value}
          onClose={() => setApplying(false)}
          onWritten={onApplied}
        />
      )}
    </article>
  );
}

const WHY = {
  failure_left_out: 'A line that reports a failure was left out',
  made_again: 'The same call was repeated, with the same result',
};

/** Results of which the model may have missed something, with the reason and a link to the place. */
function Losses({ data: { losses, total }, onJudged }: { data: Analytics; onJudged: () => void }) {
  return (
    <TableSection
      title="Suspected losses"
      none={
        total.cut === 0
          ? 'Nothing was cut, so nothing can have been missed.'
          : 'No cut hid a failure, and no call was repeated with the same result.'
      }
      class="cards"
      rows={losses}
      keyOf={({ id, why }) => id + why}
      columns={[
        {
          name: 'Result',
          of: (loss) => (
            <a href={outputAddress(loss.id, loss.part, loss.line)}>
              <code>{loss.summary === '' ? loss.id : askedFor(loss)}</code>
            </a>
          ),
        },
        {
          name: 'Why',
          isText: true,
          of: ({ why, line }) => WHY[why] + (line === null ? '' : `: line ${formatCount(line)}`),
        },
        { name: 'Tool', isText: true, of: ({ tool }) => tool },
        {
          name: 'Session',
          isText: true,
          of: ({ session, id }) => <a href={sessionAddress(session, id)}>{session}</a>,
        },
        { name: 'When', of: ({ at }) => (at === 0 ? '—' : formatTime(at)) },
        { name: '', of: ({ id }) => <NotALoss id={id} onJudged={onJudged} /> },
      ]}
    >
      {losses.length < total.suspected_losses && (
        <p class="hint">
          The newest {formatCount(losses.length)} of {formatCount(total.suspected_losses)}.
        </p>
      )}
    </TableSection>
  );
}

type ToolNumbers = Analytics['total'];

/** A column of the table by tool: its name, what it counts, and the number. */
function column(name: string, title: string, of: (numbers: ToolNumbers) => string) {
  return { name, title, of };
}

const COLUMNS = [
  column('Results', 'Results that were recorded', ({ outputs }) => formatCount(outputs)),
  column('Cut', 'Results of which the model was shown only a part', ({ cut }) => formatCount(cut)),
  column('Median', 'Half of the results have at most this many chars', (of) => formatShort(of.chars.median)),
  column('p95', '95 of 100 results have at most this many chars', (of) => formatShort(of.chars.p95)),
  column('Saved', 'Tokens saved, net of what was fetched later', (of) =>
    formatShort(of.estimated_tokens_saved),
  ),
  column('Read later', 'Cut results of which the model fetched more', (of) => formatCount(of.refetched)),
  column('Not read later', 'Cut results of which the model fetched nothing more', (of) =>
    formatCount(of.unfollowed),
  ),
  column('Repeated', 'Calls that were made again', ({ reexecuted }) => formatCount(reexecuted)),
  column('Losses', 'Suspected losses', (of) => formatCount(of.suspected_losses)),
];

const SPANS = { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days', all: 'Everything' };

export function AnalyticsView({ route }: { route: Route }) {
  const since = route.query.get('since') ?? '7d';
  const tool = route.query.get('tool') ?? '';
  const asked = { since: since === 'all' ? undefined : since, tool };
  const { data, error, reload } = useGet('/api/analytics', asked);
  const listed = useGet('/api/outputs', { limit: 1 });
  useLiveEvents(useSlowly(reload));
  useLiveSettings(reload);
  usePage({ title: 'Analytics' });
  const isEmpty = useValue(workspace)?.has_store === false;
  if (isEmpty) return <NothingStored />;
  if (error) return <Problem error={error} retry={reload} />;
  return (
    <Page
      title="Analytics"
      note={<span class="hint">Tokens are estimates: four chars each.</span>}
      tools={
        <>
          <Since value={since} spans={SPANS} />
          <Select
            label="Tool"
            value={tool}
            none="All tools"
            options={listed.data?.tools ?? []}
            onChange={(name) => setQuery({ tool: name })}
          />
        </>
      }
    >
      {data ? <Found data={data} onApplied={reload} /> : <Loading />}
    </Page>
  );
}

function Found({ data, onApplied }: { data: Analytics; onApplied: () => void }) {
  const { total, tools } = data;
  if (total.outputs === 0)
    return (
      <Empty title="Nothing was recorded in this period">
        <Button onClick={() => setQuery({ since: 'all', tool: undefined })}>Show everything</Button>
      </Empty>
    );
  return (
    <>
      <Totals {...data} />
      {total.cut === 0 ? (
        <Empty title={wholeWords(total)} icon={lucide.Check} />
      ) : (
        <section class="section" aria-label="Recommendations">
          <h2>Recommendations</h2>
          {data.no_advice !== null && <p class="hint">None. {data.no_advice}</p>}
          {data.recommendations.map((row) => (
            <Recommendation key={`${row.tool} ${row.setting}`} row={row} onApplied={onApplied} />
          ))}
        </section>
      )}
      <div class="charts">
        <Chart title={`Results and cuts per ${data.bucket}`} series={COUNTS} data={data} />
        <Chart title={`Tokens saved, net of fetches, per ${data.bucket}`} series={SAVED} data={data} />
      </div>
      <Losses data={data} onJudged={onApplied} />
      <TableSection
        title="By tool"
        none="No tool has a result."
        class="cards two"
        rows={tools}
        keyOf={({ tool }) => tool}
        columns={[{ name: 'Tool', of: ({ tool }) => <a href={settingsAddress(tool)}>{tool}</a> }, ...COLUMNS]}
      />
    </>
  );
}

function wholeWords({ outputs, projected: shown }: ToolNumbers): string {
  if (shown < outputs)
    return `Nobody knows what was shown of ${pluralize(outputs - shown, 'result')}; no other was cut.`;
  return outputs === 1
    ? 'The one result was shown whole.'
    : `All ${formatCount(outputs)} results were shown whole.`;
}

/** The numbers of the whole, each with what it is a part of. */
function Totals({ total, history }: Analytics) {
  const {
    cut,
    outputs,
    estimated_tokens_saved: saved,
    refetched,
    unfollowed,
    suspected_losses: losses,
  } = total;
  const share = formatShare(cut, outputs);
  const ofCut = `of ${pluralize(cut, 'cut')}`;
  return (
    <>
      <Facts
        facts={[
          {
            name: 'Cut',
            value: formatCount(cut),
            note: `of ${pluralize(outputs, 'result')} · ${share}`,
            meter: { part: cut, of: outputs, label: `${share} cut` },
          },
          {
            name: saved < 0 ? 'Spent, net of fetches' : 'Saved, net of fetches',
            value: `≈ ${formatShort(Math.abs(saved))}`,
            note: 'tokens',
          },
          { name: 'Read later', value: formatCount(refetched), note: ofCut },
          { name: 'Not read later', value: formatCount(unfollowed), note: ofCut },
          { name: 'Suspected losses', value: formatCount(losses), tone: losses > 0 ? 'warning' : 'ok' },
        ]}
      />
      <p class="hint facts-note">
        Read later: the model fetched more of a cut result.
        {historyWords(total, history).map((words) => ` ${words}`)}
      </p>
    </>
  );
}

/** Only what happened. */
function historyWords(
  { reexecuted, not_stored }: ToolNumbers,
  { missing_results, overflows_avoided }: Analytics['history'],
): string[] {
  return [
    reexecuted > 0 && `${pluralize(reexecuted, 'call')} repeated.`,
    not_stored > 0 && `${pluralize(not_stored, 'result')} not stored.`,
    missing_results > 0 && `${pluralize(missing_results, 'result')} missing in a session.`,
    overflows_avoided > 0 && `${pluralize(overflows_avoided, 'request')} made to fit the window.`,
  ].filter((words) => words !== false);
}
