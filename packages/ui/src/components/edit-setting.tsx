/**
 * Changes one setting in a file: a field with its bounds, how many of the last results it would have
 * changed, and the lines of the file as they would be written. Nothing is written before that, and
 * nothing if the file has changed meanwhile.
 */
import { useState } from 'preact/hooks';
import type {
  SettingChange,
  SettingChanged,
  SettingField,
  SettingRow,
  SettingsAnswer,
  SettingsFile,
  SettingValue,
} from '../../../spillway/src/inspector/api.ts';
import { get, post } from '../data/api-client.ts';
import { useResource } from '../data/resource.ts';
import { say } from '../shell/toast.ts';
import { Dialog } from './dialog.tsx';
import { Diff } from './diff.tsx';
import { EffectLine } from './effect-line.tsx';
import { SettingInput } from './setting-input.tsx';
import { boundsWords } from './setting-words.ts';

type Where = 'workspace' | 'user';

interface EditSettingProps {
  readonly field: SettingField;
  readonly row: SettingRow;
  readonly tool: string | null;
  /** What the field starts with; the value in force unless given. */
  readonly proposed?: SettingValue;
  readonly onClose: () => void;
  readonly onWritten: () => void;
}

export function EditSetting({ field, row, tool, proposed, onClose, onWritten }: EditSettingProps) {
  const [value, setValue] = useState<SettingValue>(proposed ?? row.value);
  const [invalid, setInvalid] = useState('');
  const [where, setWhere] = useState<Where>(field.user_only ? 'user' : 'workspace');
  const [isOut, setOut] = useState(false);
  const files = useResource('files', async (signal) => {
    const answer = await get<SettingsAnswer>('/api/settings', {}, signal);
    return answer.files;
  });
  const file = files.data?.find((each) => each.where === where);
  const change = { field: field.name, value: isOut ? null : value, tool, where };
  const isChanged = isOut || value !== row.value || proposed !== undefined;
  const isReady = file !== undefined && invalid === '' && isChanged;
  const plan = useResource(isReady ? `plan ${file.hash} ${JSON.stringify(change)}` : undefined, (signal) =>
    post<SettingChanged>('/api/settings/change', order(change, file, false), signal),
  );
  const write = async () => {
    try {
      const { file: name } = await post<SettingChanged>('/api/settings/change', order(change, file, true));
      say(`Written to ${name}`);
      onWritten();
      onClose();
    } catch (error) {
      say((error as Error).message);
      files.reload();
    }
  };
  return (
    <Dialog
      title={tool === null ? `${field.name} for all tools` : `${field.name} for ${tool}`}
      onClose={onClose}
      foot={
        <button type="button" class="btn pri" onClick={write} disabled={!plan.data?.diff.length}>
          Write it
        </button>
      }
    >
      <div class="edit">
        <p>{field.doc}</p>
        <div class="edit-row" onInput={(event) => setInvalid(messageOf(event.target))}>
          <SettingInput
            field={field}
            value={isOut ? null : value}
            label={field.name}
            onChange={(next) => {
              setValue(next);
              setOut(false);
            }}
          />
          <WhereChoice where={where} onWhere={setWhere} files={files.data ?? []} field={field} />
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
        {isReady && <EffectLine field={field.name} value={change.value} tool={tool} />}
        {plan.error && <p class="hint error">{plan.error.message}</p>}
        {plan.data && plan.data.diff.length === 0 && <p class="hint">The file says so already.</p>}
        {plan.data && plan.data.diff.length > 0 && <Diff file={plan.data.file} lines={plan.data.diff} />}
        {plan.data?.hidden_by && (
          <p class="hint warning">Without effect: {plan.data.hidden_by} is stronger.</p>
        )}
      </div>
    </Dialog>
  );
}

interface WhereChoiceProps {
  readonly where: Where;
  readonly onWhere: (where: Where) => void;
  readonly files: readonly SettingsFile[];
  readonly field: SettingField;
}

function WhereChoice({ where, onWhere, files, field }: WhereChoiceProps) {
  const isWritable = (each: Where) => files.find((file) => file.where === each)?.writable !== false;
  return (
    <select aria-label="File" value={where} onChange={(event) => onWhere(event.currentTarget.value as Where)}>
      <option value="workspace" disabled={field.user_only || !isWritable('workspace')}>
        in this workspace
      </option>
      <option value="user" disabled={!isWritable('user')}>
        in all my workspaces
      </option>
    </select>
  );
}

function order(
  change: Omit<SettingChange, 'if_unchanged' | 'write'>,
  file: SettingsFile | undefined,
  write: boolean,
): SettingChange {
  return { ...change, if_unchanged: file?.hash ?? null, write };
}

/** Whether the file holds the setting for this very tool. */
function isSetIn({ given }: SettingRow, file: SettingsFile | undefined, tool: string | null): boolean {
  return given.some((one) => one.file !== null && one.file === file?.name && one.tool === tool);
}

function messageOf(target: EventTarget | null): string {
  return target instanceof HTMLInputElement && target.type === 'number' ? target.validationMessage : '';
}
