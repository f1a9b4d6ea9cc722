/**
 * The inspector's HTTP API as types, derived from the handlers: what each route takes and answers.
 * The page imports this file for its types only, so nothing here exists at run time.
 *
 * Conventions. JSON names are snake_case, as in `--json`. Fields that end in `_at` are milliseconds
 * since 1970. Lines, chars and columns count from 1; ranges include both ends. `null` stands for
 * what is not known or not there. Text from tools is never changed: colours and control chars are
 * in it, and the page makes them visible.
 *
 * Access. `GET /start/CODE` takes a start code, which is valid once and for 60 seconds. It answers
 * with the page, a cookie, and two more tags in its head: `spillway-key`, and `spillway-open` for
 * where to go next. Every request below `/api/` carries the cookie and, in `x-spillway-key`, the
 * key, except `POST /api/code`, which prints a new start address in the terminal.
 *
 * Errors are `ApiProblem` with a status: 400 not valid; 401 no cookie or key; 403 wrong host or
 * origin; 404 not there; 405 wrong method; 409 it changed meanwhile; 410 purged, with `purged_at`;
 * 413 too large; 429 too often; 503 the store cannot be read. A request that is aborted ends its
 * work on the server.
 */
import type { ApiRequest, BodyOf, Lines } from './answer.ts';
import type { ROUTES } from './routes.ts';

export type { ApiProblem, Progress, Scalar } from './answer.ts';
export type { LiveEvent, LiveMessage, RunningRow } from './inspected.ts';
export type { PreviewLine, PreviewResult, SettingsGiven } from './preview-view.ts';
export type { FetchedRange, OutputRow, PartRow, PartView } from './rows.ts';
export type { WindowUse } from './sessions-view.ts';
export type { SettingChanged } from './setting-changes.ts';
export type { SettingField, SettingRow } from './settings-view.ts';
export type { ThreadCall, ThreadEntry, ThreadMessage, ThreadSummary } from './thread.ts';
export type { Shape } from './timeline.ts';

type Routes = typeof ROUTES;
export type OutputAnswer = Answer<'GET /api/outputs/:id'>;
export type Route = keyof Routes;
export type Answer<R extends Route> = Awaited<ReturnType<Routes[R]>>;
/** One line of an answer that is streamed as lines of JSON. */
export type Line<R extends Route> = Answer<R> extends Lines<infer T> ? T : never;
export type Body<R extends Route> =
  Parameters<Routes[R]>[1] extends ApiRequest<infer Shape> ? BodyOf<Shape> : never;
