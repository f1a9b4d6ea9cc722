/**
 * Writes settings into a file after showing the lines as they would be written. Nothing is written
 * before that, and nothing more once somebody else has changed the file. What stands above the diff
 * is the caller's.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type {
  DiffLine,
  SettingChange,
  SettingChanged,
  SettingsAnswer,
  SettingsFile,
  SettingValue,
} from '../../../spillway/src/inspector/api.ts';
import { get, post } from '../data/api-client.ts';
import { useResource } from '../data/resource.ts';
import { say } from '../shell/toast.ts';
import { Dialog } from './dialog.tsx';

/** A diff of a settings file, as it would be written. */
const SIGNS = { same: ' ', added: '+', removed: '-' };

function Diff({ file, lines }: { file: string; lines: readonly DiffLine[] }) {
  return (
    <figure class="diff">
      <figcaption>{file}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
      <pre tabIndex={0}>
        {lines.map(({ kind, before, after, text }) => (
          <span key={`${kind} ${before} ${after}`} class={kind}>
            <span class="dim">{String(after ?? before ?? '').padStart(4)}</span> {SIGNS[kind]} {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}

type Where = SettingChange['where'];

export interface WantedSetting {
  readonly field: string;
  /** Null takes it out of the file. */
  readonly value: SettingValue;
}

interface WriteSettingsProps {
  readonly title: string;
  readonly tool: string | null;
  readonly wanted: readonly WantedSetting[];
  /** Whether only the user's own file may hold them. */
  readonly isUserOnly?: boolean;
  readonly onClose: () => void;
  readonly onWritten?: () => void;
  /** What is asked before: `choice` is the choice of the file, `file` the one chosen. */
  readonly children: (choice: ComponentChildren, file: SettingsFile | undefined) => ComponentChildren;
}

export function WriteSettings({ title, tool, wanted, isUserOnly = false, ...props }: WriteSettingsProps) {
  const [where, setWhere] = useState<Where>(isUserOnly ? 'user' : 'workspace');
  const files = useResource('files', async (signal) => {
    const answer = await get<SettingsAnswer>('/api/settings', {}, signal);
    return answer.files;
  });
  const file = files.data?.find((each) => each.where === where);
  const change = (each: WantedSetting, hash: string | null, write: boolean, signal?: AbortSignal) =>
    post<SettingChanged>(
      '/api/settings/change',
      { ...each, tool, where, if_unchanged: hash, write } satisfies SettingChange,
      signal,
    );
  const key = `plan ${file?.hash} ${where} ${tool} ${JSON.stringify(wanted)}`;
  const plan = useResource(file && wanted.length > 0 ? key : undefined, (signal) =>
    Promise.all(wanted.map((each) => change(each, file?.hash ?? null, false, signal))),
  );
  const write = async () => {
    try {
      let hash = file?.hash ?? null;
      for (const each of wanted) hash = (await change(each, hash, true)).hash;
      say(`Written to ${file?.name}`);
      props.onWritten?.();
      props.onClose();
    } catch (error) {
      say((error as Error).message);
      files.reload();
    }
  };
  const error = files.error ?? plan.error;
  return (
    <Dialog
      title={title}
      onClose={props.onClose}
      foot={
        <button
          type="button"
          class="btn pri"
          onClick={write}
          disabled={!plan.data?.some(({ diff }) => diff.length > 0)}
        >
          Write it
        </button>
      }
    >
      <div class="edit">
        {props.children(
          <WhereChoice where={where} onWhere={setWhere} files={files.data ?? []} isUserOnly={isUserOnly} />,
          file,
        )}
        {error && <p class="hint error">{error.message}</p>}
        {plan.data?.map((each, at) => (
          <Planned key={wanted[at]?.field} change={each} />
        ))}
      </div>
    </Dialog>
  );
}

function Planned({ change: { file, diff, hidden_by } }: { change: SettingChanged }) {
  return (
    <>
      {diff.length === 0 ? <p class="hint">The file says so already.</p> : <Diff file={file} lines={diff} />}
      {hidden_by && <p class="hint warning">Without effect: {hidden_by} is stronger.</p>}
    </>
  );
}

interface WhereChoiceProps {
  readonly where: Where;
  readonly onWhere: (where: Where) => void;
  readonly files: readonly SettingsFile[];
  readonly isUserOnly: boolean;
}

function WhereChoice({ where, onWhere, files, isUserOnly }: WhereChoiceProps) {
  const isWritable = (each: Where) => files.find((file) => file.where === each)?.writable !== false;
  return (
    <select aria-label="File" value={where} onChange={(event) => onWhere(event.currentTarget.value as Where)}>
      <option value="workspace" disabled={isUserOnly || !isWritable('workspace')}>
        in this workspace
      </option>
      <option value="user" disabled={!isWritable('user')}>
        in all my workspaces
      </option>
    </select>
  );
}
