/** All outputs, newest first; with a query, those whose content holds the text, with the lines that match. */
import { useState } from 'preact/hooks';
import type { OutputRow, OutputsAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { get } from '../../data/api-client.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useResource } from '../../data/resource.ts';
import { workspace } from '../../data/workspace.ts';
import { usePage } from '../../shell/page.ts';
import { type Route, setQuery } from '../../shell/router.ts';
import { OutputItem, useListKeys } from './output-item.tsx';
import { SearchResults } from './search-results.tsx';

const PAGE = 100;
const ONLY = { '': 'All', cut: 'Cut', failed: 'Failed', fetched: 'Read later' };

export function OutputsView({ route }: { route: Route }) {
  const text = route.query.get('q') ?? '';
  const tool = route.query.get('tool') ?? '';
  const only = route.query.get('only') ?? '';
  const [pages, setPages] = useState(1);
  const { data, error, reload } = useResource(`outputs ${tool} ${only} ${pages}`, (signal) =>
    get<OutputsAnswer>('/api/outputs', { tool, only, limit: PAGE * pages }, signal),
  );
  useLiveEvents(reload);
  usePage({ title: text === '' ? 'Outputs' : `“${text}”` });
  const isEmpty = useValue(workspace)?.has_store === false;
  if (isEmpty) return <NothingStored />;
  if (error) return <Problem error={error} retry={reload} />;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{text === '' ? 'Outputs' : `Outputs with “${text}”`}</h1>
        <div class="end filters">
          <label class="inline">
            Tool{' '}
            <select value={tool} onChange={(event) => setQuery({ tool: event.currentTarget.value })}>
              <option value="">all</option>
              {data?.tools.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          {text === '' && <Only value={only} />}
        </div>
      </header>
      {text !== '' && <SearchResults key={`${text} ${tool}`} text={text} tool={tool} />}
      {text === '' && !data && <Loading />}
      {text === '' && data && <OutputTable items={data.items} isFiltered={tool !== '' || only !== ''} />}
      {text === '' && data?.next && (
        <p class="thread-more">
          <button type="button" class="btn" onClick={() => setPages(pages + 1)}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}

function Only({ value }: { value: string }) {
  return (
    <fieldset class="seg" aria-label="Which outputs">
      {Object.entries(ONLY).map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-pressed={value === name}
          onClick={() => setQuery({ only: name })}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}

function OutputTable({ items, isFiltered }: { items: readonly OutputRow[]; isFiltered: boolean }) {
  useListKeys();
  if (items.length === 0)
    return isFiltered ? <Empty title="No output matches these filters" /> : <NothingStored />;
  return (
    <ul class="outputs">
      {items.map((output) => (
        <OutputItem key={output.id} output={output} />
      ))}
    </ul>
  );
}
