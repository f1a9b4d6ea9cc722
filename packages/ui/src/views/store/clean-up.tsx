/** Orders over many outputs, each after its preview: the clean-up and the archive. */
import { useState } from 'preact/hooks';
import type { Answer, Body, OutputRow } from '../../../../spillway/src/inspector/api.ts';
import { Outputs } from '../../components/call.tsx';
import { Button, Dialog, Select } from '../../components/controls.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { type Got, post } from '../../data/api-client.ts';
import { formatBytes, formatCount, pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { attempt, say } from '../../shell/page.ts';

const DAY_MS = 86_400_000;
const AGES = [1, 7, 30, 90, 365];

interface OrderProps {
  readonly sessions: Got<'/api/store/sessions'>['sessions'];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Of which session, and how old: two fields, and what they say. `all`: what no session means. */
function useWhich(sessions: OrderProps['sessions'], all: string, first: string | null) {
  const [session, setSession] = useState(first ?? '');
  const [days, setDays] = useState('');
  const names = sessions.map(
    ({ id, bytes, state }) => [id, `${id} · ${formatBytes(bytes)} · ${state}`] as const,
  );
  const ages = AGES.map((age) => [String(age), `Older than ${age === 1 ? 'a day' : `${age} days`}`] as const);
  const fields = (
    <>
      <div class="row">
        Session <Select label="Session" value={session} none={all} options={names} onChange={setSession} />
      </div>
      <div class="row">
        Age <Select label="Age" value={days} none="Any age" options={ages} onChange={setDays} />
      </div>
    </>
  );
  const before_at = days === '' ? null : Date.now() - Number(days) * DAY_MS;
  return { fields, key: `${session} ${days}`, order: { session: session || null, before_at } };
}

interface OutputNamesProps {
  readonly label: string;
  readonly items: readonly OutputRow[];
  /** How many there are in all. */
  readonly outputs: number;
}

/** The outputs that an order means, before it is carried out. */
function OutputNames({ label, items, outputs }: OutputNamesProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
      <section class="goes" tabIndex={0} aria-label={label}>
        <Outputs items={items} />
      </section>
      {items.length < outputs && <p class="hint">The first {formatCount(items.length)} are listed.</p>}
    </>
  );
}

type How = Body<'POST /api/store/clean'>['how'];

const HOW = {
  purge: {
    name: 'Remove outputs',
    means: 'Their content is deleted for good. Only the date of its removal is kept.',
    what: 'will be removed for good',
    act: 'Remove for good',
  },
  retire: {
    name: 'Revoke handles',
    means: 'Models can no longer read them. You still can, here.',
    what: 'will be closed to models',
    act: 'Revoke the handles',
  },
};

/**
 * Clean-up in three steps: what is asked for, what would go, and the number of outputs typed by the
 * person. The server carries it out only if it is still that number.
 */
export function CleanUp({ sessions, session, onClose, onDone }: OrderProps & { session: string | null }) {
  const [how, setHow] = useState<How>('purge');
  const which = useWhich(sessions, 'All sessions that are idle or have ended', session);
  const [preview, setPreview] = useState<Answer<'POST /api/store/clean'> | undefined>(undefined);
  const [typed, setTyped] = useState('');
  const ask = async (confirm: number | null) => {
    const isAnswered = await attempt(async () => {
      const answer = await post('/api/store/clean', { ...which.order, how, confirm });
      if (!answer.done) return setPreview(answer);
      const count = pluralize(answer.outputs, 'output');
      const freed = formatBytes(answer.bytes_freed);
      say(how === 'purge' ? `${count} removed, ${freed} freed` : `The handles of ${count} were revoked`);
      onDone();
      onClose();
    });
    if (isAnswered) return;
    // The number is another one by now: back to the order.
    setPreview(undefined);
    setTyped('');
  };
  if (!preview)
    return (
      <Dialog
        title="Clean up"
        onClose={onClose}
        action={{ words: 'Show what will go', onClick: () => ask(null) }}
      >
        <div class="form">
          <fieldset>
            <legend>What</legend>
            {(['purge', 'retire'] as const).map((each) => (
              <label class="check" key={each}>
                <input type="radio" name="how" checked={how === each} onChange={() => setHow(each)} />
                <span>
                  {HOW[each].name}
                  <span class="hint block">{HOW[each].means}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {which.fields}
          <p class="hint">
            A session is idle if it was not used for a day. Outputs of a session in use stay, unless you
            choose that session.
          </p>
        </div>
      </Dialog>
    );
  const { outputs, bytes_freed, items } = preview;
  return (
    <Dialog
      title="Clean up: what will go"
      onClose={onClose}
      foot={
        <>
          <Button onClick={() => setPreview(undefined)}>Back</Button>
          {outputs > 0 && (
            <Button kind="danger" disabled={typed.trim() !== String(outputs)} onClick={() => ask(outputs)}>
              {HOW[how].act}
            </Button>
          )}
        </>
      }
    >
      {outputs === 0 ? (
        <p>Nothing to clean up: no session that is idle or has ended holds such an output.</p>
      ) : (
        <div class="form">
          <p>
            <b>{pluralize(outputs, 'output')}</b> {HOW[how].what}
            {bytes_freed > 0 && `, which frees ${formatBytes(bytes_freed)}`}.
          </p>
          <OutputNames label="What will go" items={items} outputs={outputs} />
          <label class="row">
            Type <b>{outputs}</b> to confirm
            <input
              class="input confirm"
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        </div>
      )}
    </Dialog>
  );
}

/** Compresses old content where it lies, after showing of which outputs; all of it can still be read. */
export function Archive({ sessions, onClose, onDone }: OrderProps) {
  const which = useWhich(sessions, 'All sessions', null);
  const [isBusy, setBusy] = useState(false);
  const ask = (preview: boolean, signal?: AbortSignal) => {
    const before_at = which.order.before_at ?? Date.now();
    return post('/api/store/archive', { ...which.order, before_at, preview }, signal);
  };
  const { data, error, isLoading } = useResource(which.key, (signal) => ask(true, signal));
  const archive = async () => {
    setBusy(true);
    const isDone = await attempt(async () => say(compressedWords(await ask(false))));
    setBusy(false);
    if (!isDone) return;
    onDone();
    onClose();
  };
  return (
    <Dialog
      title="Archive"
      onClose={onClose}
      action={{
        words: isBusy ? 'Compressing …' : 'Compress',
        onClick: archive,
        disabled: isBusy || !data?.outputs,
      }}
    >
      <div class="form">
        <p>
          Old content is compressed in place. Handles, links and what a model can fetch stay the same. Reading
          takes a little longer.
        </p>
        {which.fields}
        {error && <Problem error={error} />}
        {isLoading && <Loading what="Looking for outputs" />}
        {data?.outputs === 0 && <p>Nothing to compress.</p>}
        {data && data.outputs > 0 && (
          <>
            <p>
              <b>{pluralize(data.outputs, 'output')}</b>, {formatBytes(data.bytes_before)} of content. What is
              already compressed stays as it is.
            </p>
            <OutputNames label="What is compressed" items={data.items} outputs={data.outputs} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function compressedWords({ outputs, bytes_before, bytes_after }: Answer<'POST /api/store/archive'>): string {
  if (bytes_before === 0) return 'Everything was compressed already';
  return `${pluralize(outputs, 'output')} compressed: ${formatBytes(bytes_before)} became ${formatBytes(bytes_after ?? 0)}`;
}
