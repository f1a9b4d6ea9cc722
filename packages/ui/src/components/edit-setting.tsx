/**
 * Changes one setting: a field with its bounds, how many of the last results it would have changed,
 * and the lines of the file as they would be written.
 */
import { useEffect, useState } from 'preact/hooks';
import type {
  EffectAnswer,
  EffectOrder,
  SettingField,
  SettingRow,
  SettingsFile,
  SettingValue,
} from '../../../spillway/src/inspector/api.ts';
import { post } from '../data/api-client.ts';
import { formatCount, pluralize } from '../data/figures.ts';
import { useResource } from '../data/resource.ts';
import { outputAddress } from '../shell/router.ts';
import { SettingInput } from './setting-input.tsx';
import { boundsWords } from './setting-words.ts';
import { WriteSettings } from './write-settings.tsx';

/** One sentence: how many of the last results a setting would have changed, with links to them. */
const PAUSE_MS = 250;
const MOST_LINKS = 5;

function EffectLine(order: EffectOrder) {
  const wanted = JSON.stringify(order);
  const [asked, setAsked] = useState<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data, error } = useResource(asked, (signal) =>
    post<EffectAnswer>('/api/settings/effect', order, signal),
  );
  if (error) return <p class="hint">{error.message}</p>;
  return (
    <p class="effect" role="status">
      {data && asked === wanted ? effectWords(data) : 'Looking at the last results …'}
      {data && asked === wanted && data.ids.length > 0 && (
        <span class="effect-links">
          {data.ids.slice(0, MOST_LINKS).map((id) => (
            <a key={id} href={outputAddress(id)} title={id}>
              <span class="sr">Result </span>…{id.slice(-4)}
            </a>
          ))}
        </span>
      )}
    </p>
  );
}

function effectWords({ looked, changed, chars_before, chars_after }: EffectAnswer): string {
  if (looked === 0) return 'There is no result yet to try it on.';
  const last = looked === 1 ? 'the last result' : `the last ${formatCount(looked)} results`;
  if (changed === 0) return `Would have changed none of ${last}.`;
  const more = chars_after - chars_before;
  const sum = `${pluralize(Math.abs(more), 'char')} ${more < 0 ? 'less' : 'more'} in all`;
  return `Would have changed ${formatCount(changed)} of ${last}${more === 0 ? '' : `: ${sum}`}.`;
}

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
