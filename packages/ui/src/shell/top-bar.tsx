/**
 * The first row: name, navigation, search, live dot, theme, keyboard. On a phone: back, title, and a
 * menu with the rest.
 */
import * as lucide from 'lucide';
import { useRef } from 'preact/hooks';
import { Icon, IconButton } from '../components/controls.tsx';
import { formatCount } from '../data/figures.ts';
import { liveState, running } from '../data/live.ts';
import { useValue } from '../data/observable.ts';
import { useKeys } from './keys.ts';
import { nextTheme, say, theme } from './page.ts';
import { navigate, type Route, VIEWS } from './router.ts';

interface TopBarProps {
  readonly route: Route;
  readonly phone: { readonly title: string; readonly back: string | undefined };
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onHelp: () => void;
}

export function TopBar({ route, phone, isMenuOpen, onMenu, onHelp }: TopBarProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ search: () => field.current?.focus() });
  return (
    <header class={`top line ${phone.back ? 'has-back' : ''} ${isMenuOpen ? 'menu-open' : ''}`}>
      {phone.back && (
        <a class="ib back" href={phone.back} aria-label="Back">
          <Icon of={lucide.ArrowLeft} size="l" />
        </a>
      )}
      <a class="brand line" href="/sessions">
        <Brand />
        <span class="only-l">Spillway</span>
        <span class="only-s clip">{phone.title}</span>
      </a>
      <nav class="line" aria-label="Main">
        <Links current={route} />
      </nav>
      <SearchAll inputRef={field} query={route.view === 'outputs' ? (route.query.get('q') ?? '') : ''} />
      <Live />
      <ThemeButton />
      <IconButton icon={lucide.Keyboard} class="extra" label="Keyboard shortcuts" onClick={onHelp} />
      <IconButton icon={lucide.Menu} class="menu" label="Menu" isOpen={isMenuOpen} onClick={onMenu} />
    </header>
  );
}

function Links({ current }: { current: Route }) {
  const shown = current.view === 'result' ? 'sessions' : current.view;
  return (
    <>
      {VIEWS.map((view) => (
        <a key={view} href={`/${view}`} aria-current={view === shown ? 'page' : undefined}>
          {view[0]?.toUpperCase()}
          {view.slice(1)}
        </a>
      ))}
    </>
  );
}

interface SearchAllProps {
  readonly query: string;
  readonly inputRef: preact.RefObject<HTMLInputElement | null>;
}

function SearchAll({ query, inputRef }: SearchAllProps) {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('q') ?? '');
    navigate(text === '' ? '/outputs' : `/outputs?q=${encodeURIComponent(text)}`);
  };
  return (
    <search class="find">
      <form class="field" onSubmit={submit}>
        <Icon of={lucide.Search} />
        <input
          ref={inputRef}
          type="search"
          name="q"
          key={query}
          defaultValue={query}
          placeholder="Search all outputs"
          aria-label="Search all outputs"
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <kbd>/</kbd>
      </form>
    </search>
  );
}

const LIVE = {
  connecting: { tone: '', words: 'Connecting' },
  live: { tone: 'on', words: 'Live' },
  lost: { tone: 'off', words: 'Not connected' },
};

function Live() {
  const count = useValue(running).length;
  const { tone, words: state } = LIVE[useValue(liveState)];
  const words = tone === 'on' && count > 0 ? `${state}, ${formatCount(count)} running` : state;
  return (
    <span class={`live line small ${tone}`} role="status" title={words}>
      <i />
      <span>{words}</span>
    </span>
  );
}

const THEMES = {
  system: { icon: lucide.SunMoon, words: 'Theme: follows the system' },
  light: { icon: lucide.Sun, words: 'Theme: light' },
  dark: { icon: lucide.Moon, words: 'Theme: dark' },
};

function ThemeButton() {
  const { icon, words } = THEMES[useValue(theme)];
  return (
    <IconButton icon={icon} class="extra" label={words} onClick={() => say(THEMES[nextTheme()].words)} />
  );
}

function Brand() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" class="mark">
      <path d="M3 4h7v9.2c0 2.6 1.7 3.8 4 3.8h7" />
      <path d="M3 8.5h3.2v5.9C6.2 18.6 9.4 21 13.5 21H21" />
    </svg>
  );
}
