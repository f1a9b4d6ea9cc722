/**
 * `--head N` and `--tail N`: the first or last lines of a part, as a range of lines. Without
 * `--part` each text part that holds something is meant, so that errors on stderr are not missed.
 */
import { type FetchedPage, parseArtifactId, type Store } from '@spillway/core';
import { type Flag, type Given, usageError } from '../../flags.ts';
import type { Opened } from '../../open.ts';
import { foundRecord } from './reading.ts';

export const END_FLAGS: readonly Flag[] = [
  { name: 'head', value: 'N', doc: 'The first N lines, of each part unless --part names one.' },
  { name: 'tail', value: 'N', doc: 'The last N lines, of each part unless --part names one.' },
];

type Request = Readonly<Record<string, string | undefined>>;

/** Beyond any line: such a range is empty, and its page tells the totals. */
const BEYOND = '999999999999999-';

/** The requests that the flags mean: `request` alone where neither is given. */
export async function requestsOf(
  given: Given,
  request: Request,
  { spillway, workspace: { scope } }: Opened,
  store: Store,
): Promise<readonly Request[]> {
  const head = lineCount(given, 'head');
  const tail = lineCount(given, 'tail');
  if (head === undefined && tail === undefined) return [request];
  const { artifact_id, part, ...ranges } = request;
  if (
    (head !== undefined && tail !== undefined) ||
    Object.values(ranges).some((value) => value !== undefined)
  )
    throw usageError('Ask for --head or --tail alone, without another range.', 'artifacts show');
  const parts = part === undefined ? await textParts(store, scope, artifact_id ?? '') : [part];
  return Promise.all(
    parts.map(async (name) => {
      const own = { artifact_id, ...(name === undefined ? {} : { part: name }) };
      if (head !== undefined) return { ...own, lines: `1-${head}` };
      const { totalLines }: FetchedPage = await spillway.retrieve({ ...own, lines: BEYOND }, scope, 'survey');
      return { ...own, lines: `${Math.max(1, totalLines - (tail ?? 0) + 1)}-` };
    }),
  );
}

/** Text parts that hold something, by number; one without a name where that is all there is. */
async function textParts(store: Store, scope: string, id: string): Promise<readonly (string | undefined)[]> {
  const { parts } = await foundRecord(store, scope, parseArtifactId(id));
  const texts = parts
    .filter((part) => part.role === 'content' && part.kind !== 'binary')
    .flatMap(({ bytes }, i) => (bytes > 0 ? [`${i + 1}`] : []));
  return texts.length > 1 ? texts : [undefined];
}

function lineCount(given: Given, flag: string): number | undefined {
  const text = given.value(flag);
  if (text === undefined) return undefined;
  const lines = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (lines > 0) return lines;
  throw usageError(`--${flag} takes a number of lines, at least 1.`, 'artifacts show');
}
