/**
 * What the gateway answers itself: the tool that fetches more, and resources under `artifact://`.
 * Tests pin the wording, which models read.
 */
import { type FetchedPage, type Spillway, SpillwayError } from '@spillway/core';
import { type AnswerRules, errorMessage, type Message, RPC, resultMessage, toolError } from './message.ts';
import { ARTIFACT_WORDS, REFUSED, sentence } from './wording.ts';

const SCHEME = 'artifact://';

const ARTIFACT_TEMPLATE = {
  uriTemplate: `${SCHEME}{artifact_id}{?part,lines,chars,pattern,context,json_path,rows,file,xml_path,cursor}`,
  name: 'artifact',
  title: ARTIFACT_WORDS.title,
  description: ARTIFACT_WORDS.description,
  mimeType: 'text/plain',
} as const;

/** Upstreams may use this scheme too; only ours names a handle. */
function isArtifactUri(uri: string | undefined): uri is string {
  return uri?.toLowerCase().startsWith(`${SCHEME}art_`) === true;
}

export interface Reader {
  readonly spillway: Spillway;
  readonly scope: string;
}

export async function fetchByTool(
  reader: Reader,
  id: string,
  rules: AnswerRules,
  args: unknown,
): Promise<Buffer> {
  try {
    const page = await reader.spillway.retrieve(args ?? {}, reader.scope);
    return resultMessage(id, rules, { content: [{ type: 'text', text: page.text }] });
  } catch (error) {
    return toolError(id, rules, sentence(error));
  }
}

export interface ResourceReader extends Reader {
  readonly rules: AnswerRules;
  readonly all: boolean;
}

/** Null if it is the upstream's. */
export function answerResource(reader: ResourceReader, message: Message, id: string): Promise<Buffer> | null {
  const { rules, all } = reader;
  const { method } = message;
  const uri = message.string(message.params.get('uri'));
  if (method === 'resources/read' && isArtifactUri(uri)) return readResource(reader, id, uri);
  if (!all) return null;
  const result = (given: object) =>
    Promise.resolve(resultMessage(id, rules, { ...given, ...caching(rules) }));
  if (method === 'resources/list') return result({ resources: [] });
  if (method === 'resources/templates/list') return result({ resourceTemplates: [ARTIFACT_TEMPLATE] });
  return Promise.resolve(
    method === 'resources/read'
      ? errorMessage(id, missing(rules), REFUSED.resourceNotFound, { uri })
      : errorMessage(id, RPC.methodNotFound, REFUSED.methodNotFound),
  );
}

function caching({ stateless }: AnswerRules): object {
  return stateless ? { ttlMs: 0, cacheScope: 'private' } : {};
}

/** Whole if it fits a page, else a page that names the next. */
async function readResource(reader: ResourceReader, id: string, uri: string): Promise<Buffer> {
  const { rules } = reader;
  try {
    const args = argumentsIn(uri);
    const page = await reader.spillway.retrieve(args, reader.scope);
    const all = page.nextCursor === null && Object.keys(args).length === 1;
    const text = all ? page.body : page.text;
    const contents = [{ uri, mimeType: 'text/plain', text, ...meta(page, args) }];
    return resultMessage(id, rules, { contents, ...caching(rules) });
  } catch (error) {
    return errorMessage(id, codeOf(error, rules), sentence(error), { uri });
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

function argumentsIn(uri: string): Readonly<Record<string, string>> {
  const [path = '', query = ''] = uri.slice(SCHEME.length).split('?', 2);
  return { artifact_id: path.replace(/\/$/, ''), ...Object.fromEntries(new URLSearchParams(query)) };
}

const NEXT = ['pattern', 'context', 'json_path', 'rows', 'file', 'xml_path', 'cursor'];

function uriWith(args: Readonly<Record<string, string>>): string {
  const given = NEXT.flatMap((name) =>
    args[name] === undefined ? [] : [[name, args[name]] as [string, string]],
  );
  return `${SCHEME}${args.artifact_id}?${new URLSearchParams(given)}`;
}

function missing({ stateless }: AnswerRules): number {
  return stateless ? RPC.invalidParams : RPC.resourceNotFound;
}

function codeOf(error: unknown, rules: AnswerRules): number {
  if (!(error instanceof SpillwayError)) return RPC.internal;
  if (error.code === 'not_found' || error.code === 'gone') return missing(rules);
  return error.status === 400 ? RPC.invalidParams : RPC.internal;
}
