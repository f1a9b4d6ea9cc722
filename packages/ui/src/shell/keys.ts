/**
 * The keyboard map as data: the help is made from it, and a view gives the handlers of its actions.
 * A key does nothing while a person types in a field, except where the table says so.
 */
import { useEffect, useRef } from 'preact/hooks';

const SEQUENCE_MS = 1_500;

/** Keys of an action: alternatives by `|`, a sequence by a space. */
export const KEY_MAP = {
  'go.sessions': { keys: 'g s', says: 'Sessions', group: 'Go to' },
  'go.outputs': { keys: 'g o', says: 'Outputs', group: 'Go to' },
  'go.preview': { keys: 'g p', says: 'Preview', group: 'Go to' },
  'go.settings': { keys: 'g t', says: 'Settings', group: 'Go to' },
  'go.analytics': { keys: 'g a', says: 'Analytics', group: 'Go to' },
  'go.discover': { keys: 'g d', says: 'Discover', group: 'Go to' },
  'go.store': { keys: 'g h', says: 'Store', group: 'Go to' },
  search: { keys: '/', says: 'Search', group: 'Everywhere' },
  filter: { keys: 'f', says: 'Filter the list', group: 'Everywhere' },
  help: { keys: '?', says: 'Show this help', group: 'Everywhere' },
  'row.next': { keys: 'j', says: 'Next row', group: 'Rows' },
  'row.previous': { keys: 'k', says: 'Previous row', group: 'Rows' },
  'row.open': { keys: 'Enter', says: 'Open a link, or unfold a gap', group: 'Rows' },
  'match.next': { keys: 'n', says: 'Next match', group: 'In a result' },
  'match.previous': { keys: 'N', says: 'Previous match', group: 'In a result' },
  'error.next': { keys: 'e', says: 'Next error', group: 'In a result' },
  'error.previous': { keys: 'E', says: 'Previous error', group: 'In a result' },
  'gap.next': { keys: ']', says: 'Next gap', group: 'In a result' },
  'gap.previous': { keys: '[', says: 'Previous gap', group: 'In a result' },
  'gap.all': { keys: 'z', says: 'Unfold or fold all gaps', group: 'In a result' },
  'line.go': { keys: ':', says: 'Go to a line', group: 'In a result' },
  'view.folded': { keys: '1', says: 'Folded', group: 'In a result' },
  'view.beside': { keys: '2', says: 'Beside', group: 'In a result' },
  'view.whole': { keys: '3', says: 'Whole', group: 'In a result' },
  wrap: { keys: 'w', says: 'Wrap long lines', group: 'In a result' },
  panel: { keys: '\\', says: 'Show or hide the panel', group: 'In a result' },
  'copy.handle': { keys: 'y', says: 'Copy the handle', group: 'In a result' },
  'copy.link': { keys: 'c', says: 'Copy a link to the line', group: 'In a result' },
  raw: { keys: 'r', says: 'Download the raw output', group: 'In a result' },
  preview: { keys: 'p', says: 'Try other settings', group: 'In a result' },
} as const satisfies Record<string, { keys: string; says: string; group: string }>;

type Action = keyof typeof KEY_MAP;
export type Handlers = Partial<Record<Action, (event: KeyboardEvent) => void>>;

const layers: { current: Handlers }[] = [];
let pending: { key: string; at: number } | undefined;

/** The handlers apply while the component is shown; of two, the one mounted last counts. */
export function useKeys(handlers: Handlers): void {
  const layer = useRef(handlers);
  layer.current = handlers;
  useEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const sequence =
      pending && event.timeStamp - pending.at < SEQUENCE_MS ? `${pending.key} ${event.key}` : event.key;
    pending = sequence === 'g' ? { key: 'g', at: event.timeStamp } : undefined;
    const action = actionOf(sequence);
    // Enter on a link or a button is the browser's own.
    if (action === 'row.open' && isControl(event.target)) return;
    const handler = action && layers.findLast((layer) => layer.current[action])?.current[action];
    if (!handler) return;
    event.preventDefault();
    handler(event);
  });
}

function actionOf(sequence: string): Action | undefined {
  return (Object.keys(KEY_MAP) as Action[]).find((action) => KEY_MAP[action].keys === sequence);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, summary');
}

/** `j` and `k` choose the next or the previous item, and bring it into view. */
export function useItemKeys<T>(items: readonly T[], current: T, go: (item: T) => void): void {
  useMoves((step) => {
    const next = items[within(items.indexOf(current) + step, items.length)];
    if (next !== undefined) go(next);
  });
  useEffect(() => {
    const chosen = document.querySelector('.list [aria-current]');
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, items.length]);
}

/** `j` and `k` move the focus through the links of a list of outputs. */
export function useLinkKeys(): void {
  useMoves((step) => {
    const links = [...document.querySelectorAll<HTMLElement>('.output-link')];
    links[within(links.indexOf(document.activeElement as HTMLElement) + step, links.length)]?.focus();
  });
}

function useMoves(move: (step: 1 | -1) => void): void {
  useKeys({ 'row.next': () => move(1), 'row.previous': () => move(-1) });
}

function within(at: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at));
}
