/** What this inspector wrote into files of settings, each with a way to take it back. */
import type { ChangesAnswer, SettingChanged, UndoOrder } from '../../../../spillway/src/inspector/api.ts';
import { settingWords } from '../../components/setting-words.ts';
import { get, post } from '../../data/api-client.ts';
import { formatTime } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { say } from '../../shell/toast.ts';

type Change = ChangesAnswer['changes'][number];

/** `stamp` changes with the files: what can be undone depends on them. */
export function WrittenChanges({ stamp, onUndone }: { stamp: string; onUndone: () => void }) {
  const { data, reload } = useResource(`changes ${stamp}`, (signal) =>
    get<ChangesAnswer>('/api/settings/changes', {}, signal),
  );
  if (!data || data.changes.length === 0) return null;
  const undo = async ({ change, file }: Change) => {
    try {
      await post<SettingChanged>('/api/settings/undo', { change } satisfies UndoOrder);
      say(`${file} is as it was before`);
    } catch (error) {
      say((error as Error).message);
    }
    reload();
    onUndone();
  };
  return (
    <section class="section">
      <h2>Written here</h2>
      <ul class="written">
        {data.changes.map((change) => (
          <li key={change.change}>
            <span>
              <code>{change.field}</code>{' '}
              {change.value === null ? 'taken out' : <b>{settingWords(change.value)}</b>}
              {change.tool !== null && (
                <>
                  {' for '}
                  <code>{change.tool}</code>
                </>
              )}
              <span class="hint">
                {' '}
                {change.file} · {formatTime(change.at)}
              </span>
            </span>
            <Undo change={change} onUndo={() => undo(change)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Undo({ change, onUndo }: { change: Change; onUndo: () => void }) {
  if (change.undone) return <span class="hint">undone</span>;
  if (!change.can_undo) return <span class="hint">the file was changed since</span>;
  return (
    <button type="button" class="btn" aria-label={`Undo ${change.field}`} onClick={onUndo}>
      Undo
    </button>
  );
}
