/** The sessions: a live list, and the one that the address names as a thread. */
import { useEffect, useState } from 'preact/hooks';
import type {
  EndSessionAnswer,
  EndSessionOrder,
  SessionAnswer,
  SessionRow,
  SessionsAnswer,
  TimelineAnswer,
  TimelineTurn,
} from '../../../../spillway/src/inspector/api.ts';
import { useCurrentInView } from '../../components/current-in-view.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { FilterField } from '../../components/filter-field.tsx';
import { get, post } from '../../data/api-client.ts';
import { formatAgo, formatBytes, formatCount, formatTime, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useResource } from '../../data/resource.ts';
import { workspace } from '../../data/workspace.ts';
import { useKeys } from '../../shell/keys.ts';
import { usePage } from '../../shell/page.ts';
import { navigate, outputAddress, type Route, sessionAddress } from '../../shell/router.ts';
import { say } from '../../shell/toast.ts';
import { Thread } from './thread.tsx';
import { useSessionWindow } from './use-session-window.ts';

/** How the window filled, turn by turn: a picture to look at and to save, and the same as a table. */
const WORDS = { result: 'result', cut: 'cut result', fetch: 'read later', compaction: 'compaction' };

function Timeline({ session, turns }: { session: string; turns: number }) {
  const { data } = useResource(`timeline ${session} ${turns}`, (signal) =>
    get<TimelineAnswer>(`/api/sessions/${encodeURIComponent(session)}/timeline`, {}, signal),
  );
  const picture = usePicture(data?.svg ?? undefined);
  if (!data || !picture) return null;
  return (
    <details class="timeline">
      <summary>Timeline: how the window filled</summary>
      <img
        src={picture}
        alt={`Tokens of each of the ${data.turns.length} turns; the table below has the numbers`}
      />
      <p class="row">
        <a class="btn" href={picture} download={`${session}.svg`}>
          Save as SVG
        </a>
        <button type="button" class="btn" onClick={() => void savePng(picture, session)}>
          Save as PNG
        </button>
        <span class="hint">
          As a file to attach: <code>spillway inspect {session} --export timeline.html</code>
        </span>
      </p>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Tokens</th>
            <th scope="col">Tool results</th>
            <th scope="col" class="text">
              Before it
            </th>
          </tr>
        </thead>
        <tbody>
          {data.turns.map((turn) => (
            <Turn key={turn.turn} turn={turn} />
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Turn({ turn: { turn, at, used, results, events } }: { turn: TimelineTurn }) {
  return (
    <tr>
      <th scope="row" title={formatTime(at)}>
        {turn}
      </th>
      <td>{formatCount(used)}</td>
      <td>{formatCount(results)}</td>
      <td class="text">
        {events.map(({ kind, tool, output, at: when }, index) => (
          <span key={`${when} ${output}`}>
            {index > 0 && ', '}
            {output === null ? WORDS[kind] : <a href={outputAddress(output)}>{`${WORDS[kind]}: ${tool}`}</a>}
          </span>
        ))}
      </td>
    </tr>
  );
}

/** An address of the picture; its markup never becomes part of the page. */
function usePicture(svg: string | undefined): string | undefined {
  const [url, setUrl] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (svg === undefined) return;
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return url;
}

async function savePng(picture: string, name: string): Promise<void> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (!blob) return say('The browser could not make the picture.');
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(blob);
    anchor.download = `${name}.png`;
    anchor.click();
    URL.revokeObjectURL(anchor.href);
  });
}

/** A session with more entries than this has a field that finds one. */
const FIND_FROM = 30;

export function SessionsView({ route }: { route: Route }) {
  const [show, setShow] = useState<'open' | 'all'>('all');
  const [filter, setFilter] = useState('');
  const { data, error, reload } = useResource(`sessions ${show} ${filter}`, (signal) =>
    get<SessionsAnswer>('/api/sessions', { show, q: filter, limit: 200 }, signal),
  );
  useLiveEvents(reload);
  const items = data?.items ?? [];
  const selected = route.id ?? (isWide() ? items[0]?.id : undefined);
  useRowKeys(items, selected);
  const isEmpty = useValue(workspace)?.has_store === false;
  if (error) return <Problem error={error} retry={reload} />;
  if (isEmpty || (data && items.length === 0 && filter === '' && show === 'all')) return <NothingYet />;
  return (
    <div class={route.id === undefined ? 'split at-list' : 'split at-item'}>
      <section class="list-pane" aria-label="Sessions">
        <Filter show={show} onShow={setShow} filter={filter} onFilter={setFilter} />
        {data ? <SessionList items={items} selected={selected} /> : <Loading />}
      </section>
      {selected === undefined ? (
        <NoSession isLoading={data === undefined} />
      ) : (
        <Session
          key={selected}
          id={selected}
          call={route.hash || undefined}
          isNamed={route.id !== undefined}
        />
      )}
    </div>
  );
}

function NothingYet() {
  usePage({ title: 'Sessions' });
  return <NothingStored />;
}

function NoSession({ isLoading }: { isLoading: boolean }) {
  usePage({ title: 'Sessions' });
  return <div class="item-pane">{!isLoading && <Empty title="Choose a session" />}</div>;
}

interface FilterProps {
  readonly show: 'open' | 'all';
  readonly onShow: (show: 'open' | 'all') => void;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

function Filter({ show, onShow, filter, onFilter }: FilterProps) {
  return (
    <div class="list-head">
      <select
        aria-label="Which sessions"
        value={show}
        onChange={(event) => onShow(event.currentTarget.value as 'open' | 'all')}
      >
        <option value="all">All</option>
        <option value="open">Open</option>
      </select>
      <FilterField hasKey label="Filter sessions by name" value={filter} onChange={onFilter} />
    </div>
  );
}

function SessionList({ items, selected }: { items: readonly SessionRow[]; selected: string | undefined }) {
  if (items.length === 0) return <p class="hint list-none">No session has this name.</p>;
  return (
    <ul class="list">
      {items.map((session) => (
        <li key={session.id}>
          <a
            class="list-row"
            href={sessionAddress(session.id)}
            {...(session.id === selected ? { 'aria-current': 'true' as const } : {})}
          >
            <span class="list-title">
              <i class={isLive(session) ? 'dot on' : 'dot'} />
              <span class="name">{session.id}</span>
              {session.ended_at !== null && <span class="sr">ended</span>}
              <time>{formatAgo(session.seen_at)}</time>
            </span>
            <Totals session={session} />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Open, and something happened in it in the last ten minutes. */
function isLive({ ended_at, seen_at }: SessionRow): boolean {
  return ended_at === null && Date.now() - seen_at < 600_000;
}

function Totals({ session: { totals } }: { session: SessionRow }) {
  return (
    <span class="list-facts">
      <span>{pluralize(totals.calls, 'call')}</span>
      {totals.cut > 0 && <span>{formatCount(totals.cut)} cut</span>}
      {totals.failed > 0 && <span class="error">{formatCount(totals.failed)} failed</span>}
    </span>
  );
}

function Session({ id, call, isNamed }: { id: string; call: string | undefined; isNamed: boolean }) {
  const { data, error, reload } = useResource(`session ${id}`, (signal) =>
    get<SessionAnswer>(`/api/sessions/${encodeURIComponent(id)}`, {}, signal),
  );
  const [text, setText] = useState('');
  useLiveEvents((items) => items.some((item) => item.session === id) && reload());
  const window = useSessionWindow(data);
  usePage({
    title: isNamed ? id : 'Sessions',
    phoneTitle: isNamed ? id : 'Spillway',
    back: isNamed ? '/sessions' : undefined,
    session: id,
    window,
  });
  if (error)
    return (
      <div class="item-pane">
        <Problem error={error} retry={reload} />
      </div>
    );
  return (
    <section class="item-pane" aria-label={`Session ${id}`}>
      {data && <SessionHead session={data} onEnded={reload} />}
      {data && data.entries > FIND_FROM && (
        <div class="thread-find">
          <FilterField
            label="Find in this session"
            placeholder={`Find in ${formatCount(data.entries)} entries`}
            value={text}
            onChange={setText}
          />
        </div>
      )}
      {data && !data.has_messages && data.totals.calls > 0 && (
        <p class="hint thread-note">
          This host keeps no messages here, so the thread has outputs only, and no context window is known.
        </p>
      )}
      {data && data.totals.calls > 0 && data.totals.cut === 0 && data.totals.shown === data.totals.calls && (
        <p class="hint thread-note">
          {data.totals.calls === 1 ? 'The result was' : `All ${formatCount(data.totals.calls)} results were`}{' '}
          passed on whole.
        </p>
      )}
      {data?.window && <Timeline session={id} turns={data.window.at} />}
      <Thread session={id} current={call} look="full" text={text} />
    </section>
  );
}

function SessionHead({ session, onEnded }: { session: SessionAnswer; onEnded: () => void }) {
  const { id, opened_at, ended_at, totals, compactions, missing } = session;
  return (
    <header class="session-head">
      <h1>{id}</h1>
      <p class="dim">
        opened {formatTime(opened_at)}
        {ended_at !== null && ` · ended ${formatTime(ended_at)}`} · {pluralize(totals.calls, 'call')} ·{' '}
        {formatCount(totals.cut)} cut
        {totals.failed > 0 && ` · ${formatCount(totals.failed)} failed`}
        {totals.fetches > 0 && ` · ${formatCount(totals.fetches)} read later`}
        {compactions > 0 && ` · ${pluralize(compactions, 'compaction')}`}
        {missing > 0 && ` · ${formatCount(missing)} without a result`}
      </p>
      {ended_at === null && <EndSession id={id} onEnded={onEnded} />}
    </header>
  );
}

/** `j` and `k` go through the list, Enter opens. */
function useRowKeys(items: readonly SessionRow[], selected: string | undefined): void {
  const move = (step: number) => {
    const at = items.findIndex(({ id }) => id === selected);
    const next = items[Math.max(0, Math.min(items.length - 1, at + step))];
    if (next) navigate(sessionAddress(next.id), { replace: true });
  };
  useKeys({ 'row.next': () => move(1), 'row.previous': () => move(-1) });
  useCurrentInView(selected, items.length);
}

function isWide(): boolean {
  return matchMedia('(min-width: 820px)').matches;
}

/** Ends a session after telling what that means for its handles. */
function EndSession({ id, onEnded }: { id: string; onEnded: () => void }) {
  const [preview, setPreview] = useState<EndSessionAnswer | undefined>(undefined);
  const path = `/api/sessions/${encodeURIComponent(id)}/end`;
  const ask = async () => {
    try {
      setPreview(await post<EndSessionAnswer>(path, { preview: true } satisfies EndSessionOrder));
    } catch (error) {
      say((error as Error).message);
    }
  };
  const end = async () => {
    try {
      await post<EndSessionAnswer>(path, { preview: false } satisfies EndSessionOrder);
      say(`${id} was ended`);
      onEnded();
    } catch (error) {
      say((error as Error).message);
    }
    setPreview(undefined);
  };
  return (
    <>
      <button type="button" class="btn" onClick={ask}>
        End…
      </button>
      {preview && (
        <Dialog
          title={`End ${id}`}
          onClose={() => setPreview(undefined)}
          foot={
            <button type="button" class="btn pri" onClick={end}>
              End the session
            </button>
          }
        >
          <p>
            The handles of {pluralize(preview.outputs, 'output')} will no longer resolve for a model.
            {preview.bytes_freed > 0 && ` ${formatBytes(preview.bytes_freed)} become free.`} You can still
            read what is kept here.
          </p>
        </Dialog>
      )}
    </>
  );
}
