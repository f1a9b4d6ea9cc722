/** A value of a setting, and the bounds of its field, as people read them. */
import type { SettingField, SettingValue } from '../../../spillway/src/inspector/api.ts';
import { formatCount } from '../data/figures.ts';

export function settingWords(value: SettingValue): string {
  if (value === null) return 'none';
  return typeof value === 'number' ? formatCount(value) : String(value);
}

/** `a whole number, at least 256; 8,000 if nothing sets it`. */
export function boundsWords({ kind, min, max, default: fallback }: SettingField): string {
  const kinds = {
    integer: 'A whole number',
    optional_integer: 'A whole number, or empty for none',
    ratio: 'A share',
    factor: 'A factor',
    flag: 'true or false',
    choice: 'One of the list',
    name: 'A name',
  };
  const least = min === null ? '' : max === null ? `, at least ${formatCount(min)}` : '';
  const range = min !== null && max !== null ? ` from ${formatCount(min)} to ${formatCount(max)}` : '';
  return `${kinds[kind]}${least}${range}; ${settingWords(fallback)} if nothing sets it.`;
}
