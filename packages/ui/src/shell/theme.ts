/**
 * Light, dark, or what the system says. The choice is kept; public/theme.js applies it before the
 * first paint.
 */
import { useEffect, useState } from 'preact/hooks';
import { observable, useValue } from '../data/observable.ts';

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
