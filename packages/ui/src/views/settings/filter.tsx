/** Which settings are listed: by a word in their name or meaning, or only those that a file sets. */
import { useState } from 'preact/hooks';
import type { SettingField, SettingRow } from '../../../../spillway/src/inspector/api.ts';
import { FilterField } from '../../components/filter-field.tsx';

export interface ShownRows {
  readonly rows: readonly SettingRow[];
  readonly total: number;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly isSetOnly: boolean;
  readonly setSetOnly: (only: boolean) => void;
}

export function useShownRows(all: readonly SettingRow[], fields: readonly SettingField[]): ShownRows {
  const [text, setText] = useState('');
  const [isSetOnly, setSetOnly] = useState(false);
  const wanted = text.trim().toLowerCase();
  const docs = new Map(fields.map(({ name, doc }) => [name, doc.toLowerCase()]));
  const rows = all.filter(
    ({ name, level }) =>
      (!isSetOnly || level !== 'system') && (name.includes(wanted) || docs.get(name)?.includes(wanted)),
  );
  return { rows, total: all.length, text, setText, isSetOnly, setSetOnly };
}

export function SettingsFilter({ rows, total, text, setText, isSetOnly, setSetOnly }: ShownRows) {
  return (
    <div class="settings-filter">
      <FilterField hasKey label="Filter settings by name or meaning" value={text} onChange={setText} />
      <fieldset class="seg" aria-label="Which settings">
        <button type="button" aria-pressed={!isSetOnly} onClick={() => setSetOnly(false)}>
          All
        </button>
        <button type="button" aria-pressed={isSetOnly} onClick={() => setSetOnly(true)}>
          Changed
        </button>
      </fieldset>
      <span class="hint num" role="status">
        {rows.length === total ? `${total} settings` : `${rows.length} of ${total} settings`}
      </span>
    </div>
  );
}
