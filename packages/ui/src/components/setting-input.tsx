/** A control for one setting, with the bounds and the choices of its field. */
import type { SettingField, SettingValue } from '../../../spillway/src/inspector/api.ts';

interface SettingInputProps {
  readonly field: SettingField;
  readonly value: SettingValue | undefined;
  readonly label: string;
  readonly onChange: (value: SettingValue) => void;
}

export function SettingInput({ field, value, label, onChange }: SettingInputProps) {
  const choices = field.kind === 'flag' ? ['true', 'false'] : field.values;
  if (choices)
    return (
      <select
        aria-label={label}
        value={value === undefined || value === null ? '' : String(value)}
        onChange={(event) => {
          const text = event.currentTarget.value;
          if (text !== '') onChange(field.kind === 'flag' ? text === 'true' : text);
        }}
      >
        {(value === undefined || value === null) && <option value="">—</option>}
        {typeof value === 'string' && !choices.includes(value) && <option>{value}</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  const isNumber = field.kind !== 'name' && field.kind !== 'choice';
  const common = {
    class: 'input',
    'aria-label': label,
    placeholder: field.kind === 'optional_integer' ? 'none' : '',
    value: value === undefined || value === null ? '' : String(value),
    onInput: ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
      if (!input.validity.valid) return;
      if (input.value !== '') onChange(isNumber ? Number(input.value) : input.value);
      else if (field.kind === 'optional_integer') onChange(null);
    },
  };
  if (!isNumber) return <input type="text" {...common} />;
  const bounds = {
    ...(field.min === null ? {} : { min: field.min }),
    ...(field.max === null ? {} : { max: field.max }),
  };
  const step = field.kind === 'ratio' || field.kind === 'factor' ? 'any' : 1;
  return <input type="number" step={step} {...bounds} {...common} />;
}
