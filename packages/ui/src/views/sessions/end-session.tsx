/** Ends a session after telling what that means for its handles. */
import { useState } from 'preact/hooks';
import type { EndSessionAnswer, EndSessionOrder } from '../../../../spillway/src/inspector/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { post } from '../../data/api-client.ts';
import { formatBytes, pluralize } from '../../data/figures.ts';
import { say } from '../../shell/toast.ts';

export function EndSession({ id, onEnded }: { id: string; onEnded: () => void }) {
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
