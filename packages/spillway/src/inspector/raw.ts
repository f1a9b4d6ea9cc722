/** Downloads: exact bytes behind a link that works once. */
import { isShownPart } from '@spillway/core/plugin';
import type { Access, RawTarget } from './access.ts';
import type { Streamed } from './answer.ts';
import type { RawLink } from './api.ts';
import { type ApiRequest, field, isCount, orNull } from './api-request.ts';
import { bytesOf } from './content-view.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { Problem } from './problem.ts';

export async function makeRawLink(
  inspected: Inspected,
  request: ApiRequest,
  access: Access,
): Promise<RawLink> {
  const part = field(await request.json(), 'part', orNull(isCount), 'the index of a part, or null');
  const found = await inspected.find(request.param('id'));
  const parts = await partsOf(found, part);
  if (parts.length === 0) throw new Problem('not_found', 'There is no such part.');
  const { id } = found.record;
  const [only] = parts;
  const word = part === null ? 'all' : (only?.name ?? '').replace(/[^\w-]/g, '').slice(0, 40);
  const name = `${id}-${word}${only?.kind === 'binary' ? '.bin' : '.txt'}`;
  const { ticket, expiresAt } = access.link({ id, part, name });
  const bytes = parts.reduce((sum, one) => sum + one.bytes, 0);
  return { url: `/raw/${ticket}/${name}`, name, bytes, expires_at: expiresAt };
}

/** Never shown by a browser: it can only be saved. */
export async function rawDownload(inspected: Inspected, { id, part, name }: RawTarget): Promise<Streamed> {
  const found = await inspected.find(id);
  const parts = await partsOf(found, part);
  return {
    stream: 'bytes',
    chunks: (async function* () {
      for (const { index } of parts) yield* bytesOf(found.spillway, found.record, index);
    })(),
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(parts.reduce((sum, one) => sum + one.bytes, 0)),
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}

async function partsOf({ record, spillway }: FoundOutput, part: number | null) {
  const all = await spillway.reader.parts(record, 10_000);
  return all.filter((one) =>
    part === null ? isShownPart(one) && one.kind !== 'binary' : one.index === part,
  );
}
