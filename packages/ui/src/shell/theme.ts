/**
 * Light, dark, or what the system says. The choice is kept; public/theme.js applies it before the
 * first paint.
 */
import { observable } from '../data/observable.ts';

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
