/** A part that is no text: an image is shown, anything else can be downloaded. */
import { useEffect, useState } from 'preact/hooks';
import type { MediaAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { Empty } from '../../components/empty.tsx';
import { ImageIcon } from '../../components/icons.ts';
import { downloadRaw, request } from '../../data/api-client.ts';
import { formatBytes } from '../../data/figures.ts';

/** Raster images only: an SVG could bring its own fonts and styles. */
const SHOWN = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

export function Media({ id, part }: { id: string; part: PartRow }) {
  const type = part.media_type ?? '';
  const [url, setUrl] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (!SHOWN.test(type)) return;
    const abort = new AbortController();
    let made: string | undefined;
    const path = `/api/outputs/${encodeURIComponent(id)}/media?part=${part.index}`;
    request(path, { signal: abort.signal })
      .then((response): Promise<MediaAnswer> => response.arrayBuffer())
      .then((bytes) => {
        made = URL.createObjectURL(new Blob([bytes], { type }));
        setUrl(made);
      })
      .catch(() => setUrl(undefined));
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [id, part.index, type]);
  if (url)
    return (
      <div class="media">
        <img src={url} alt={`Part ${part.name}, ${type}, ${formatBytes(part.bytes)}`} />
      </div>
    );
  return (
    <Empty title={`${type || 'Binary'}, ${formatBytes(part.bytes)}`} icon={ImageIcon}>
      <button type="button" class="btn" onClick={() => void downloadRaw(id, part.index)}>
        Download it
      </button>
    </Empty>
  );
}
