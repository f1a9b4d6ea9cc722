/** Sessions, the largest first. */
import type { StoreSessionsAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Share } from '../../components/bar.tsx';
import { formatAgo, formatBytes, formatCount, formatExact } from '../../data/figures.ts';
import { sessionAddress } from '../../shell/router.ts';

export type SessionSize = StoreSessionsAnswer['sessions'][number];

interface SessionSizesProps {
  readonly sessions: readonly SessionSize[];
  readonly onClean: (session: string) => void;
}

export function SessionSizes({ sessions, onClean }: SessionSizesProps) {
  const largest = sessions[0]?.bytes ?? 0;
  return (
    <section class="section">
      <h2>Sessions by size</h2>
      {sessions.length === 0 ? (
        <p class="hint">No session has an output.</p>
      ) : (
        <table class="table cards sizes">
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col" class="text">
                Size
              </th>
              <th scope="col">Outputs</th>
              <th scope="col" class="text">
                State
              </th>
              <th scope="col">Last used</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <tr key={session.id}>
                <th scope="row" class="clip">
                  <a href={sessionAddress(session.id)}>{session.id}</a>
                </th>
                <td class="text" data-label="Size">
                  <span class="size">
                    <span class="size-bar">
                      <Share of={largest > 0 ? session.bytes / largest : 0} />
                    </span>
                    {formatBytes(session.bytes)}
                  </span>
                </td>
                <td data-label="Outputs">{formatCount(session.outputs)}</td>
                <td class="text" data-label="State">
                  {session.ended_at === null ? 'open' : 'ended'}
                </td>
                <td data-label="Last used">
                  <time title={formatExact(session.seen_at)}>{formatAgo(session.seen_at)}</time>
                </td>
                <td class="act">
                  <button
                    type="button"
                    class="btn"
                    aria-label={`Clean up ${session.id}`}
                    onClick={() => onClean(session.id)}
                  >
                    Clean up…
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
