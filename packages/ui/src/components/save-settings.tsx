/**
 * Writes settings for a tool into a file, after showing what would be written. Each setting is one
 * change; if somebody else changes the file meanwhile, nothing more is written.
 */
import { useState } from 'preact/hooks';
import type {
  SettingChanged,
  SettingsAnswer,
  SettingsFile,
  SettingsGiven,
} from '../../../spillway/src/inspector/api.ts';
import { get, post } from '../data/api-client.ts';
import { useResource } from '../data/resource.ts';
import { say } from '../shell/toast.ts';
import { Dialog } from './dialog.tsx';
import { Diff } from './diff.tsx';
import { Loading, Problem } from './empty.tsx';

interface SaveSettingsProps {
  readonly tool: string | null;
  readonly given: SettingsGiven;
  readonly onClose: () => void;
  readonly onSaved?: () => void;
}

export function SaveSettings({ tool, given, onClose, onSaved }: SaveSettingsProps) {
  const [where, setWhere] = useState<'workspace' | 'user'>('workspace');
  const planned = useResource(`plan ${where} ${tool} ${JSON.stringify(given)}`, async (signal) => {
    const { files } = await get<SettingsAnswer>('/api/settings', {}, signal);
    const file = files.find((each) => each.where === where);
    const changes = await Promise.all(
      Object.entries(given).map(([field, value]) =>
        post<SettingChanged>(
          '/api/settings/change',
          order({ field, value, tool, where, file }, false),
          signal,
        ),
      ),
    );
    return { file, changes };
  });
  const save = async () => {
    try {
      let file = planned.data?.file;
      for (const [field, value] of Object.entries(given)) {
        const { hash } = await post<SettingChanged>(
          '/api/settings/change',
          order({ field, value, tool, where, file }, true),
        );
        if (file) file = { ...file, hash };
      }
      say('Saved');
      onSaved?.();
      onClose();
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <Dialog
      title={tool === null ? 'Save for all tools' : `Save for ${tool}`}
      onClose={onClose}
      foot={
        <button type="button" class="btn pri" onClick={save} disabled={!planned.data}>
          Write it
        </button>
      }
    >
      <label class="inline">
        File{' '}
        <select
          value={where}
          onChange={(event) => setWhere(event.currentTarget.value as 'workspace' | 'user')}
        >
          <option value="workspace">of this workspace</option>
          <option value="user">of yours, for all workspaces</option>
        </select>
      </label>
      {planned.error && <Problem error={planned.error} />}
      {!planned.data && !planned.error && <Loading />}
      {planned.data?.changes.map((change) => (
        <div key={change.file + change.diff.length + String(change.value)}>
          <Diff file={change.file} lines={change.diff} />
          {change.hidden_by && <p class="hint warning">Without effect: {change.hidden_by} is stronger.</p>}
        </div>
      ))}
    </Dialog>
  );
}

interface Change {
  readonly field: string;
  readonly value: SettingsGiven[string] | undefined;
  readonly tool: string | null;
  readonly where: 'workspace' | 'user';
  readonly file: SettingsFile | undefined;
}

function order({ field, value = null, tool, where, file }: Change, write: boolean) {
  return { field, value, tool, where, if_unchanged: file?.hash ?? null, write };
}
