/**
 * Writes settings into a file after showing the lines as they would be written. Nothing is written
 * before that, and nothing more once somebody else has changed the file. `EditSetting` changes one
 * setting, with its bounds and how many of the last results it would have changed.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type {
  Answer,
  Body,
  Scalar,
  SettingChanged,
  SettingField,
  SettingRow,
} from '../../../spillway/src/inspector/api.ts';
import { type Got, post } from '../data/api-client.ts';
import { formatCount, pluralize } from '../data/figures.ts';
import { useDelayed, useGet, useResource } from '../data/resource.ts';
import { attempt, say } from '../shell/page.ts';
import { outputAddress } from '../shell/router.ts';
import { Dialog, Select } from './controls.tsx';

type Change = Body<'POST /api/settings/change'>;
type Wanted = Pick<Change, 'field' | 'value'>;
type SettingsFile = Got<'/api/settings'>['files'][number];

interface WriteSettingsProps {
  readonly title: string;
  readonly tool: string | null;
  readonly wanted: readonly Wanted[];
  /** Whether only the user's own file may hold them. */
  readonly isUserOnly?: boolean;
  readonly onClose: () => void;
  readonly onWritten?: () => void;
  /** What is asked before: `choice` is the choice of the file, `file` the one chosen. */
  readonly children: (choice: ComponentChildren, file: SettingsFile | undefined) => ComponentChildren;
}

export function WriteSettings({ title, tool, wanted, isUserOnly = false, ...props }: WriteSettingsProps) {
  const [where, setWhere] = useState<Change['where']>(isUserOnly ? 'user' : 'workspace');
  const settings = useGet('/api/settings', {});
  const files = settings.data?.files ?? [];
  const file = files.find((each) => each.where === where);
  const change = (each: Wanted, hash: string | null, write: boolean, signal?: AbortSignal) =>
    post('/api/settings/change', { ...each, tool, where, if_unchanged: hash, write }, signal);
  const key = `plan ${file?.hash} ${where} ${tool} ${JSON.stringify(wanted)}`;
  const plan = useResource(file && wanted.length > 0 ? key : undefined, (signal) =>
    Promise.all(wanted.map((each) => change(each, file?.hash ?? null, false, signal))),
  );
  const write = async () => {
    const isWritten = await attempt(async () => {
      let hash = file?.hash ?? null;
      for (const each of wanted) hash = (await change(each, hash, true)).hash;
    });
    if (!isWritten) return settings.reload();
    say(`Saved in ${file?.name}`);
    props.onWritten?.();
    props.onClose();
  };
  const places = [
    ['workspace', 'in this workspace'],
    ['user', 'in all my workspaces'],
  ] as const;
  const choice = (
    <Select
      label="File"
      value={where}
      onChange={(place) => setWhere(place as Change['where'])}
      options={places.filter(
        ([place]) =>
          (place === 'user' || !isUserOnly) && files.find((each) => each.where === place)?.writable !== false,
      )}
    />
  );
  const error = settings.error ?? plan.error;
  const isChange = plan.data?.some(({ diff }) => diff.length > 0) ?? false;
  return (
    <Dialog
      title={title}
      onClose={props.onClose}
      action={{ words: 'Save', onClick: write, disabled: !isChange }}
    >
      <div class="form">
        {props.children(choice, file)}
        {error && <p class="hint error">{error.message}</p>}
        {plan.data?.map((each, at) => (
          <Planned key={wanted[at]?.field} {...each} />
        ))}
      </div>
    </Dialog>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '-' };

function Planned({ file, diff, hidden_by }: Pick<SettingChanged, 'file' | 'diff' | 'hidden_by'>) {
  return (
    <>
      {diff.length === 0 ? (
        <p class="hint">The file already has this value.</p>
      ) : (
        <figure class="diff">
          <figcaption>{file}</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
          <pre tabIndex={0}>
            {diff.map(({ kind, line, text }) => (
              <span key={`${kind} ${line}`} class={kind}>
                <span class="dim">{String(line).padStart(4)}</span> {SIGNS[kind]} {text}
                {'\n'}
              </span>
            ))}
          </pre>
        </figure>
      )}
      {hidden_by && <p class="hint warning">It will have no effect: {hidden_by} overrides it.</p>}
    </>
  );
}

interface EditSettingProps {
  readonly name: string;
  readonly tool: string | null;
  /** What the field starts with; the value in force unless given. */
  readonly proposed?: Scalar;
  readonly onClose: () => void;
  readonly onWritten: () => void;
}

export function EditSetting({ name, ...props }: EditSettingProps) {
  const field = useGet('/api/settings', {}).data?.fields.find((each) => each.name === name);
  const row = useGet('/api/settings/of', { tool: props.tool }).data?.rows.find((each) => each.name === name);
  return field && row ? <Edit field={field} row={row} {...props} /> : null;
}

interface EditProps extends Omit<EditSettingProps, 'name'> {
  readonly field: SettingField;
  readonly row: SettingRow;
}

function Edit({ field, row, tool, proposed, ...on }: EditProps) {
  const [value, setValue] = useState<Scalar>(proposed ?? row.value);
  const [invalid, setInvalid] = useState('');
  const [isOut, setOut] = useState(false);
  const isChanged = isOut || value !== row.value || proposed !== undefined;
  const wanted = { field: field.name, value: isOut ? null : value };
  const isReady = invalid === '' && isChanged;
  const isSetIn = (file: SettingsFile | undefined) =>
    row.given.some((one) => one.file !== null && one.file === file?.name && one.tool === tool);
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
          <div class="row edit-row" onInput={(event) => setInvalid(messageOf(event.target))}>
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
          {isSetIn(file) && (
            <label class="check">
              <input
                type="checkbox"
                checked={isOut}
                onChange={(event) => setOut(event.currentTarget.checked)}
              />
              Remove it from {file?.name}, so that the next level applies
            </label>
          )}
          {isReady && <Effect {...wanted} tool={tool} />}
        </>
      )}
    </WriteSettings>
  );
}

/** What the browser says of a number that is out of bounds; empty where nothing is wrong. */
export function messageOf(target: EventTarget | null): string {
  return target instanceof HTMLInputElement && target.type === 'number' ? target.validationMessage : '';
}

const PAUSE_MS = 250;
const MOST_LINKS = 5;

/** How many of the last results a setting would have changed, with links to them. */
function Effect(order: Body<'POST /api/settings/effect'>) {
  const wanted = JSON.stringify(order);
  const asked = useDelayed(wanted, PAUSE_MS);
  const { data, error } = useResource(asked, (signal) => post('/api/settings/effect', order, signal));
  if (error) return <p class="hint">{error.message}</p>;
  if (!data || asked !== wanted)
    return (
      <p class="effect" role="status">
        Trying it on the last results …
      </p>
    );
  return (
    <p class="effect" role="status">
      {effectWords(data)}
      {data.ids.slice(0, MOST_LINKS).map((id) => (
        <a key={id} href={outputAddress(id)} title={id}>
          <span class="sr">Result </span>…{id.slice(-4)}
        </a>
      ))}
    </p>
  );
}

function effectWords(effect: Answer<'POST /api/settings/effect'>): string {
  const { looked, changed, chars_before, chars_after } = effect;
  if (looked === 0) return 'There is no result yet to try it on.';
  const last = looked === 1 ? 'the last result' : `the last ${formatCount(looked)} results`;
  if (changed === 0) return `This would have changed none of ${last}.`;
  const more = chars_after - chars_before;
  const sum = `${pluralize(Math.abs(more), 'char')} ${more < 0 ? 'fewer' : 'more'} in all`;
  return `This would have changed ${formatCount(changed)} of ${last}${more === 0 ? '' : `: ${sum}`}.`;
}

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
function boundsWords({ kind, min, max, default: fallback }: SettingField): string {
  const least = min === null ? '' : max === null ? `, at least ${formatCount(min)}` : '';
  const range = min !== null && max !== null ? ` from ${formatCount(min)} to ${formatCount(max)}` : '';
  return `${KINDS[kind]}${least}${range}. The default is ${settingWords(fallback)}.`;
}
