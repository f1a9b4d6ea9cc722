/**
 * `spillway artifacts show`: a page of a stored output, or its exact bytes. As grep: exit code 1 if
 * there is nothing at the place that was asked for.
 */

import { type FetchedPage, parseArtifactId, type Store } from '@spillway/core';
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../../flags.ts';
import type { Opened } from '../../open.ts';
import { print, printBytes, tell } from '../../output.ts';
import { isPerson } from '../../terminal.ts';
import { foundRecord, refuseSecrets, withHandle, withStore } from './reading.ts';

export const details: CommandDetails = {
  summary: 'Print a page of a stored output; where to go on is told on standard error.',
  operands: { usage: 'ID|last', min: 1, max: 1, completes: 'handles' },
  flags: [
    { name: 'part', value: 'NAME', doc: 'Which part of an output that has several: stdout, stderr, 2 …' },
    { name: 'lines', value: 'A-B', doc: 'Lines A to B, counted from 1.' },
    { name: 'head', value: 'N', doc: 'The first N lines, of each part unless --part names one.' },
    { name: 'tail', value: 'N', doc: 'The last N lines, of each part unless --part names one.' },
    { name: 'chars', value: 'A-B', doc: 'Chars A to B, counted from 1.' },
    {
      name: 'grep',
      value: 'RE',
      doc: 'Lines of all parts that match a regular expression (RE2 syntax); with --part: of that part.',
    },
    { name: 'context', value: 'N', doc: 'With --grep: lines shown before and after each match.' },
    {
      name: 'json-path',
      value: 'Q',
      doc: 'Values of JSON under a JSONPath (RFC 9535), e.g. $.items[0:9].name',
    },
    { name: 'rows', value: 'A-B', doc: 'Rows A to B of a table, counted from 1 below its header.' },
    { name: 'file', value: 'P', doc: 'The part of a diff about a file: its path, or a pattern with *.' },
    { name: 'xml-path', value: 'P', doc: 'Elements of XML under a path: /a/b[3]/c, //c, //c/@id.' },
    { name: 'cursor', value: 'C', doc: 'Go on where the page before ended.' },
    { name: 'raw', doc: 'Stream the exact bytes, without pages.' },
    { name: 'interleaved', doc: 'Stream all parts in the order in which their bytes arrived.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway artifacts show art_1699234567_a1b2c3d4 --lines 1-50',
    'spillway artifacts show last --tail 40',
    'spillway artifacts show art_1699234567_a1b2c3d4 --raw > full.log',
  ],
};

/** Flags that have the name of the tool's argument. */
const ADDRESSES = ['part', 'lines', 'chars', 'context', 'json-path', 'rows', 'file', 'xml-path', 'cursor'];

export async function run(given: Given): Promise<number> {
  refuseEmpty(given);
  return withStore((opened, store) =>
    withHandle(given.operands[0] ?? '', opened, store, (id) => show(given, id, opened, store)),
  );
}

async function show(given: Given, id: string, opened: Opened, store: Store): Promise<number> {
  const { spillway, workspace } = opened;
  const purpose = isPerson() ? 'survey' : 'fetch';
  const values = ADDRESSES.map((flag) => [flag.replace('-', '_'), given.value(flag)]);
  const request: Request = {
    artifact_id: id,
    pattern: given.value('grep'),
    ...Object.fromEntries(values),
  };
  if (given.has('raw') || given.has('interleaved'))
    refuseSecrets(await foundRecord(store, workspace.scope, id));
  if (given.has('interleaved')) {
    refuseBeside(given, request);
    const name = { scope: workspace.scope, id: parseArtifactId(id) };
    await printBytes(bytesOf(await spillway.interleaved(name, { purpose })));
    return 0;
  }
  if (given.has('raw') && given.has('json'))
    throw usageError('--raw and --json do not go together.', 'artifacts show');
  const { artifact_id, part, ...addresses } = request;
  let found = Object.values(addresses).every((address) => address === undefined);
  for (const one of await requestsOf(given, request, opened, store)) {
    if (given.has('raw')) {
      await printBytes(await spillway.readRaw(one, workspace.scope, { purpose }));
      continue;
    }
    const page = await spillway.retrieve(one, workspace.scope, purpose);
    found ||= page.body !== '';
    if (given.has('json')) await print(`${JSON.stringify(pageFacts(id, page))}\n`);
    else {
      tell(page.notice.trimEnd());
      await print(page.body);
    }
  }
  return found || given.has('raw') ? 0 : 1;
}

async function* bytesOf(chunks: AsyncIterable<{ readonly bytes: Uint8Array }>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes;
}

/** `--interleaved` prints all parts in their order, which no other flag can narrow. */
function refuseBeside(
  given: Given,
  { artifact_id, ...rest }: Readonly<Record<string, string | undefined>>,
): void {
  const ends = [given.value('head'), given.value('tail')];
  if (
    given.has('raw') ||
    given.has('json') ||
    [...ends, ...Object.values(rest)].some((value) => value !== undefined)
  )
    throw usageError('--interleaved goes alone: leave out the other flags.', 'artifacts show');
}

/** An unset shell variable must not silently become the first page. */
function refuseEmpty(given: Given): void {
  const empty = details.flags.find(({ name }) => given.value(name) === '')?.name;
  if (empty !== undefined) throw usageError(`--${empty} was given without a value.`, 'artifacts show');
  const [, last] = /^-(\d+)$/.exec(given.value('lines') ?? '') ?? [];
  if (last !== undefined)
    throw usageError(
      `--lines takes A-B, A- or A. The last lines are --tail ${last}, the first --head ${last}.`,
      'artifacts show',
    );
  if (given.value('context') !== undefined && given.value('grep') === undefined)
    throw usageError('--context goes with --grep: give both, or leave it out.', 'artifacts show');
  if (given.value('cursor') !== undefined && (given.value('lines') ?? given.value('chars')) !== undefined) {
    throw usageError('--cursor goes on by itself: leave out --lines and --chars.', 'artifacts show');
  }
}

function pageFacts(id: string, page: FetchedPage) {
  const { body, part, totalBytes, totalChars, totalLines, lines, chars, found, nextCursor, nextCall } = page;
  return {
    id,
    part,
    content: body,
    lines,
    chars,
    total_bytes: totalBytes,
    total_chars: totalChars,
    total_lines: totalLines,
    ...(found === undefined ? {} : { found }),
    next_cursor: nextCursor,
    next_call: nextCall,
  };
}

type Request = Readonly<Record<string, string | undefined>>;

/** Beyond any line: such a range is empty, and its page tells the totals. */
const BEYOND = '999999999999999-';

/** The requests that the flags mean: `request` alone where neither is given. */
async function requestsOf(
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
