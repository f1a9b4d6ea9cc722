/**
 * Changes one setting: a field with its bounds, how many of the last results it would have changed,
 * and the lines of the file as they would be written.
 */
import { useState } from 'preact/hooks';
import type {
  SettingField,
  SettingRow,
  SettingsFile,
  SettingValue,
} from '../../../spillway/src/inspector/api.ts';
import { EffectLine } from './effect-line.tsx';
import { SettingInput } from './setting-input.tsx';
import { boundsWords } from './setting-words.ts';
import { WriteSettings } from './write-settings.tsx';

interface EditSettingProps {
  readonly field: SettingField;
  readonly row: SettingRow;
  readonly tool: string | null;
  /** What the field starts with; the value in force unless given. */
  readonly proposed?: SettingValue;
  readonly onClose: () => void;
  readonly onWritten: () => void;
}

export function EditSetting({ field, row, tool, proposed, ...on }: EditSettingProps) {
  const [value, setValue] = useState<SettingValue>(proposed ?? row.value);
  const [invalid, setInvalid] = useState('');
  const [isOut, setOut] = useState(false);
  const isChanged = isOut || value !== row.value || proposed !== undefined;
  const wanted = { field: field.name, value: isOut ? null : value };
  const isReady = invalid === '' && isChanged;
  return (
    <WriteSettings
      title={tool === null ? `${field.name} for all tools` : `${field.name} for ${tool}`}
      tool={tool}
      wanted={isReady ? [wanted] : []}
      isUserOnly={field.user_only}
      {...on}
    >
      {(choice, file) => (
        <>
          <p>{field.doc}</p>
          <div class="edit-row" onInput={(event) => setInvalid(messageOf(event.target))}>
            <SettingInput
              field={field}
              value={wanted.value}
              label={field.name}
              onChange={(next) => {
                setValue(next);
                setOut(false);
              }}
            />
            {choice}
          </div>
          <p class={invalid === '' ? 'hint' : 'hint error'} role={invalid === '' ? undefined : 'alert'}>
            {invalid === '' ? boundsWords(field) : invalid}
          </p>
          {isSetIn(row, file, tool) && (
            <label class="check">
              <input
                type="checkbox"
                checked={isOut}
                onChange={(event) => setOut(event.currentTarget.checked)}
              />
              Take it out of {file?.name}, so that a weaker level counts
            </label>
          )}
          {isReady && <EffectLine {...wanted} tool={tool} />}
        </>
      )}
    </WriteSettings>
  );
}

/** Whether the file holds the setting for this very tool. */
function isSetIn({ given }: SettingRow, file: SettingsFile | undefined, tool: string | null): boolean {
  return given.some((one) => one.file !== null && one.file === file?.name && one.tool === tool);
}

function messageOf(target: EventTarget | null): string {
  return target instanceof HTMLInputElement && target.type === 'number' ? target.validationMessage : '';
}
