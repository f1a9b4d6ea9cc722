/**
 * Requests to the inspector's HTTP API. Each carries the key that `/start/CODE` handed over; the
 * browser adds the cookie. A refusal becomes an `ApiError` with its code and a sentence for people.
 * When the key is no longer valid, `locked` turns true and the shell says how to get a new one.
 */
import type { ApiProblem, KeyHeader, RawLink, RawOrder, Start } from '../../../spillway/src/inspector/api.ts';
import { observable } from './observable.ts';

const KEY: keyof Start = 'spillway-key';
const KEY_HEADER: KeyHeader = 'x-spillway-key';

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

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Keeps the key of a page that was opened with a start code; where to go next, if it told. */
export function takeKey(): string | undefined {
  const read = (name: string) =>
    document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || undefined;
  const key = read('spillway-key');
  if (key !== undefined) localStorage.setItem(KEY, key);
  return key === undefined ? undefined : (read('spillway-open') ?? '/sessions');
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await request(path + queryString(query), { signal: signal ?? null });
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await postFor(path, body, signal);
  return (await response.json()) as T;
}

/** The response itself, for answers that are read as they come. */
export function postFor(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return request(path, { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null });
}

/** Any request with the key; throws `ApiError` unless the answer is a success. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set(KEY_HEADER, localStorage.getItem(KEY) ?? '');
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
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
  const link = await post<RawLink>(`/api/outputs/${id}/raw`, { part } satisfies RawOrder);
  const anchor = document.createElement('a');
  anchor.href = link.url;
  anchor.download = link.name;
  anchor.click();
}

export function queryString(query: Query): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${params}`;
}

async function problemOf(response: Response): Promise<ApiProblem['error']> {
  try {
    return ((await response.json()) as ApiProblem).error;
  } catch {
    return { code: 'failed', message: `The inspector answered with status ${response.status}.` };
  }
}
