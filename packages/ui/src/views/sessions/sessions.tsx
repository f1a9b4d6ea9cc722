/** The sessions: a live list, and the one that the address names as a thread. */
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Shape, WindowUse } from '../../../../spillway/src/inspector/api.ts';
import { Running } from '../../components/call.tsx';
import { Button, Dialog, FilterField, Select } from '../../components/controls.tsx';
import { Empty, Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { type Got, post, saveAs } from '../../data/api-client.ts';
import { formatAgo, formatBytes, formatCount, formatTime, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useValue } from '../../data/observable.ts';
import { useGet, workspace } from '../../data/resource.ts';
import { useItemKeys } from '../../shell/keys.ts';
import { attempt, say, usePage } from '../../shell/page.ts';
import { navigate, type Route, route, sessionAddress } from '../../shell/router.ts';
import { Thread } from './thread.tsx';

type SessionRow = Got<'/api/sessions'>['items'][number];
type SessionAnswer = Got<'/api/sessions/:id'>;

/**
 * The context window of a session: as its last request noted it, else weighed now if it has
 * messages.
 */
export function useSessionWindow(session: SessionAnswer | undefined): WindowUse | null {
  useValue(route);
  const isKnown = session?.window?.size != null;
  const size = session && localStorage.getItem(`spillway-window:${session.id}`);
  const needsWeighing = session !== undefined && !isKnown && session.totals.messages > 0;
  const query = needsWeighing ? { id: session.id, size } : undefined;
  const { data } = useGet('/api/sessions/:id/window', query, { stamp: session?.seen_at, keeps: true });
  return isKnown ? (session?.window ?? null) : (data ?? session?.window ?? null);
}

/** How the window filled, turn by turn: a picture to look at and to save, and the same as a table. */
function Timeline({ session, turns }: { session: string; turns: number }) {
  const { data } = useGet('/api/sessions/:id/timeline', { id: session }, { stamp: turns, keeps: true });
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => stopAt(pointsIn(box.current)), [data]);
  if (!data?.picture) return null;
  return (
    <details class="timeline">
      <summary>Timeline: how the window filled</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links in it are moved through */}
      <div class="timeline-picture" ref={box} onKeyDown={moveToPoint}>
        <Drawn shape={data.picture} />
      </div>
      <p class="row">
        <Button onClick={() => savePicture(box.current, session, 'svg')}>Save as SVG</Button>
        <Button onClick={() => savePicture(box.current, session, 'png')}>Save as PNG</Button>
        <span class="hint">
          Each bar and point is a link; the arrow keys move through them. To share it as a file:{' '}
          <code>spillway inspect {session} --export timeline.html</code>
        </span>
      </p>
      <Drawn shape={data.table} />
    </details>
  );
}

function Drawn({ shape: [name, attributes, ...inside] }: { shape: Shape }) {
  const children = inside.map((each, at) =>
    typeof each === 'string' ? each : <Drawn key={at} shape={each} />,
  );
  return h(name, attributes, ...children);
}

function pointsIn(box: HTMLElement | null): SVGAElement[] {
  return [...(box?.querySelectorAll<SVGAElement>('a') ?? [])];
}

/** Only one of the points is a stop of the Tab key. */
function stopAt(points: readonly SVGAElement[], to = points[0]): void {
  for (const point of points) point.tabIndex = point === to ? 0 : -1;
}

function moveToPoint({ key, currentTarget }: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const points = pointsIn(currentTarget);
  const from = points.indexOf(document.activeElement as SVGAElement);
  const to = points[from + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? Number.NaN)];
  if (!to) return;
  stopAt(points, to);
  to.focus();
}

/**
 * Saves the picture in the colours that it has now, and without its links, which lead nowhere outside
 * of this page.
 */
async function savePicture(box: HTMLElement | null, name: string, kind: 'svg' | 'png'): Promise<void> {
  const shown = box?.querySelector('svg');
  if (!shown) return;
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const all = (svg: Element) => [svg, ...svg.querySelectorAll('*')];
  const copies = all(copy);
  for (const [at, shape] of all(shown).entries()) {
    const style = getComputedStyle(shape);
    copies[at]?.removeAttribute('href');
    for (const name of ['fill', 'stroke'] as const)
      if (shape.hasAttribute(name)) copies[at]?.setAttribute(name, style[name]);
  }
  const svg = new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
  const blob = kind === 'svg' ? svg : await pngOf(svg);
  if (!blob) return say('The browser could not draw the picture.');
  const url = URL.createObjectURL(blob);
  saveAs(url, `${name}.${kind}`);
  URL.revokeObjectURL(url);
}

async function pngOf(svg: Blob): Promise<Blob | null> {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  URL.revokeObjectURL(image.src);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve));
}

/** A session with more entries than this has a field that finds one. */
const FIND_FROM = 30;

export function SessionsView({ route }: { route: Route }) {
  const [show, setShow] = useState('all');
  const [filter, setFilter] = useState('');
  const { data, error, reload } = useGet('/api/sessions', { show, q: filter, limit: 200 }, { keeps: true });
  useLiveEvents(reload);
  const items = data?.items ?? [];
  const selected = route.id ?? (isWide() ? items[0]?.id : undefined);
  const ids = items.map(({ id }) => id);
  useItemKeys(ids, selected, (id) => id !== undefined && navigate(sessionAddress(id), { replace: true }));
  const isEmpty = useValue(workspace)?.has_store === false;
  if (error) return <Problem error={error} retry={reload} />;
  if (isEmpty || (data && items.length === 0 && filter === '' && show === 'all')) return <NothingYet />;
  return (
    <div class={route.id === undefined ? 'split at-list' : 'split at-item'}>
      <section class="list-pane" aria-label="Sessions">
        {route.id === undefined && !isWide() && <h1 class="sr">Sessions</h1>}
        <div class="list-head line">
          <Select
            label="Which sessions"
            value={show}
            onChange={setShow}
            options={[
              ['all', 'All'],
              ['open', 'Open'],
            ]}
          />
          <FilterField hasKey label="Filter sessions by name" value={filter} onChange={setFilter} />
        </div>
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
  return <div class="item-pane scroll">{!isLoading && <Empty title="Choose a session" />}</div>;
}

function SessionList({ items, selected }: { items: readonly SessionRow[]; selected: string | undefined }) {
  if (items.length === 0) return <p class="hint list-none">No session has a name like this.</p>;
  return (
    <ul class="list scroll">
      {items.map((session) => (
        <li key={session.id}>
          <a
            class="list-row"
            href={sessionAddress(session.id)}
            aria-current={session.id === selected ? 'true' : undefined}
          >
            <b class="line">
              <i class={isLive(session) ? 'dot on' : 'dot'} />
              <span class="clip">{session.id}</span>
              {session.ended_at !== null && <span class="sr">ended</span>}
              <time class="dim small end">{formatAgo(session.seen_at)}</time>
            </b>
            <span class="line dim small">
              <span>{pluralize(session.totals.calls, 'call')}</span>
              {session.totals.cut > 0 && <span>{formatCount(session.totals.cut)} cut</span>}
              {session.totals.failed > 0 && (
                <span class="error">{formatCount(session.totals.failed)} failed</span>
              )}
            </span>
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

function Session({ id, call, isNamed }: { id: string; call: string | undefined; isNamed: boolean }) {
  const { data, error, reload } = useGet('/api/sessions/:id', { id });
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
      <div class="item-pane scroll">
        <Problem error={error} retry={reload} />
      </div>
    );
  return (
    <section class="item-pane scroll" aria-label={`Session ${id}`}>
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
          The agent does not send its messages to Spillway. So only outputs are listed, and nobody knows how
          full its context window is.
        </p>
      )}
      {data && data.totals.calls > 0 && data.totals.cut === 0 && data.totals.shown === data.totals.calls && (
        <p class="hint thread-note">
          {data.totals.calls === 1 ? 'The result was' : `All ${formatCount(data.totals.calls)} results were`}{' '}
          shown whole.
        </p>
      )}
      {data?.window && <Timeline session={id} turns={data.window.at} />}
      <Thread session={id} current={call} look="full" text={text} />
      <Running session={id} />
    </section>
  );
}

function SessionHead({ session, onEnded }: { session: SessionAnswer; onEnded: () => void }) {
  const { id, opened_at, ended_at, totals, compactions, missing } = session;
  return (
    <header class="session-head row">
      <h1>{id}</h1>
      <p class="dim small">
        opened {formatTime(opened_at)}
        {ended_at !== null && ` · ended ${formatTime(ended_at)}`} · {pluralize(totals.calls, 'call')}
        {(totals.shown > 0 || totals.calls === 0) && ` · ${formatCount(totals.cut)} cut`}
        {totals.shown < totals.calls &&
          ` · unknown what was shown of ${formatCount(totals.calls - totals.shown)}`}
        {totals.failed > 0 && ` · ${formatCount(totals.failed)} failed`}
        {totals.read_later > 0 && ` · ${formatCount(totals.read_later)} read later`}
        {compactions > 0 && ` · ${pluralize(compactions, 'compaction')}`}
        {missing > 0 && ` · ${formatCount(missing)} without a result`}
      </p>
      <span class="end">{ended_at === null && <EndSession id={id} onEnded={onEnded} />}</span>
    </header>
  );
}

function isWide(): boolean {
  return matchMedia('(min-width: 820px)').matches;
}

/** Ends a session after telling what that means for its handles. */
function EndSession({ id, onEnded }: { id: string; onEnded: () => void }) {
  const [preview, setPreview] = useState<Answer<'POST /api/sessions/:id/end'> | undefined>(undefined);
  const ask = () =>
    attempt(async () => setPreview(await post('/api/sessions/:id/end', { id, preview: true })));
  const end = async () => {
    if (await attempt(() => post('/api/sessions/:id/end', { id, preview: false }))) {
      say(`${id} has ended`);
      onEnded();
    }
    setPreview(undefined);
  };
  return (
    <>
      <Button onClick={ask}>End…</Button>
      {preview && (
        <Dialog
          title={`End ${id}`}
          onClose={() => setPreview(undefined)}
          action={{ words: 'End the session', onClick: end }}
        >
          <p>
            Models can no longer read its {pluralize(preview.outputs, 'output')}.
            {preview.bytes_freed > 0 && ` ${formatBytes(preview.bytes_freed)} will be freed.`} You can still
            read here what is kept.
          </p>
        </Dialog>
      )}
    </>
  );
}
