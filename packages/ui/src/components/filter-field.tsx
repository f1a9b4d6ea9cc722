/** A field that narrows a list as a person types. Escape leaves it; `f` leads to it where `hasKey`. */
import { useRef } from 'preact/hooks';
import { useKeys } from '../shell/keys.ts';
import { Icon } from './icon.tsx';
import { SearchIcon } from './icons.ts';

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly placeholder?: string;
  readonly hasKey?: boolean;
}

export function FilterField({ label, value, onChange, placeholder = 'Filter', hasKey }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys(hasKey ? { filter: () => field.current?.focus() } : {});
  return (
    <label class="field">
      <Icon of={SearchIcon} />
      <input
        ref={field}
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {hasKey && <kbd class="only-l">f</kbd>}
    </label>
  );
}
