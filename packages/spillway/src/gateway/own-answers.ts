/** What the gateway answers itself: the tool that fetches more, and resources under `artifact://`. Wording is read by models and pinned by tests. */
import { type FetchedPage, type Spillway, SpillwayError } from '@spillway/core';
import { type Era, errorMessage, resultMessage, toolError } from './message.ts';

const SCHEME = 'artifact://';
/** The protocol's code for a resource that is not there. */
const NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

export const ARTIFACT_TEMPLATE = {
  uriTemplate: `${SCHEME}{artifact_id}{?part,lines,chars,pattern,context,json_path,rows,file,xml_path,cursor}`,
  name: 'artifact',
  title: 'Stored tool output',
  description:
    'The full output of an earlier tool call, or a part of it, by the artifact id named in its notice.',
  mimeType: 'text/plain',
} as const;

export function isArtifactUri(uri: string | undefined): uri is string {
  return uri?.toLowerCase().startsWith(SCHEME) === true;
}

/** The tool `get_artifact`. */
export async function fetchByTool(
  spillway: Spillway,
  scope: string,
  id: string,
  era: Era,
  args: unknown,
): Promise<Buffer> {
  try {
    const page = await spillway.retrieve(args ?? {}, scope);
    return resultMessage(id, era, { content: [{ type: 'text', text: page.text }] });
  } catch (error) {
    return toolError(id, era, sentence(error));
  }
}

/** `resources/read` of an artifact: whole if it fits a page, else a page that names the next. */
export async function readResource(
  spillway: Spillway,
  scope: string,
  id: string,
  era: Era,
  uri: string,
): Promise<Buffer> {
  try {
    const args = argumentsIn(uri);
    const page = await spillway.retrieve(args, scope);
    const all = page.nextCursor === null && Object.keys(args).length === 1;
    const contents = [
      { uri, mimeType: 'text/plain', text: all ? page.body : page.text, ...meta(page, args) },
    ];
    const caching = era.stateless ? { ttlMs: 0, cacheScope: 'private' } : {};
    return resultMessage(id, era, { contents, ...caching });
  } catch (error) {
    return errorMessage(id, codeOf(error), sentence(error), { uri });
  }
}

function meta(
  { totalChars, totalLines, totalBytes, nextCursor }: FetchedPage,
  args: Readonly<Record<string, string>>,
) {
  const next = nextCursor === null ? null : uriWith({ ...args, cursor: nextCursor });
  return {
    _meta: {
      'spillway/page': {
        total_chars: totalChars,
        total_lines: totalLines,
        total_bytes: totalBytes,
        next_uri: next,
      },
    },
  };
}

/** The arguments of the tool, written as a URI. */
function argumentsIn(uri: string): Readonly<Record<string, string>> {
  const [place = '', query = ''] = uri.slice(SCHEME.length).split('?', 2);
  return { artifact_id: place.replace(/\/$/, ''), ...Object.fromEntries(new URLSearchParams(query)) };
}

function uriWith({
  artifact_id,
  cursor,
  pattern,
  context,
  json_path,
  rows,
  file,
  xml_path,
}: Readonly<Record<string, string>>): string {
  const given = Object.entries({ pattern, context, json_path, rows, file, xml_path, cursor }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `${SCHEME}${artifact_id}?${new URLSearchParams(given)}`;
}

function codeOf(error: unknown): number {
  if (!(error instanceof SpillwayError)) return INTERNAL;
  if (error.code === 'not_found' || error.code === 'gone') return NOT_FOUND;
  return error.status === 400 ? INVALID_PARAMS : INTERNAL;
}

/** Ours say what to do; what anything else says may quote what must not be quoted. */
export function sentence(error: unknown): string {
  if (error instanceof SpillwayError) return error.message;
  return `Something went wrong in the gateway (${error instanceof Error ? error.name : typeof error}). Do not retry.`;
}
