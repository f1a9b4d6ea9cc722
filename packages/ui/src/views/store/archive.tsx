/** Compresses old content where it lies, after showing of which outputs; all of it can still be read. */
import { useState } from 'preact/hooks';
import type { ArchiveAnswer, ArchiveOrder } from '../../../../spillway/src/inspector/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { post } from '../../data/api-client.ts';
import { formatBytes, pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { say } from '../../shell/toast.ts';
import { AgeChoice, endedBefore, SessionChoice } from './choices.tsx';
import { OutputNames } from './output-names.tsx';
import type { SessionSize } from './session-sizes.tsx';

interface ArchiveProps {
  readonly sessions: readonly SessionSize[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function Archive({ sessions, onClose, onDone }: ArchiveProps) {
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
