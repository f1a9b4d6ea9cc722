/** The settings of one variant, over those of the tool: strategy and limit always, others on demand. */
import type { PreviewResult, SettingField, SettingsGiven } from '../../../../spillway/src/inspector/api.ts';
import { Icon } from '../../components/icon.tsx';
import { CloseIcon } from '../../components/icons.ts';
import { SettingInput } from '../../components/setting-input.tsx';
import { formatCount } from '../../data/figures.ts';

const ALWAYS = ['strategy', 'inline_limit'];

interface VariantEditorProps {
  readonly name: 'A' | 'B';
  readonly given: SettingsGiven;
  readonly inForce: SettingsGiven;
  readonly fields: readonly SettingField[];
  readonly result: PreviewResult | undefined;
  readonly problem: string | undefined;
  readonly onChange: (given: SettingsGiven) => void;
}

export function VariantEditor({
  name,
  given,
  inForce,
  fields,
  result,
  problem,
  onChange,
}: VariantEditorProps) {
  const shown = [...new Set([...ALWAYS, ...Object.keys(given)])];
  const left = fields.filter((field) => !shown.includes(field.name));
  const without = (setting: string) => {
    const { [setting]: _, ...rest } = given;
    onChange(rest);
  };
  return (
    <div class="variant-head">
      <div class="variant-settings">
        <strong class="variant-name">{name}</strong>
        {shown.map((setting) => {
          const field = fields.find((each) => each.name === setting);
          if (!field) return null;
          return (
            <span class="variant-setting" key={setting}>
              <span class="dim">{setting}</span>
              <SettingInput
                field={field}
                label={`${setting} of ${name}`}
                value={given[setting] ?? inForce[setting]}
                onChange={(value) => onChange({ ...given, [setting]: value })}
              />
              {!ALWAYS.includes(setting) && (
                <button
                  type="button"
                  class="ib small"
                  aria-label={`Remove ${setting}`}
                  onClick={() => without(setting)}
                >
                  <Icon of={CloseIcon} />
                </button>
              )}
            </span>
          );
        })}
        <select
          aria-label={`Add a setting to ${name}`}
          value=""
          onChange={(event) => {
            const field = fields.find((each) => each.name === event.currentTarget.value);
            if (field) onChange({ ...given, [field.name]: inForce[field.name] ?? field.default });
          }}
        >
          <option value="">+ setting</option>
          {left.map((field) => (
            <option key={field.name}>{field.name}</option>
          ))}
        </select>
      </div>
      <Numbers result={result} problem={problem} />
    </div>
  );
}

function Numbers({ result, problem }: { result: PreviewResult | undefined; problem: string | undefined }) {
  if (problem) return <p class="variant-numbers error">{problem}</p>;
  if (!result) return <p class="variant-numbers dim">…</p>;
  const { chars, tokens, errors, warnings, cut, strategy } = result;
  return (
    <p class="variant-numbers num">
      <strong>{formatCount(chars)}</strong> chars · <strong>{formatCount(tokens)}</strong> tokens ·{' '}
      <span class={errors.shown < errors.total ? 'error' : 'ok'}>
        {formatCount(errors.shown)} of {formatCount(errors.total)} errors
      </span>{' '}
      · {formatCount(warnings.shown)} of {formatCount(warnings.total)} warnings
      <span class="dim"> · {cut ? strategy : 'whole'}</span>
    </p>
  );
}
