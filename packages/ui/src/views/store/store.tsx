/** The store: how much it holds and how long, which sessions are large, whether it is whole, what can go. */
import { useState } from 'preact/hooks';
import type { StoreAnswer, StoreSessionsAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Loading, NothingStored, Problem } from '../../components/empty.tsx';
import { get } from '../../data/api-client.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useResource } from '../../data/resource.ts';
import { useSlowly } from '../../data/slowly.ts';
import { usePage } from '../../shell/page.ts';
import { Archive } from './archive.tsx';
import { CleanUp } from './clean-up.tsx';
import { Health } from './health.tsx';
import { SessionSizes } from './session-sizes.tsx';
import { Usage } from './usage.tsx';

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
