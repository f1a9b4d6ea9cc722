/** Downloads: exact bytes behind a link that works once. */
import { readerOf } from '@spillway/core/plugin';
import type { Access, RawTarget } from './access.ts';
import type { Bytes } from './answer.ts';
import { type ApiRequest, count, orNull } from './api-request.ts';
import { bytesOf } from './content-view.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { Problem } from './problem.ts';
import { isShownText, sum } from './rows.ts';

/** The index of a part; null for all text parts. */
const ORDER = { part: orNull(count) };

export async function makeRawLink(inspected: Inspected, request: ApiRequest<typeof ORDER>, access: Access) {
  const { part } = await request.body(ORDER);
  const found = await inspected.find(request.id);
  const parts = await partsOf(found, part);
  if (parts.length === 0) throw new Problem('not_found', 'There is no such part.');
  const { id } = found.record;
  const [only] = parts;
  const word = part === null ? 'all' : (only?.name ?? '').replace(/[^\w-]/g, '').slice(0, 40);
  const name = `${id}-${word}${only?.kind === 'binary' ? '.bin' : '.txt'}`;
  return { url: `/raw/${access.link({ id, part, name })}/${name}`, name, bytes: sizeOf(parts) };
}

/** Never shown by a browser: it can only be saved. */
export async function rawDownload(inspected: Inspected, { id, part, name }: RawTarget): Promise<Bytes> {
  const found = await inspected.find(id);
  const parts = await partsOf(found, part);
  return {
    rawBytes: (async function* () {
      for (const { index } of parts) yield* bytesOf(found.spillway, found.record, index);
    })(),
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(sizeOf(parts)),
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}

async function partsOf({ record, spillway }: FoundOutput, part: number | null) {
  const all = await readerOf(spillway).parts(record, 10_000);
  return all.filter((one) => (part === null ? isShownText(one) : one.index === part));
}

function sizeOf(parts: readonly { readonly bytes: number }[]): number {
  return sum(parts, ({ bytes }) => bytes);
}
