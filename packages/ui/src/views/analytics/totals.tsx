/** The numbers of the whole, each with what it is a part of. */
import type { AnalyticsAnswer, ToolNumbers } from '../../../../spillway/src/inspector/api.ts';
import { Meter } from '../../components/bar.tsx';
import { formatCount, formatShare, formatShort, pluralize } from '../../data/figures.ts';

interface TotalsProps {
  readonly total: ToolNumbers;
  readonly history: AnalyticsAnswer['history'];
}

export function Totals({ total, history }: TotalsProps) {
  const { cut, outputs, tokens_saved: saved, refetched, unfollowed, losses } = total;
  return (
    <>
      <dl class="facts five">
        <div>
          <dt class="k">Cut</dt>
          <dd class="v">
            {formatCount(cut)}{' '}
            <small>
              of {pluralize(outputs, 'result')} · {formatShare(cut, outputs)}
            </small>
            <Meter part={cut} of={outputs} label={`${formatShare(cut, outputs)} cut`} />
          </dd>
        </div>
        <div>
          <dt class="k">{saved < 0 ? 'Read more, net of fetches' : 'Saved, net of fetches'}</dt>
          <dd class="v">
            <span class="dim" title="An estimate: four chars a token">
              ≈
            </span>{' '}
            {formatShort(Math.abs(saved))} <small>tokens</small>
          </dd>
        </div>
        <Fact name="Fetched again" value={refetched} of={cut} />
        <Fact name="Not followed up" value={unfollowed} of={cut} />
        <div>
          <dt class="k">Suspected losses</dt>
          <dd class={losses > 0 ? 'v warning' : 'v ok'}>{formatCount(losses)}</dd>
        </div>
      </dl>
      <p class="hint facts-note">
        Not followed up: cut, and the model fetched nothing of it later.
        {historyWords(total, history).map((words) => ` ${words}`)}
      </p>
    </>
  );
}

function Fact({ name, value, of }: { name: string; value: number; of: number }) {
  return (
    <div>
      <dt class="k">{name}</dt>
      <dd class="v">
        {formatCount(value)} <small>of {pluralize(of, 'cut')}</small>
      </dd>
    </div>
  );
}

/** Only what happened. */
function historyWords(
  { reexecuted, not_stored }: ToolNumbers,
  { missing_results, overflows_avoided }: AnalyticsAnswer['history'],
): string[] {
  return [
    reexecuted > 0 && `${pluralize(reexecuted, 'call')} made again.`,
    not_stored > 0 && `${pluralize(not_stored, 'result')} not stored.`,
    missing_results > 0 && `${pluralize(missing_results, 'result')} missing in a session.`,
    overflows_avoided > 0 && `${pluralize(overflows_avoided, 'request')} kept inside the window.`,
  ].filter((words) => words !== false);
}
