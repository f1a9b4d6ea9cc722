/** Analytics: what was cut, saved, fetched again and perhaps lost; over time, by tool, and what to do. */
import type { AnalyticsAnswer, OutputsAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { OkIcon } from '../../components/icons.ts';
import { get } from '../../data/api-client.ts';
import { formatCount, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useResource } from '../../data/resource.ts';
import { useSlowly } from '../../data/slowly.ts';
import { workspace } from '../../data/workspace.ts';
import { usePage } from '../../shell/page.ts';
import { type Route, setQuery } from '../../shell/router.ts';
import { ByTool } from './by-tool.tsx';
import { Losses } from './losses.tsx';
import { OverTime } from './over-time.tsx';
import { Recommendations } from './recommendations.tsx';
import { Totals } from './totals.tsx';

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
