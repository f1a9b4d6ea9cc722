/** The store: how much it holds and how long, which sessions are large, whether it is whole, what can go. */
import * as lucide from 'lucide';
import { useState } from 'preact/hooks';
import { Button, Facts, Icon, Page, Share, TableSection } from '../../components/controls.tsx';
import { Loading, NothingStored, Problem } from '../../components/empty.tsx';
import type { Got } from '../../data/api-client.ts';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatExact,
  formatShare,
  pluralize,
} from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useGet, useSlowly } from '../../data/resource.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress, sessionAddress } from '../../shell/router.ts';
import { Archive, CleanUp } from './clean-up.tsx';

/** What is open: the clean-up, of all ended sessions (null) or of one, or the archive. */
type Open = { readonly what: 'clean' | 'archive'; readonly session: string | null };

export function StoreView() {
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const store = useGet('/api/store', {});
  const sizes = useGet('/api/store/sessions', {});
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
  const order = { sessions, onClose: () => setOpen(undefined), onDone: reload };
  return (
    <Page
      title="Store"
      note={<code class="dim">{store.data.file}</code>}
      tools={
        <>
          <Button onClick={() => setOpen({ what: 'archive', session: null })}>Archive…</Button>
          <Button kind="pri" onClick={() => setOpen({ what: 'clean', session: null })}>
            Clean up…
          </Button>
        </>
      }
    >
      <Usage {...store.data} />
      <section class="section">
        <h2>Retention</h2>
        <ul class="words">
          {retentionWords(store.data).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </section>
      <SessionSizes sessions={sessions} onClean={(session) => setOpen({ what: 'clean', session })} />
      <Health />
      {open?.what === 'clean' && <CleanUp {...order} session={open.session} />}
      {open?.what === 'archive' && <Archive {...order} />}
    </Page>
  );
}

type Store = Got<'/api/store'>;

function Usage({ bytes, file_bytes, free_bytes, max_bytes, outputs, sessions, events }: Store) {
  const share = max_bytes === null ? '' : formatShare(bytes, max_bytes);
  return (
    <Facts
      facts={[
        {
          name: 'Stored content',
          value: formatBytes(bytes),
          note: max_bytes === null ? 'no quota' : `of ${formatBytes(max_bytes)} · ${share}`,
          meter:
            max_bytes === null ? undefined : { part: bytes, of: max_bytes, label: `${share} of the quota` },
        },
        {
          name: 'On disk',
          value: formatBytes(file_bytes),
          note: free_bytes !== null && `${formatBytes(free_bytes)} free`,
        },
        { name: 'Outputs', value: formatCount(outputs), note: `in ${pluralize(sessions, 'session')}` },
        { name: 'Ledger', value: formatCount(events), note: events === 1 ? 'event' : 'events' },
      ]}
    />
  );
}

function retentionWords({ retention, max_age_days, max_bytes, durability, copies }: Store): string[] {
  return [
    retention === 'durable'
      ? 'Outputs stay when their session ends, until you remove them.'
      : 'Outputs are removed when their session ends.',
    max_age_days === null
      ? 'Outputs have no maximum age.'
      : `Outputs older than ${pluralize(max_age_days, 'day')} are removed.`,
    max_bytes === null ? 'There is no quota.' : `At ${formatBytes(max_bytes)} the oldest outputs go first.`,
    durability === 'power'
      ? 'What is stored survives a power cut.'
      : 'What is stored survives a crash of the program, but perhaps not a power cut.',
    `${pluralize(copies.files, 'plain copy', 'plain copies')} in files: ${formatBytes(copies.bytes)} of at most ${formatBytes(copies.max_bytes)}.`,
  ];
}

interface SessionSizesProps {
  readonly sessions: Got<'/api/store/sessions'>['sessions'];
  readonly onClean: (session: string) => void;
}

/** Sessions, the largest first. */
function SessionSizes({ sessions, onClean }: SessionSizesProps) {
  const largest = sessions[0]?.bytes ?? 0;
  return (
    <TableSection
      title="Sessions by size"
      none="No session has an output."
      class="cards sizes"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Session', of: ({ id }) => <a href={sessionAddress(id)}>{id}</a> },
        {
          name: 'Size',
          isText: true,
          of: ({ bytes }) => (
            <span class="row">
              <span class="bar">
                <Share of={largest > 0 ? bytes / largest : 0} />
              </span>
              {formatBytes(bytes)}
            </span>
          ),
        },
        { name: 'Outputs', of: ({ outputs }) => formatCount(outputs) },
        { name: 'State', isText: true, of: ({ state }) => state },
        {
          name: 'Last used',
          of: ({ seen_at }) => <time title={formatExact(seen_at)}>{formatAgo(seen_at)}</time>,
        },
        {
          name: '',
          of: ({ id }) => (
            <Button label={`Clean up ${id}`} onClick={() => onClean(id)}>
              Clean up…
            </Button>
          ),
        },
      ]}
    />
  );
}

const STATES = {
  ok: { icon: lucide.Check, color: 'ok', words: 'fine' },
  warning: { icon: lucide.TriangleAlert, color: 'warning', words: 'warning' },
  failure: { icon: lucide.CircleX, color: 'error', words: 'failure' },
};

/** What `spillway doctor` finds, and outputs that could not be read back. */
function Health() {
  const [reach, setReach] = useState<'newest' | 'everything'>('newest');
  const { data, error, isLoading, reload } = useGet('/api/store/doctor', { reach });
  const isAll = reach === 'everything';
  return (
    <section class="section" aria-label="Health">
      <div class="between">
        <h2>Health</h2>
        <Button disabled={isLoading} onClick={() => (isAll ? reload() : setReach('everything'))}>
          Check every output
        </Button>
      </div>
      {error && <Problem error={error} retry={reload} />}
      {isLoading && <Loading what={isAll ? 'Checking every output' : 'Checking'} />}
      {data?.damaged.length === 0 && (
        <p class="hint">{isAll ? 'Every output can be read.' : 'The newest outputs can be read.'}</p>
      )}
      {data && data.damaged.length > 0 && (
        <div class="card" role="alert">
          <p class="error">
            <Icon of={lucide.TriangleAlert} /> {pluralize(data.damaged.length, 'output')} cannot be read
          </p>
          <ul>
            {data.damaged.map((id) => (
              <li key={id}>
                <a href={outputAddress(id)}>
                  <code>{id}</code>
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <ul class="findings rows">
        {data?.findings.map(({ name, state, detail, fix }) => (
          <li key={name + detail}>
            <span class={STATES[state].color}>
              <Icon of={STATES[state].icon} />
              <span class="sr">{STATES[state].words}</span>
            </span>
            <b>{name}</b>
            <span>
              {detail}
              {fix !== null && <span class="hint block">{fix}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
