/** The frame: top bar, context window, banners, the view of the address, help, toasts. */
import * as lucide from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Banner, Button, Dialog } from '../components/controls.tsx';
import { Empty } from '../components/empty.tsx';
import { locked, request } from '../data/api-client.ts';
import { useLiveEvents } from '../data/live.ts';
import { useValue } from '../data/observable.ts';
import { loadWorkspace, workspace } from '../data/resource.ts';
import { AnalyticsView } from '../views/analytics/analytics.tsx';
import { DiscoverView } from '../views/discover/discover.tsx';
import { OutputsView } from '../views/outputs/outputs.tsx';
import { PreviewView } from '../views/preview/preview.tsx';
import { ResultView } from '../views/result/result.tsx';
import { SessionsView } from '../views/sessions/sessions.tsx';
import { SettingsView } from '../views/settings/settings.tsx';
import { StoreView } from '../views/store/store.tsx';
import { ContextWindow } from './context-window.tsx';
import { KEY_MAP, useKeys } from './keys.ts';
import { page, toast, usePage } from './page.ts';
import { navigate, type Route, route, VIEWS } from './router.ts';
import { TopBar } from './top-bar.tsx';

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
    ...Object.fromEntries(VIEWS.map((view) => [`go.${view}`, () => navigate(`/${view}`)])),
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
  useLayoutEffect(() => {
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
        <Banner icon={lucide.TriangleAlert} tone="error">
          The store cannot be read: {problem}
        </Banner>
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

/** Shown without a valid key: says how to get in, and has a new start address printed on demand. */
function Locked() {
  const [told, setTold] = useState('');
  const print = async () => {
    try {
      const response = await request('/api/code', { method: 'POST' });
      const { command } = (await response.json()) as { readonly command: string };
      setTold(
        `A new address was printed in the terminal that runs “${command}”. It works once, for a minute.`,
      );
    } catch (error) {
      setTold((error as Error).message);
    }
  };
  return (
    <main class="view" id="main" tabIndex={-1}>
      <Empty isPage title="This page needs a start address" icon={lucide.KeyRound}>
        <p>
          The inspector shows everything that your tools returned, so it opens only for the person at the
          terminal. Open the address that <code>spillway inspect</code> printed; each works once.
        </p>
        <Button kind="pri" onClick={print}>
          Print a new address in the terminal
        </Button>
        <p role="status">{told}</p>
      </Empty>
    </main>
  );
}

/** The keyboard map, from its table. */
function Help({ onClose }: { onClose: () => void }) {
  const groups = [...new Set(Object.values(KEY_MAP).map(({ group }) => group))];
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div class="keys">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {Object.values(KEY_MAP)
                .filter((each) => each.group === group)
                .map(({ keys, says }) => (
                  <li key={keys} class="line">
                    <span>
                      {keys.split(' ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </span>
                    <span>{says}</span>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
      <p class="hint">
        Ctrl+F in a log opens the search through everything; pressed again, the browser’s own.
      </p>
    </Dialog>
  );
}

/** Which view an address shows. */
const SHOWN = {
  sessions: SessionsView,
  result: ResultView,
  outputs: OutputsView,
  preview: PreviewView,
  settings: SettingsView,
  analytics: AnalyticsView,
  discover: DiscoverView,
  store: StoreView,
  lost: Lost,
};

function View({ route }: { route: Route }) {
  const Shown = SHOWN[route.view];
  return <Shown route={route} />;
}

function Lost() {
  usePage({ title: 'Not found' });
  return (
    <Empty isPage title="There is no such page">
      <p>
        <a href="/sessions">Go to the sessions</a>
      </p>
    </Empty>
  );
}
