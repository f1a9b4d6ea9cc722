/** Size, quota and retention, as numbers and in words. */
import type { StoreAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Meter } from '../../components/bar.tsx';
import { formatBytes, formatCount, formatShare, pluralize } from '../../data/figures.ts';

export function Usage({ store }: { store: StoreAnswer }) {
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
