/** Which settings are listed: by a word in their name or meaning, or only those that a file sets. */
import { useRef, useState } from 'preact/hooks';
import type { SettingField, SettingRow } from '../../../../spillway/src/inspector/api.ts';
import { Icon } from '../../components/icon.tsx';
import { SearchIcon } from '../../components/icons.ts';
import { useKeys } from '../../shell/keys.ts';

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
  const field = useRef<HTMLInputElement>(null);
  useKeys({ filter: () => field.current?.focus() });
  return (
    <div class="settings-filter">
      <label class="field">
        <Icon of={SearchIcon} />
        <input
          ref={field}
          type="search"
          placeholder="Filter"
          aria-label="Filter settings by name or meaning"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <kbd class="only-l">f</kbd>
      </label>
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
