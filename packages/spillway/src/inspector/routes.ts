/**
 * The routes of the API as data: method, path, and what answers. `:name` stands for one segment.
 */
import type { Access } from './access.ts';
import { showAnalytics } from './analytics-view.ts';
import type { ApiRequest } from './api-request.ts';
import { searchOutput, showFindings, showLines } from './content-view.ts';
import type { Inspected } from './inspected.ts';
import { showMedia } from './media-view.ts';
import { judgeLoss, showOrigins, showOutput, showReasons } from './output-view.ts';
import { listOutputs, searchAll } from './outputs-view.ts';
import { preview, takeText } from './preview-view.ts';
import { Problem } from './problem.ts';
import { makeRawLink } from './raw.ts';
import {
  endSession,
  listSessions,
  showMessage,
  showSession,
  showThread,
  showWindow,
} from './sessions-view.ts';
import {
  changeSetting,
  listChanges,
  listSettings,
  showEffect,
  showToolSettings,
  undoChange,
} from './settings-view.ts';
import { archiveStore, cleanStore, listStoreSessions, showDoctor, showStore } from './store-view.ts';
import { showTimeline } from './timeline.ts';
import { showTree } from './tree-view.ts';
import { showWorkspace } from './workspace-view.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (inspected: Inspected, request: ApiRequest, access: Access) => Promise<unknown>;
}

export const ROUTES: readonly Route[] = [
  get('/api/workspace', showWorkspace),
  // Answered by the server itself, which holds the streams.
  get('/api/live', async () => null),
  get('/api/sessions', listSessions),
  get('/api/sessions/:id', showSession),
  get('/api/sessions/:id/thread', showThread),
  get('/api/sessions/:id/message', showMessage),
  get('/api/sessions/:id/window', showWindow),
  get('/api/sessions/:id/timeline', showTimeline),
  post('/api/sessions/:id/end', endSession),
  get('/api/outputs', listOutputs),
  get('/api/search', searchAll),
  get('/api/outputs/:id', showOutput),
  get('/api/outputs/:id/lines', showLines),
  get('/api/outputs/:id/tree', showTree),
  get('/api/outputs/:id/search', searchOutput),
  get('/api/outputs/:id/findings', showFindings),
  get('/api/outputs/:id/origins', showOrigins),
  get('/api/outputs/:id/reasons', showReasons),
  get('/api/outputs/:id/media', showMedia),
  post('/api/outputs/:id/loss', judgeLoss),
  post('/api/outputs/:id/raw', makeRawLink),
  post('/api/preview/texts', takeText),
  post('/api/preview', preview),
  get('/api/settings', listSettings),
  get('/api/settings/of', showToolSettings),
  get('/api/settings/changes', listChanges),
  post('/api/settings/change', changeSetting),
  post('/api/settings/undo', undoChange),
  post('/api/settings/effect', showEffect),
  get('/api/analytics', showAnalytics),
  get('/api/store', showStore),
  get('/api/store/sessions', listStoreSessions),
  post('/api/store/clean', cleanStore),
  post('/api/store/archive', archiveStore),
  get('/api/store/doctor', showDoctor),
];

function get(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, handle };
}

function post(path: string, handle: Route['handle']): Route {
  return { method: 'POST', path, handle };
}

interface Matched {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The route that answers; throws a `Problem` if none does. */
export function matchRoute(method: string, pathname: string): Matched {
  const found = ROUTES.flatMap((route) => {
    const params = paramsOf(route.path, pathname);
    return params === null ? [] : [{ route, params }];
  });
  if (found.length === 0) throw new Problem('not_found', 'There is no such address.');
  const meant = found.find(({ route }) => route.method === method);
  if (meant === undefined) throw new Problem('wrong_method', `Use ${found[0]?.route.method}.`);
  return meant;
}

function paramsOf(path: string, pathname: string): Record<string, string> | null {
  const [wanted, given] = [path.split('/'), pathname.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [i, segment] of wanted.entries()) {
    const text = given[i] ?? '';
    if (segment.startsWith(':')) params[segment.slice(1)] = decoded(text);
    else if (segment !== text) return null;
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Told as what it is: the address of nothing.
    throw new Problem('not_found', 'There is no such address.');
  }
}
