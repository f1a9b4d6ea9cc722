/** The frame: top bar, context window, banners, the view of the address, help, toasts. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { WarningIcon } from '../components/icons.ts';
import { locked } from '../data/api-client.ts';
import { useLiveEvents } from '../data/live.ts';
import { useValue } from '../data/observable.ts';
import { loadWorkspace, workspace } from '../data/workspace.ts';
import { View } from '../views/index.tsx';
import { ContextWindow } from './context-window.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { Locked } from './locked.tsx';
import { page } from './page.ts';
import { navigate, type Route, route } from './router.ts';
import { toast } from './toast.ts';
import { Drawer, TopBar } from './top-bar.tsx';

export function App() {
  const current = useValue(route);
  const shown = useValue(page);
  const isLocked = useValue(locked);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useLiveEvents(() => void loadWorkspace());
  useEffect(() => void loadWorkspace(), []);
  useKeys({
    help: () => setHelpOpen(true),
    'go.sessions': () => navigate('/sessions'),
    'go.outputs': () => navigate('/outputs'),
    'go.preview': () => navigate('/preview'),
    'go.settings': () => navigate('/settings'),
    'go.analytics': () => navigate('/analytics'),
    'go.store': () => navigate('/store'),
  });
  useFocusOnNavigation(current, main);
  useEffect(() => setMenuOpen(false), [current]);
  return (
    <div class="app">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <TopBar
        route={current}
        phone={{ title: shown.phoneTitle ?? shown.title, back: shown.back }}
        isMenuOpen={isMenuOpen}
        onMenu={() => setMenuOpen(!isMenuOpen)}
        onHelp={() => setHelpOpen(true)}
      />
      {isMenuOpen && <Drawer route={current} onHelp={() => setHelpOpen(true)} />}
      {!isLocked && <WindowRow />}
      {!isLocked && <Banners />}
      {isLocked ? (
        <Locked />
      ) : (
        <main class="view" id="main" tabIndex={-1} ref={main}>
          <View route={current} />
        </main>
      )}
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
      <Toast />
    </div>
  );
}

/** After a move to another view the keyboard starts at its content, as after a page load. */
function useFocusOnNavigation({ view, id }: Route, main: { readonly current: HTMLElement | null }): void {
  const place = `${view}/${id ?? ''}`;
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [place, main]);
}

function WindowRow() {
  const { session, window } = useValue(page);
  const last = useValue(workspace)?.window;
  const use = session === undefined ? last : window;
  return use ? <ContextWindow use={use} session={session ?? last?.session ?? ''} /> : null;
}

function Banners() {
  const problem = useValue(workspace)?.store_problem;
  return (
    <div class="banners">
      {problem && (
        <p class="banner error" role="alert">
          <Icon of={WarningIcon} />
          The store cannot be read: {problem}
        </p>
      )}
    </div>
  );
}

function Toast() {
  const words = useValue(toast);
  return (
    <div role="status" aria-live="polite">
      {words !== '' && <p class="toast">{words}</p>}
    </div>
  );
}
