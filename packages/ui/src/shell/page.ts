/**
 * What the shell knows of the page: what the view on the screen tells of itself (title, where Back
 * leads on a phone, session), the sentence that says what just happened, and the theme.
 */
import { useEffect, useState } from 'preact/hooks';
import type { WindowUse } from '../../../spillway/src/inspector/api.ts';
import { observable, useValue } from '../data/observable.ts';

export interface Page {
  readonly title: string;
  /** Shorter, for the top bar of a phone. */
  readonly phoneTitle?: string | undefined;
  readonly back?: string | undefined;
  /** The session whose context window is shown; without one, the session that was sent last. */
  readonly session?: string | undefined;
  readonly window?: WindowUse | null | undefined;
}

export const page = observable<Page>({ title: 'Spillway' });

export function usePage({ title, phoneTitle, back, session, window }: Page): void {
  useEffect(() => {
    page.set({ title, phoneTitle, back, session, window });
    document.title = title === 'Spillway' ? title : `${title} · Spillway`;
  }, [title, phoneTitle, back, session, window]);
}

/** One short sentence that says what just happened; a screen reader hears it too. */
const SHOWN_MS = 3_500;

export const toast = observable('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(sentence: string): void {
  clearTimeout(timer);
  toast.set(sentence);
  timer = setTimeout(() => toast.set(''), SHOWN_MS);
}

/** Does something that may be refused; says why if it is, and answers whether it was done. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    say((error as Error).message);
    return false;
  }
}

/** Copies and says so; says why where the browser refuses. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say('The browser did not allow copying.');
  }
}

/** The choice is kept; public/theme.js applies it before the first paint. */
export type Theme = 'system' | 'light' | 'dark';
const NAME = 'spillway-theme';
const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = observable<Theme>((document.documentElement.dataset.theme as Theme) ?? 'system');

export function nextTheme(): Theme {
  const next = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] as Theme;
  theme.set(next);
  if (next === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(NAME);
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem(NAME, next);
  }
  return next;
}

/** Changes whenever the colours do: by the choice, or by the system. For what draws on a canvas. */
export function useColors(): string {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => setDark(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  return `${useValue(theme)} ${isDark}`;
}
