/**
 * The colours of the page: text can be read on every ground that it stands on, in light and in
 * dark.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8');
const pairs = [...css.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
const themes = {
  light: Object.fromEntries(pairs.map(([, name, light]) => [name, light])),
  dark: Object.fromEntries(pairs.map(([, name, , dark]) => [name, dark])),
} as Record<string, Record<string, string>>;

const GROUNDS = ['bg', 'surface-1', 'surface-2', 'kept-tint', 'gap-bg'];
const TEXTS = ['ink', 'ink-2', 'ink-3', 'accent', 'error', 'warning', 'ok', 'fetched'];
const ANSI = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].map(
  (name) => `ansi-${name}`,
);
const TEXT_PAIRS = [
  ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground])),
  ...['error', 'warning', 'ok', 'fetched'].map((name) => [name, `${name}-tint`]),
  ...ANSI.flatMap((text) => ['bg', 'kept-tint', 'gap-bg', 'error-tint'].map((ground) => [text, ground])),
  ...['ink', 'ink-2', 'ink-3'].map((text) => [text, 'error-tint']),
  ['accent-ink', 'accent'],
  ['mark-ink', 'mark-bg'],
] as [string, string][];
const GRAPHICS = ['kept-bar', 'focus', 'line-strong', 'ctx-system', 'ctx-messages', 'ctx-results'];

describe.each(['light', 'dark'])('in the %s theme', (name) => {
  const colours = themes[name] as Record<string, string>;
  const ratio = (a: string, b: string) => contrast(colours[a] as string, colours[b] as string);

  it('every text has a contrast of at least 4.5 on every ground', () => {
    const weak = TEXT_PAIRS.filter(([text, ground]) => ratio(text, ground) < 4.5);
    expect(weak).toEqual([]);
    expect(TEXT_PAIRS.every((pair) => pair.every((each) => colours[each] !== undefined))).toBe(true);
  });

  it('every bar and mark has a contrast of at least 3', () => {
    expect(GRAPHICS.filter((graphic) => ratio(graphic, 'bg') < 3)).toEqual([]);
  });
});

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
