/**
 * Requests to the inspector's HTTP API, typed by its routes. Each carries the key that `/start/CODE`
 * handed over; the browser adds the cookie. A refusal becomes an `ApiError` with its code and a
 * sentence for people. When the key is no longer valid, `locked` turns true and the shell says how
 * to get a new one.
 */
import type { Answer, ApiProblem, Body, Line, Route } from '../../../spillway/src/inspector/api.ts';
import { observable } from './observable.ts';

const KEY = 'spillway-key';

export const locked = observable(false);

export class ApiError extends Error {
  readonly code: string;
  readonly purgedAt: number | undefined;

  constructor({ code, message, purged_at }: ApiProblem['error']) {
    super(message);
    this.code = code;
    this.purgedAt = purged_at;
  }
}

type PathOf<M extends string, R = Route> = R extends `${M} ${infer P}` ? P : never;
export type GetPath = PathOf<'GET'>;
export type Got<P extends string> = Answer<Extract<Route, `GET ${P}`>>;
type PostRoute<P extends string> = Extract<Route, `POST ${P}`>;
/** What a path holds in the place of `:id`. */
type IdIn<P extends string> = P extends `${string}/:id${string}` ? { readonly id: string } : unknown;
export type Query<P extends string = ''> = IdIn<P> &
  Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Keeps the key of a page that was opened with a start code; where to go next, if it told. */
export function takeKey(): string | undefined {
  const read = (name: string) =>
    document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || undefined;
  const key = read(KEY);
  if (key !== undefined) localStorage.setItem(KEY, key);
  return key === undefined ? undefined : (read('spillway-open') ?? '/sessions');
}

/** `id` fills `:id` in the path, the rest is the query. */
export async function get<P extends GetPath>(
  path: P,
  query: Query<P>,
  signal?: AbortSignal,
): Promise<Got<P>> {
  const response = await request(address(path, query), { signal: signal ?? null });
  return (await response.json()) as Got<P>;
}

/** `id` fills `:id` in the path, the rest is the body. */
export async function post<P extends PathOf<'POST'>>(
  path: P,
  body: Body<PostRoute<P>> & IdIn<P>,
  signal?: AbortSignal,
): Promise<Answer<PostRoute<P>>> {
  const response = await send(path, body, signal);
  return (await response.json()) as Answer<PostRoute<P>>;
}

/** An answer that comes line by line, as it is worked out. */
export async function readLines<P extends PathOf<'POST'>>(
  path: P,
  body: Body<PostRoute<P>>,
  signal: AbortSignal,
  onLine: (line: Line<PostRoute<P>>) => void,
): Promise<void> {
  const response = await send(path, body, signal);
  for await (const text of textsOf(response, '\n')) if (!signal.aborted) onLine(JSON.parse(text));
}

/** The texts between two separators, each handed on as it comes. */
export async function* textsOf({ body }: Response, separator: string): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const texts = (pending + value).split(separator);
    pending = texts.pop() ?? '';
    yield* texts.filter((text) => text !== '');
  }
}

function send(path: string, given: object, signal?: AbortSignal) {
  const { id, ...body } = given as { readonly id?: string };
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null };
  return request(address(path, { id }), init);
}

/** Any request with the key; throws `ApiError` unless the answer is a success. */
export async function request(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-spillway-key', localStorage.getItem(KEY) ?? '');
  const response = await fetch(url, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError({ code: 'failed', message: 'The inspector does not answer. Is it still running?' });
  });
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.code === 'not_started') locked.set(true);
  throw new ApiError(problem);
}

/** Asks for a download link and follows it: the bytes never pass through this page. */
export async function downloadRaw(id: string, part: number | null): Promise<void> {
  const link = await post('/api/outputs/:id/raw', { id, part });
  saveAs(link.url, link.name);
}

export function saveAs(url: string, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
}

export function address(path: string, { id, ...query }: Query): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return path.replace(':id', encodeURIComponent(String(id))) + (given.length === 0 ? '' : `?${params}`);
}

async function problemOf(response: Response): Promise<ApiProblem['error']> {
  try {
    return ((await response.json()) as ApiProblem).error;
  } catch {
    return { code: 'failed', message: `The inspector answered with status ${response.status}.` };
  }
}
