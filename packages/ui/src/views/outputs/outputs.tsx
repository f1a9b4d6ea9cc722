/** All outputs, newest first; with a query, those whose content holds the text, with the lines that match. */
import * as lucide from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { OutputRow } from '../../../../spillway/src/inspector/api.ts';
import { Asked, askedFor, Outcome, Reading, Running, toolIcon } from '../../components/call.tsx';
import { Button, Segments, Select } from '../../components/controls.tsx';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { useLinkKeys } from '../../components/list-keys.ts';
import { type ApiError, type Got, get } from '../../data/api-client.ts';
import { formatAgo, formatBytes, formatCount, formatExact, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useGet } from '../../data/resource.ts';
import { workspace } from '../../data/workspace.ts';
import { textNodes } from '../../log/log-rows.ts';
import { PLAIN, visiblePieces } from '../../log/visible.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress, type Route, sessionAddress, setQuery } from '../../shell/router.ts';

/** Enough for one screen and more; the rest on demand. */
const ENOUGH = 30;

type Found = Got<'/api/search'>;

function SearchResults({ text, tool }: { text: string; tool: string }) {
  const [found, setFound] = useState<Found>({ items: [], looked: 0, bytes: 0, next: '' });
  const [limit, setLimit] = useState(ENOUGH);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const isSearching = found.next !== null && found.items.length < limit && !error;
  useLinkKeys();
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
        {isSearching ? 'Searching: ' : ''}
        {pluralize(found.items.length, 'output')} found in {formatCount(found.looked)},{' '}
        {formatBytes(found.bytes)}
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
      <li class="hits-of">
        {first.map((match) => (
          <a
            key={`${match.part} ${match.label} ${match.column}`}
            href={outputAddress(output.id, null).concat(query, `#L${match.line}`)}
            class={match.shown ? 'hit-line' : 'hit-line out'}
          >
            <span class="dim num">{formatCount(match.label)}</span>
            <MatchText text={match.text} from={match.column - 1} length={match.length} />
            {!match.shown && <span class="chip">left out</span>}
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
  const { data, error, reload } = useGet('/api/outputs', { tool, only, limit: PAGE * pages });
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
        </div>
      </header>
      {text !== '' && <SearchResults key={`${text} ${tool}`} text={text} tool={tool} />}
      {text === '' && <Running />}
      {text === '' && !data && <Loading />}
      {text === '' && data && <OutputTable items={data.items} isFiltered={tool !== '' || only !== ''} />}
      {text === '' && data?.next && (
        <p class="thread-more">
          <Button onClick={() => setPages(pages + 1)}>Show more</Button>
        </p>
      )}
    </div>
  );
}

function OutputTable({ items, isFiltered }: { items: readonly OutputRow[]; isFiltered: boolean }) {
  useLinkKeys();
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

/** One output in a list. */
export function OutputItem({ output }: { output: OutputRow }) {
  return (
    <li class="output-row">
      <a href={outputAddress(output.id)} class="output-link">
        <Icon of={toolIcon(output.tool)} />
        <Asked text={askedFor(output)} />
        <Outcome output={output} />
      </a>
      <span class="output-facts">
        <Reading output={output} />
        <span class="dim clip">{output.tool}</span>
        <a class="dim clip" href={sessionAddress(output.session, output.id)}>
          {output.session}
        </a>
        <span>
          {output.fetches > 0 && (
            <span class="fetched later">
              <Icon of={lucide.Download} size="s" />
              {formatCount(output.fetches)}
              <span class="sr"> times read later</span>
            </span>
          )}
          {output.revoked_at !== null && <span class="warning">handle revoked</span>}
        </span>
        <time class="dim" title={formatExact(output.started_at)}>
          {formatAgo(output.started_at)}
        </time>
      </span>
    </li>
  );
}
