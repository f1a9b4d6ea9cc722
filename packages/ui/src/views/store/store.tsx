/** The store: how much it holds and how long, which sessions are large, whether it is whole, what can go. */
import { useState } from 'preact/hooks';
import type {
  ArchiveAnswer,
  ArchiveOrder,
  DoctorAnswer,
  StoreAnswer,
  StoreSessionsAnswer,
} from '../../../../spillway/src/inspector/api.ts';
import { Meter } from '../../components/bar.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { FailedIcon, OkIcon, WarningIcon } from '../../components/icons.ts';
import { get, post } from '../../data/api-client.ts';
import { formatBytes, formatCount, formatShare, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useResource } from '../../data/resource.ts';
import { useSlowly } from '../../data/slowly.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress } from '../../shell/router.ts';
import { say } from '../../shell/toast.ts';
import { AgeChoice, endedBefore, SessionChoice } from './choices.tsx';
import { CleanUp } from './clean-up.tsx';
import { OutputNames } from './output-names.tsx';
import { type SessionSize, SessionSizes } from './session-sizes.tsx';

/** What `spillway doctor` finds, and outputs that could not be read back. */
const STATES = {
  ok: { icon: OkIcon, color: 'ok', words: 'fine' },
  warning: { icon: WarningIcon, color: 'warning', words: 'warning' },
  failure: { icon: FailedIcon, color: 'error', words: 'failure' },
};

function Health() {
  const [reach, setReach] = useState<'newest' | 'everything'>('newest');
  const { data, error, isLoading, reload } = useResource(`doctor ${reach}`, (signal) =>
    get<DoctorAnswer>('/api/store/doctor', { reach }, signal),
  );
  return (
    <section class="section" aria-label="Health">
      <div class="section-head">
        <h2>Health</h2>
        <button
          type="button"
          class="btn"
          disabled={isLoading}
          onClick={() => (reach === 'everything' ? reload() : setReach('everything'))}
        >
          Read everything back
        </button>
      </div>
      {error && <Problem error={error} retry={reload} />}
      {isLoading && <Loading what={reach === 'everything' ? 'Reading every output' : 'Looking'} />}
      {data && (
        <>
          <Damaged ids={data.damaged} reach={reach} />
          <ul class="findings">
            {data.findings.map(({ name, state, detail, fix }) => (
              <li key={name + detail}>
                <span class={STATES[state].color}>
                  <Icon of={STATES[state].icon} />
                  <span class="sr">{STATES[state].words}</span>
                </span>
                <b>{name}</b>
                <span>
                  {detail}
                  {fix !== null && <span class="hint">{fix}</span>}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Damaged({ ids, reach }: { ids: readonly string[]; reach: 'newest' | 'everything' }) {
  if (ids.length === 0)
    return (
      <p class="hint">
        {reach === 'everything'
          ? 'Every output was read back whole.'
          : 'The newest outputs were read back whole.'}
      </p>
    );
  return (
    <div class="card damaged" role="alert">
      <p class="error">
        <Icon of={WarningIcon} /> {pluralize(ids.length, 'output')} could not be read back
      </p>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <a href={outputAddress(id)}>
              <code>{id}</code>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What is open: the clean-up, of all ended sessions (`''`) or of one, or the archive. */
type Open = { readonly what: 'clean' | 'archive'; readonly session: string };

export function StoreView() {
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const store = useResource('store', (signal) => get<StoreAnswer>('/api/store', {}, signal));
  const sizes = useResource('sizes', (signal) => get<StoreSessionsAnswer>('/api/store/sessions', {}, signal));
  const reload = () => {
    store.reload();
    sizes.reload();
  };
  useLiveEvents(useSlowly(reload));
  usePage({ title: 'Store' });
  const error = store.error ?? sizes.error;
  if (error) return <Problem error={error} retry={reload} />;
  if (!store.data || !sizes.data) return <Loading />;
  if (!store.data.has_store) return <NothingStored />;
  const { sessions } = sizes.data;
  const close = () => setOpen(undefined);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Store</h1>
        <code class="dim path">{store.data.file}</code>
        <div class="end filters">
          <button type="button" class="btn" onClick={() => setOpen({ what: 'archive', session: '' })}>
            Archive…
          </button>
          <button type="button" class="btn pri" onClick={() => setOpen({ what: 'clean', session: '' })}>
            Clean up…
          </button>
        </div>
      </header>
      <Usage store={store.data} />
      <SessionSizes sessions={sessions} onClean={(session) => setOpen({ what: 'clean', session })} />
      <Health />
      {open?.what === 'clean' && (
        <CleanUp sessions={sessions} session={open.session} onClose={close} onDone={reload} />
      )}
      {open?.what === 'archive' && <Archive sessions={sessions} onClose={close} onDone={reload} />}
    </div>
  );
}

/** Size, quota and retention, as numbers and in words. */
function Usage({ store }: { store: StoreAnswer }) {
  const { bytes, file_bytes, free_bytes, max_bytes, outputs, sessions, events } = store;
  return (
    <>
      <dl class="facts four">
        <div>
          <dt class="k">Stored content</dt>
          <dd class="v">
            {formatBytes(bytes)}{' '}
            <small>
              {max_bytes === null
                ? 'no quota'
                : `of ${formatBytes(max_bytes)} · ${formatShare(bytes, max_bytes)}`}
            </small>
            {max_bytes !== null && (
              <Meter part={bytes} of={max_bytes} label={`${formatShare(bytes, max_bytes)} of the quota`} />
            )}
          </dd>
        </div>
        <div>
          <dt class="k">On disk</dt>
          <dd class="v">
            {formatBytes(file_bytes)} {free_bytes !== null && <small>{formatBytes(free_bytes)} free</small>}
          </dd>
        </div>
        <div>
          <dt class="k">Outputs</dt>
          <dd class="v">
            {formatCount(outputs)} <small>in {pluralize(sessions, 'session')}</small>
          </dd>
        </div>
        <div>
          <dt class="k">Ledger</dt>
          <dd class="v">
            {formatCount(events)} <small>{events === 1 ? 'event' : 'events'}</small>
          </dd>
        </div>
      </dl>
      <section class="section">
        <h2>Retention</h2>
        <ul class="words">
          {retentionWords(store).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </section>
    </>
  );
}

function retentionWords({ retention, max_age_days, max_bytes, durability, copies }: StoreAnswer): string[] {
  return [
    retention === 'durable'
      ? 'Outputs outlive their session, until somebody removes them.'
      : 'Outputs are removed when their session ends.',
    max_age_days === null
      ? 'Outputs have no maximum age.'
      : `Outputs older than ${pluralize(max_age_days, 'day')} are removed.`,
    max_bytes === null ? 'There is no quota.' : `At ${formatBytes(max_bytes)} the oldest outputs go first.`,
    durability === 'power'
      ? 'What is stored survives a loss of power.'
      : 'What is stored survives the end of the process, but perhaps not a loss of power.',
    `${pluralize(copies.files, 'copy', 'copies')} as files: ${formatBytes(copies.bytes)} of at most ${formatBytes(copies.max_bytes)}.`,
  ];
}

/** Compresses old content where it lies, after showing of which outputs; all of it can still be read. */
interface ArchiveProps {
  readonly sessions: readonly SessionSize[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Archive({ sessions, onClose, onDone }: ArchiveProps) {
  const [session, setSession] = useState<string | null>(null);
  const [days, setDays] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const ask = (preview: boolean, signal?: AbortSignal) => {
    const order: ArchiveOrder = { session, before_at: endedBefore(days) ?? Date.now(), preview };
    return post<ArchiveAnswer>('/api/store/archive', order, signal);
  };
  const preview = useResource(`archive ${session} ${days}`, (signal) => ask(true, signal));
  const archive = async () => {
    setBusy(true);
    try {
      say(doneWords(await ask(false)));
      onDone();
      onClose();
    } catch (error) {
      say((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Archive"
      onClose={onClose}
      foot={
        <button type="button" class="btn pri" disabled={isBusy || !preview.data?.outputs} onClick={archive}>
          {isBusy ? 'Compressing …' : 'Compress'}
        </button>
      }
    >
      <div class="form">
        <p>
          Content is compressed where it lies. Handles, links and what a model can fetch stay the same;
          reading takes a little longer.
        </p>
        <SessionChoice sessions={sessions} all="All sessions" value={session} onChange={setSession} />
        <AgeChoice none="Any age" value={days} onChange={setDays} />
        {preview.error && <Problem error={preview.error} />}
        {preview.isLoading && <Loading what="Looking for outputs" />}
        {preview.data && <WhatIsCompressed {...preview.data} />}
      </div>
    </Dialog>
  );
}

function WhatIsCompressed({ outputs, bytes_before, items }: ArchiveAnswer) {
  if (outputs === 0) return <p>No output matches: nothing would be compressed.</p>;
  return (
    <>
      <p>
        <b>{pluralize(outputs, 'output')}</b>, {formatBytes(bytes_before)} of content. What is compressed
        already stays as it is.
      </p>
      <OutputNames label="What is compressed" items={items} outputs={outputs} />
    </>
  );
}

function doneWords({ outputs, bytes_before, bytes_after }: ArchiveAnswer): string {
  if (bytes_before === 0) return 'Nothing was left to compress';
  return `${pluralize(outputs, 'output')} compressed: ${formatBytes(bytes_before)} became ${formatBytes(bytes_after ?? 0)}`;
}
