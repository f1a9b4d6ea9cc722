/** Brings the chosen entry of a list into view, when it or the list changes. */
import { useEffect } from 'preact/hooks';

export function useCurrentInView(current: string | null | undefined, entries: number): void {
  useEffect(() => {
    const chosen = document.querySelector('.list [aria-current]');
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, entries]);
}
