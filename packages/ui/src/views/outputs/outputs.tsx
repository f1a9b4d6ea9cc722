import { useEffect, useState } from 'preact/hooks';
import { OutputItem, Outputs, Running } from '../../components/call.tsx';
import { Button, Page, Segments, Select } from '../../components/controls.tsx';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { type ApiError, type Got, get } from '../../data/api-client.ts';
import { formatBytes, formatCount, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useGet, workspace } from '../../data/resource.ts';
import { textNodes } from '../../log/log-rows.ts';
import { PLAIN, visiblePieces } from '../../log/visible.ts';
import { useLinkKeys } from '../../shell/keys.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress, type Route, setQuery } from '../../shell/router.ts';

/** Enough for one screen and more; the rest on demand. */
const ENOUGH = 30;

type Found = Got<'/api/search'>;

function SearchResults({ text, tool }: { text: string; tool: string }) {
  const [found, setFound] = useState<Found>({ items: [], looked: 0, bytes: 0, next: '' });
  const [limit, setLimit] = useState(ENOUGH);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const isSearching = found.next !== null && found.items.length < limit && !error;
  useEffect(() => {
    if (!isSearching) return;
    const abort = new AbortController();
    get('/api/search', { q: text, tool, after: found.next }, abort.signal).then(
      ({ items, looked, bytes, next }) =>
        setFound((before) => ({
          items: [...before.items, ...items],
          looked: before.looked + looked,
          bytes: before.bytes + bytes,
          next,
        })),
      (problem: ApiError) => abort.signal.aborted || setError(problem),
    );
    return () => abort.abort();
  }, [text, tool, isSearching, found.next]);
  if (error) return <Problem error={error} />;
  return (
    <>
      <p class="hint" role="status">
        {isSearching ? 'Searching … ' : ''}Found in {formatCount(found.items.length)} of{' '}
        {pluralize(found.looked, 'output')} ({formatBytes(found.bytes)})
      </p>
      {!isSearching && found.items.length === 0 && <Empty title="No output contains this text" />}
      <ul class="outputs">
        {found.items.map((item) => (
          <SearchedItem key={item.output.id} item={item} text={text} />
        ))}
      </ul>
      {!isSearching && found.next !== null && (
        <p class="thread-more">
          <Button onClick={() => setLimit(limit + ENOUGH)}>Search further</Button>
        </p>
      )}
    </>
  );
}

interface SearchedProps {
  readonly item: Found['items'][number];
  readonly text: string;
}

function SearchedItem({ item: { output, matches, first }, text }: SearchedProps) {
  const query = `?q=${encodeURIComponent(text)}`;
  return (
    <>
      <OutputItem output={output} />
      <li class="hits-of small">
        {first.map((match) => (
          <a
            key={`${match.part} ${match.label} ${match.column}`}
            href={outputAddress(output.id, null).concat(query, `#L${match.line}`)}
            class={match.shown === false ? 'hit-line line out' : 'hit-line line'}
          >
            <span class="dim num">{formatCount(match.label)}</span>
            <MatchText text={match.text} from={match.column - 1} length={match.length} />
            {match.shown === false && <span class="chip">left out</span>}
          </a>
        ))}
        {matches > first.length && (
          <a href={outputAddress(output.id).concat(query)}>
            {matches >= 1_000 ? 'more than ' : ''}
            {pluralize(matches, 'match', 'matches')} in all
          </a>
        )}
      </li>
    </>
  );
}

/** What stands before a match on a phone, where there is no room for all of it. */
const PHONE_CHARS = 12;

function MatchText({ text, from, length }: { text: string; from: number; length: number }) {
  const isNarrow = matchMedia('(max-width: 819px)').matches && from > 2 * PHONE_CHARS;
  const skipped = isNarrow ? from - PHONE_CHARS : 0;
  const shown = isNarrow ? `…${text.slice(skipped)}` : text;
  const at = from - skipped + Number(isNarrow);
  return (
    <code
      class="clip"
      ref={(element: HTMLElement | null) =>
        element?.replaceChildren(...textNodes(visiblePieces(shown, PLAIN).pieces, [[at, at + length]]))
      }
    />
  );
}

const PAGE = 100;
const ONLY = { '': 'All', cut: 'Cut', failed: 'Failed', fetched: 'Read later' };

export function OutputsView({ route }: { route: Route }) {
  const text = route.query.get('q') ?? '';
  const tool = route.query.get('tool') ?? '';
  const only = route.query.get('only') ?? '';
  const [pages, setPages] = useState(1);
  const { data, error, reload } = useGet(
    '/api/outputs',
    { tool, only, limit: PAGE * pages },
    { keeps: true },
  );
  useLiveEvents(reload);
  useLinkKeys();
  usePage({ title: text === '' ? 'Outputs' : `“${text}”` });
  const isEmpty = useValue(workspace)?.has_store === false;
  if (isEmpty) return <NothingStored />;
  if (error) return <Problem error={error} retry={reload} />;
  return (
    <Page
      title={text === '' ? 'Outputs' : `Outputs with “${text}”`}
      tools={
        <>
          <Select
            label="Tool"
            value={tool}
            none="All tools"
            options={[...(data?.tools ?? []), ['spillway_*', 'Kept by Spillway']]}
            onChange={(name) => setQuery({ tool: name })}
          />
          {text === '' && (
            <Segments
              label="Which outputs"
              value={only}
              options={ONLY}
              onChange={(name) => setQuery({ only: name })}
            />
          )}
        </>
      }
    >
      {text !== '' && <SearchResults key={`${text} ${tool}`} text={text} tool={tool} />}
      {text === '' && <Running />}
      {text === '' && !data && <Loading />}
      {text === '' &&
        data?.items.length === 0 &&
        (tool + only === '' ? <NothingStored /> : <Empty title="No output matches these filters" />)}
      {text === '' && data && <Outputs items={data.items} />}
      {text === '' && data?.next && (
        <p class="thread-more">
          <Button onClick={() => setPages(pages + 1)}>Show more</Button>
        </p>
      )}
    </Page>
  );
}
