/** The keys of a result, and Ctrl+F: once for our search, again for the browser's. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { useKeys } from '../../shell/keys.ts';
import { copy } from '../../shell/toast.ts';
import type { LogView } from './toolbar.tsx';
import type { LogState } from './use-log-state.ts';

interface Actions {
  readonly onWrap: () => void;
  readonly onPanel: () => void;
  readonly onHandle: () => void;
  readonly onRaw: () => void;
  readonly onPreview: () => void;
  readonly onView: (view: LogView) => void;
  readonly onSearch: () => void;
  readonly onGoTo: () => void;
}

export function useResultKeys(state: LogState, on: Actions, field: RefObject<HTMLInputElement | null>): void {
  useKeys({
    search: on.onSearch,
    'row.next': () => state.move(1),
    'row.previous': () => state.move(-1),
    'row.open': state.toggleAtCursor,
    'match.next': () => state.goToMatch(1),
    'match.previous': () => state.goToMatch(-1),
    'error.next': () => state.goToError(1),
    'error.previous': () => state.goToError(-1),
    'gap.next': () => state.goToGap(1),
    'gap.previous': () => state.goToGap(-1),
    'gap.all': state.toggleAll,
    'line.go': on.onGoTo,
    'view.folded': () => on.onView('folded'),
    'view.beside': () => on.onView('beside'),
    'view.whole': () => on.onView('whole'),
    wrap: on.onWrap,
    panel: on.onPanel,
    'copy.handle': on.onHandle,
    'copy.link': () => {
      const { origin, pathname, search } = location;
      const { cursor } = state;
      const { picked } = state.log;
      const isPicked =
        picked !== undefined && picked.last > picked.first && cursor >= picked.first && cursor <= picked.last;
      const lines = isPicked ? `${picked.first}-${picked.last}` : String(cursor);
      void copy(`${origin}${pathname}${search}#L${lines}`, `Link to ${isPicked ? 'lines' : 'line'} ${lines}`);
    },
    raw: on.onRaw,
    preview: on.onPreview,
  });
  const { scroller } = state;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isFind =
        event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!isFind || !scroller.current?.contains(document.activeElement)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [scroller, field]);
}
