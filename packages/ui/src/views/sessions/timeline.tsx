/** How the window filled, turn by turn: a picture to look at and to save, and the same as a table. */
import { useEffect, useState } from 'preact/hooks';
import type { TimelineAnswer, TimelineTurn } from '../../../../spillway/src/inspector/api.ts';
import { get } from '../../data/api-client.ts';
import { formatCount, formatTime } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { outputAddress } from '../../shell/router.ts';
import { say } from '../../shell/toast.ts';

const WORDS = { result: 'result', cut: 'cut result', fetch: 'read later', compaction: 'compaction' };

export function Timeline({ session, turns }: { session: string; turns: number }) {
  const { data } = useResource(`timeline ${session} ${turns}`, (signal) =>
    get<TimelineAnswer>(`/api/sessions/${encodeURIComponent(session)}/timeline`, {}, signal),
  );
  const picture = usePicture(data?.svg ?? undefined);
  if (!data || !picture) return null;
  return (
    <details class="timeline">
      <summary>Timeline: how the window filled</summary>
      <img
        src={picture}
        alt={`Tokens of each of the ${data.turns.length} turns; the table below has the numbers`}
      />
      <p class="row">
        <a class="btn" href={picture} download={`${session}.svg`}>
          Save as SVG
        </a>
        <button type="button" class="btn" onClick={() => void savePng(picture, session)}>
          Save as PNG
        </button>
        <span class="hint">
          As a file to attach: <code>spillway inspect {session} --export timeline.html</code>
        </span>
      </p>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Tokens</th>
            <th scope="col">Tool results</th>
            <th scope="col" class="text">
              Before it
            </th>
          </tr>
        </thead>
        <tbody>
          {data.turns.map((turn) => (
            <Turn key={turn.turn} turn={turn} />
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Turn({ turn: { turn, at, used, results, events } }: { turn: TimelineTurn }) {
  return (
    <tr>
      <th scope="row" title={formatTime(at)}>
        {turn}
      </th>
      <td>{formatCount(used)}</td>
      <td>{formatCount(results)}</td>
      <td class="text">
        {events.map(({ kind, tool, output, at: when }, index) => (
          <span key={`${when} ${output}`}>
            {index > 0 && ', '}
            {output === null ? WORDS[kind] : <a href={outputAddress(output)}>{`${WORDS[kind]}: ${tool}`}</a>}
          </span>
        ))}
      </td>
    </tr>
  );
}

/** An address of the picture; its markup never becomes part of the page. */
function usePicture(svg: string | undefined): string | undefined {
  const [url, setUrl] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (svg === undefined) return;
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return url;
}

async function savePng(picture: string, name: string): Promise<void> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (!blob) return say('The browser could not make the picture.');
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(blob);
    anchor.download = `${name}.png`;
    anchor.click();
    URL.revokeObjectURL(anchor.href);
  });
}
