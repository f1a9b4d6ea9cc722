/** A setting as people read and change it: its value, its bounds, and a control with both. */
import type { Scalar, SettingField } from '../../../spillway/src/inspector/api.ts';
import { formatCount } from '../data/figures.ts';
import { Select } from './controls.tsx';

interface SettingInputProps {
  readonly field: SettingField;
  readonly value: Scalar | undefined;
  readonly label: string;
  readonly onChange: (value: Scalar) => void;
}

export function SettingInput({ field, value, label, onChange }: SettingInputProps) {
  const shown = value === undefined || value === null ? '' : String(value);
  const choices = field.kind === 'flag' ? ['true', 'false'] : field.values;
  if (choices)
    return (
      <Select
        label={label}
        value={shown}
        none={shown === '' ? '—' : undefined}
        options={shown === '' || choices.includes(shown) ? choices : [shown, ...choices]}
        onChange={(text) => text !== '' && onChange(field.kind === 'flag' ? text === 'true' : text)}
      />
    );
  const isNumber = field.kind !== 'name' && field.kind !== 'choice';
  const bounds = {
    step: field.kind === 'ratio' || field.kind === 'factor' ? 'any' : 1,
    ...(field.min === null ? {} : { min: field.min }),
    ...(field.max === null ? {} : { max: field.max }),
  };
  return (
    <input
      {...((isNumber ? { type: 'number', ...bounds } : { type: 'text' }) as { type: 'number' })}
      class="input"
      aria-label={label}
      placeholder={field.kind === 'optional_integer' ? 'none' : ''}
      value={shown}
      onInput={({ currentTarget: input }) => {
        if (!input.validity.valid) return;
        if (input.value !== '') onChange(isNumber ? Number(input.value) : input.value);
        else if (field.kind === 'optional_integer') onChange(null);
      }}
    />
  );
}

export function settingWords(value: Scalar): string {
  if (value === null) return 'none';
  return typeof value === 'number' ? formatCount(value) : String(value);
}

const KINDS = {
  integer: 'A whole number',
  optional_integer: 'A whole number, or empty for none',
  ratio: 'A share',
  factor: 'A factor',
  flag: 'True or false',
  choice: 'One of these values',
  name: 'A name',
};

/** `A whole number, at least 300. The default is 8,000.` */
export function boundsWords({ kind, min, max, default: fallback }: SettingField): string {
  const least = min === null ? '' : max === null ? `, at least ${formatCount(min)}` : '';
  const range = min !== null && max !== null ? ` from ${formatCount(min)} to ${formatCount(max)}` : '';
  return `${KINDS[kind]}${least}${range}. The default is ${settingWords(fallback)}.`;
}
