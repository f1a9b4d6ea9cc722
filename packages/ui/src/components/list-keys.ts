/** Lists that are gone through with the keyboard. */
import { useEffect } from 'preact/hooks';
import { useKeys } from '../shell/keys.ts';

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
