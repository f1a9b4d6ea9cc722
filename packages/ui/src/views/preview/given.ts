/** Settings of a variant in an address: `strategy:tail,inline_limit:8000`. */
import type { SettingField, SettingsGiven } from '../../../../spillway/src/inspector/api.ts';

export function readGiven(text: string | null, fields: readonly SettingField[]): SettingsGiven {
  const entries = (text ?? '').split(',').flatMap((each) => {
    const [name = '', value = ''] = each.split(/:(.*)/s);
    const field = fields.find((known) => known.name === name);
    return field && value !== '' ? [[name, typedValue(field, value)] as const] : [];
  });
  return Object.fromEntries(entries);
}

export function writeGiven(given: SettingsGiven): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}:${value}`)
    .join(',');
}

/** A typed text as the kind of value that the field has. */
function typedValue({ kind }: SettingField, text: string): string | number | boolean | null {
  if (kind === 'flag') return text === 'true';
  if (kind === 'choice' || kind === 'name') return text;
  return text === 'null' ? null : Number(text);
}
