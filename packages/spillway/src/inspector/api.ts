/**
 * The inspector's HTTP API as types: what each route takes and answers. The page imports this file
 * for its types only, so nothing here exists at run time.
 *
 * Conventions. JSON names are snake_case, as in `--json`. Fields that end in `_at` are milliseconds
 * since 1970. Lines, chars and columns count from 1; ranges include both ends. `null` stands for
 * what is not known or not there; no field is left out unless its type says so. Text from tools is
 * never changed: colours and control chars are in it, and the page makes them visible.
 *
 * Access. Every request names the inspector's own host. `/start/CODE` sets a cookie and gives the
 * page a key (see `Start`). Every request below `/api/` carries both, the key in the header
 * `x-spillway-key`, except `POST /api/code`. POST takes `content-type: application/json` unless
 * told otherwise, and the `Origin` of the page.
 *
 * Errors are `ApiProblem` with a status: 400 what was asked for is not valid; 401 no cookie, no
 * key, or an old one: ask for a new start code; 403 wrong host or origin; 404 not there; 405 wrong
 * method; 409 it changed meanwhile (`if_unchanged`, `confirm`); 410 purged, with `purged_at`; 413
 * the body is too large; 429 asked too often; 503 the store cannot be read.
 *
 * Cancelling. A request that is aborted ends its work on the server.
 */
export type * from './api/access.ts';
export type * from './api/analytics.ts';
export type * from './api/live.ts';
export type * from './api/outputs.ts';
export type * from './api/preview.ts';
export type * from './api/sessions.ts';
export type * from './api/settings.ts';
export type * from './api/store.ts';
export type * from './api/workspace.ts';
