/** Compresses old content where it lies; everything can still be read. */
import { useState } from 'preact/hooks';
import type { ArchiveAnswer, ArchiveOrder } from '../../../../spillway/src/inspector/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { post } from '../../data/api-client.ts';
import { formatBytes, pluralize } from '../../data/figures.ts';
import { say } from '../../shell/toast.ts';
import { AgeChoice, endedBefore, SessionChoice } from './choices.tsx';
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
  const archive = async () => {
    setBusy(true);
    try {
      const order: ArchiveOrder = { session, before_at: endedBefore(days) ?? Date.now() };
      say(doneWords(await post<ArchiveAnswer>('/api/store/archive', order)));
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
        <button type="button" class="btn pri" disabled={isBusy} onClick={archive}>
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
      </div>
    </Dialog>
  );
}

function doneWords({ outputs, bytes_before, bytes_after }: ArchiveAnswer): string {
  if (outputs === 0) return 'Nothing was left to compress';
  return `${pluralize(outputs, 'output')} compressed: ${formatBytes(bytes_before)} became ${formatBytes(bytes_after)}`;
}
