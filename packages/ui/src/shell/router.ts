/**
 * Addresses of the page. The path names the view and what it shows, the query how it shows it, the
 * hash a line or a call; so every state that a person may want to send has a link.
 */
import type { SettingsGiven } from '../../../spillway/src/inspector/api.ts';
import { observable } from '../data/observable.ts';

export const VIEWS = [
  'sessions',
  'outputs',
  'preview',
  'settings',
  'analytics',
  'discover',
  'store',
] as const;
type ViewName = (typeof VIEWS)[number];

export interface Route {
  /** `result` is the view of one output; `lost` an address that leads nowhere. */
  readonly view: ViewName | 'result' | 'lost';
  /** Session, output or tool, decoded. */
  readonly id: string | undefined;
  /** The part of an output. */
  readonly part: string | undefined;
  readonly query: URLSearchParams;
  /** Without `#`. */
  readonly hash: string;
}

export const route = observable<Route>(routeOf(location));

function routeOf({ pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>): Route {
  const [first = '', id, part] = pathname.split('/').filter(Boolean).map(decode);
  const named = first === 'o' && id !== undefined ? 'result' : VIEWS.find((view) => view === first);
  const view = first === '' ? 'sessions' : (named ?? 'lost');
  return { view, id, part, query: new URLSearchParams(search), hash: decode(hash.slice(1)) };
}

export function navigate(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, '', address);
  else history.pushState(null, '', address);
  route.set(routeOf(location));
}

/**
 * Changes the query of the current address; `undefined` takes a name out. No new entry in the
 * history.
 */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  const search = query.size === 0 ? '' : `?${query}`;
  navigate(`${location.pathname}${search}${location.hash}`, { replace: true });
}

/** Follows the browser's buttons, and links of our own without loading the page again. */
export function startRouter(): void {
  addEventListener('popstate', () => route.set(routeOf(location)));
  document.addEventListener('click', (event) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const anchor =
      event.target instanceof Element ? event.target.closest('a[href]:not([download], [target])') : null;
    if (event.defaultPrevented || !isPlain || anchor === null) return;
    // A link in a picture has no address of its own, only the attribute.
    const { origin, pathname, search, hash } = new URL(anchor.getAttribute('href') ?? '', location.href);
    if (origin !== location.origin) return;
    event.preventDefault();
    navigate(pathname + search + hash);
  });
}

export function sessionAddress(id: string, call?: string | null): string {
  return `/sessions/${encodeURIComponent(id)}${call ? `#${encodeURIComponent(call)}` : ''}`;
}

export function outputAddress(id: string, part?: string | null, line?: number | null): string {
  const path = part ? `/${encodeURIComponent(part)}` : '';
  return `/o/${encodeURIComponent(id)}${path}${line ? `#L${line}` : ''}`;
}

/** An output under two settings side by side. */
export function previewAddress(id: string, a: SettingsGiven, b: SettingsGiven): string {
  const [first, second] = [a, b].map((given) => encodeURIComponent(writeGiven(given)));
  return `/preview?o=${encodeURIComponent(id)}&a=${first}&b=${second}`;
}

/** Settings in an address: `strategy:tail,inline_limit:8000`. */
export function writeGiven(given: SettingsGiven): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}:${value}`)
    .join(',');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
