/** A part that is no text: an image is shown, anything else can be downloaded. */
import { useEffect, useState } from 'preact/hooks';
import type { MediaAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { Empty } from '../../components/empty.tsx';
import { ImageIcon } from '../../components/icons.ts';
import { downloadRaw, request } from '../../data/api-client.ts';
import { formatBytes } from '../../data/figures.ts';

/** Raster images only: an SVG could bring its own fonts and styles. */
const SHOWN = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
/** A content block of MCP, which may hold an image: the answer tells. */
const BLOCK = 'application/json';

interface Image {
  readonly url: string;
  readonly type: string;
}

export function Media({ id, part }: { id: string; part: PartRow }) {
  const image = useImage(id, part);
  if (image)
    return (
      <div class="media">
        <img src={image.url} alt={`Part ${part.name}, ${image.type}, ${formatBytes(part.bytes)}`} />
      </div>
    );
  return (
    <Empty title={`${part.media_type ?? 'Binary'}, ${formatBytes(part.bytes)}`} icon={ImageIcon}>
      <button type="button" class="btn" onClick={() => void downloadRaw(id, part.index)}>
        Download it
      </button>
    </Empty>
  );
}

/** The image of a part as an address of this page; undefined if it is none. */
function useImage(id: string, { index, media_type: told }: PartRow): Image | undefined {
  const [image, setImage] = useState<Image | undefined>(undefined);
  useEffect(() => {
    if (told !== BLOCK && !SHOWN.test(told ?? '')) return;
    const abort = new AbortController();
    let made: string | undefined;
    const show = async () => {
      const path = `/api/outputs/${encodeURIComponent(id)}/media?part=${index}`;
      const response = await request(path, { signal: abort.signal });
      const type = response.headers.get('x-media-type') ?? '';
      const bytes: MediaAnswer = await response.arrayBuffer();
      if (!SHOWN.test(type) || abort.signal.aborted) return;
      made = URL.createObjectURL(new Blob([bytes], { type }));
      setImage({ url: made, type });
    };
    show().catch(() => setImage(undefined));
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [id, index, told]);
  return image;
}
