/**
 * Clean-up in three steps: what is asked for, what would go, and the number of outputs typed by the
 * person. The server carries it out only if it is still that number.
 */
import { useState } from 'preact/hooks';
import type { CleanAnswer, CleanOrder } from '../../../../spillway/src/inspector/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { post } from '../../data/api-client.ts';
import { formatBytes, pluralize } from '../../data/figures.ts';
import { say } from '../../shell/toast.ts';
import { AgeChoice, endedBefore, SessionChoice } from './choices.tsx';
import { OutputNames } from './output-names.tsx';
import type { SessionSize } from './session-sizes.tsx';

interface CleanUpProps {
  readonly sessions: readonly SessionSize[];
  /** Chosen at first; empty for all that have ended. */
  readonly session: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** `days`: how old an output must be, 0 for any age. */
type Order = Omit<CleanOrder, 'confirm' | 'before_at'> & { readonly days: number };

export function CleanUp({ sessions, session: first, onClose, onDone }: CleanUpProps) {
  const [order, setOrder] = useState<Order>({
    how: 'purge',
    session: first === '' ? null : first,
    days: 0,
    ended: first === '',
  });
  const [preview, setPreview] = useState<CleanAnswer | undefined>(undefined);
  const [typed, setTyped] = useState('');
  const ask = async (confirm: number | null) => {
    try {
      const { days, ...rest } = order;
      const before_at = endedBefore(days);
      const answer = await post<CleanAnswer>('/api/store/clean', { ...rest, before_at, confirm });
      if (!answer.done) return setPreview(answer);
      say(doneWords(order, answer));
      onDone();
      onClose();
    } catch (error) {
      // The number is another one by now: back to the order.
      setPreview(undefined);
      setTyped('');
      say((error as Error).message);
    }
  };
  const isTyped = preview !== undefined && preview.outputs > 0 && typed.trim() === String(preview.outputs);
  return (
    <Dialog
      title={preview ? 'Clean up: what goes' : 'Clean up'}
      onClose={onClose}
      foot={
        preview ? (
          <>
            <button type="button" class="btn" onClick={() => setPreview(undefined)}>
              Back
            </button>
            {preview.outputs > 0 && (
              <button
                type="button"
                class="btn danger"
                disabled={!isTyped}
                onClick={() => ask(preview.outputs)}
              >
                {order.how === 'purge' ? 'Remove for good' : 'End the handles'}
              </button>
            )}
          </>
        ) : (
          <button type="button" class="btn pri" onClick={() => ask(null)}>
            Show what goes
          </button>
        )
      }
    >
      {preview ? (
        <WhatGoes order={order} preview={preview} typed={typed} onTyped={setTyped} />
      ) : (
        <OrderForm order={order} onOrder={setOrder} sessions={sessions} />
      )}
    </Dialog>
  );
}

function OrderForm({
  order,
  onOrder,
  sessions,
}: {
  order: Order;
  onOrder: (order: Order) => void;
  sessions: readonly SessionSize[];
}) {
  return (
    <div class="form">
      <fieldset>
        <legend>What</legend>
        <label class="check">
          <input
            type="radio"
            name="how"
            checked={order.how === 'purge'}
            onChange={() => onOrder({ ...order, how: 'purge' })}
          />
          <span>
            Remove outputs
            <span class="hint">Their content is gone for good. A tombstone with the date stays.</span>
          </span>
        </label>
        <label class="check">
          <input
            type="radio"
            name="how"
            checked={order.how === 'retire'}
            onChange={() => onOrder({ ...order, how: 'retire' })}
          />
          <span>
            End handles
            <span class="hint">A model can no longer read them. You still can, here.</span>
          </span>
        </label>
      </fieldset>
      <SessionChoice
        sessions={sessions}
        all="All sessions that have ended"
        value={order.session}
        onChange={(session) => onOrder({ ...order, session, ended: session === null })}
      />
      <AgeChoice none="Any age" value={order.days} onChange={(days) => onOrder({ ...order, days })} />
      <p class="hint">Outputs of open sessions stay, unless you choose that session.</p>
    </div>
  );
}

interface WhatGoesProps {
  readonly order: Order;
  readonly preview: CleanAnswer;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
}

function WhatGoes({ order, preview, typed, onTyped }: WhatGoesProps) {
  const { outputs, bytes_freed, items } = preview;
  if (outputs === 0) return <p>No output matches: nothing would go.</p>;
  const what = order.how === 'purge' ? 'will be removed for good' : 'will lose their handles';
  return (
    <div class="form">
      <p>
        <b>{pluralize(outputs, 'output')}</b> {what}
        {bytes_freed > 0 && `, ${formatBytes(bytes_freed)} become free`}.
      </p>
      <OutputNames label="What goes" items={items} outputs={outputs} />
      <label>
        Type <b>{outputs}</b> to confirm
        <input
          class="input confirm"
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onInput={(event) => onTyped(event.currentTarget.value)}
        />
      </label>
    </div>
  );
}

function doneWords({ how }: Order, { outputs, bytes_freed }: CleanAnswer): string {
  return how === 'purge'
    ? `${pluralize(outputs, 'output')} removed, ${formatBytes(bytes_freed)} freed`
    : `The handles of ${pluralize(outputs, 'output')} have ended`;
}
