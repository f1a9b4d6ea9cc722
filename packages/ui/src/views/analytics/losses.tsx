/** Results of which the model may have missed something, with the reason and a link to the place. */
import type { LossRow } from '../../../../spillway/src/inspector/api.ts';
import { askedFor } from '../../components/call.tsx';
import { NotALoss } from '../../components/not-a-loss.tsx';
import { formatCount, formatTime } from '../../data/figures.ts';
import { outputAddress, sessionAddress } from '../../shell/router.ts';

const WHY = {
  failure_left_out: 'A line that tells of a failure was left out',
  made_again: 'The same call was made again, with the same result',
};

interface LossesProps {
  readonly losses: readonly LossRow[];
  readonly cut: number;
  readonly onJudged: () => void;
}

export function Losses({ losses, cut, onJudged }: LossesProps) {
  return (
    <section class="section">
      <h2>Suspected losses</h2>
      {losses.length === 0 ? (
        <p class="hint">
          {cut === 0
            ? 'Nothing was cut, so nothing can have been missed.'
            : 'No cut left a failure out, and no call was made again with the same result.'}
        </p>
      ) : (
        <table class="table cards">
          <thead>
            <tr>
              <th scope="col">Result</th>
              <th scope="col" class="text">
                Why
              </th>
              <th scope="col" class="text">
                Tool
              </th>
              <th scope="col" class="text">
                Session
              </th>
              <th scope="col">When</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {losses.map((loss) => (
              <tr key={loss.id + loss.why}>
                <th scope="row" class="clip">
                  <a href={outputAddress(loss.id, loss.part, loss.line)}>
                    <code>{loss.summary === '' ? loss.id : askedFor(loss)}</code>
                  </a>
                </th>
                <td class="text" data-label="Why">
                  <span>
                    {WHY[loss.why]}
                    {loss.line !== null && `: line ${formatCount(loss.line)}`}
                  </span>
                </td>
                <td class="text" data-label="Tool">
                  {loss.tool}
                </td>
                <td class="text" data-label="Session">
                  <a href={sessionAddress(loss.session, loss.id)}>{loss.session}</a>
                </td>
                <td data-label="When">{loss.at === 0 ? '—' : formatTime(loss.at)}</td>
                <td class="act">
                  <NotALoss id={loss.id} onJudged={onJudged} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
