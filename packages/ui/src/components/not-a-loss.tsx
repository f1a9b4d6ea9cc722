/** Says of a suspected loss that it is none. It is noted in the ledger, so that every view knows. */
import type { JudgeOrder } from '../../../spillway/src/inspector/api.ts';
import { post } from '../data/api-client.ts';
import { say } from '../shell/toast.ts';

export function NotALoss({ id, onJudged }: { id: string; onJudged: () => void }) {
  const judge = async () => {
    try {
      await post(`/api/outputs/${encodeURIComponent(id)}/loss`, { loss: false } satisfies JudgeOrder);
      say('Noted: nothing was lost');
      onJudged();
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <button type="button" class="btn" onClick={judge}>
      Not a loss
    </button>
  );
}
