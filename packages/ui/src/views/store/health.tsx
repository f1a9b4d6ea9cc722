/** What `spillway doctor` finds, and outputs that could not be read back. */
import { useState } from 'preact/hooks';
import type { DoctorAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Loading, Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { FailedIcon, OkIcon, WarningIcon } from '../../components/icons.ts';
import { get } from '../../data/api-client.ts';
import { pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { outputAddress } from '../../shell/router.ts';

const STATES = {
  ok: { icon: OkIcon, color: 'ok', words: 'fine' },
  warning: { icon: WarningIcon, color: 'warning', words: 'warning' },
  failure: { icon: FailedIcon, color: 'error', words: 'failure' },
};

export function Health() {
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
