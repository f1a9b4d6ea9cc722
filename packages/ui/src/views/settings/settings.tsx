/** Settings: the tools, and for one of them every setting with its value at each level. */
import { useState } from 'preact/hooks';
import type {
  ChangesAnswer,
  GivenValue,
  SettingChanged,
  SettingField,
  SettingRow,
  SettingsAnswer,
  ToolRow,
  ToolSettingsAnswer,
  UndoOrder,
} from '../../../../spillway/src/inspector/api.ts';
import { useCurrentInView } from '../../components/current-in-view.ts';
import { EditSetting } from '../../components/edit-setting.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { WarningIcon } from '../../components/icons.ts';
import { settingWords } from '../../components/setting-words.ts';
import { get, post } from '../../data/api-client.ts';
import { formatCount, formatTime, pluralize } from '../../data/figures.ts';
import { useLiveEvents, useLiveSettings } from '../../data/live.ts';
import { useResource } from '../../data/resource.ts';
import { useKeys } from '../../shell/keys.ts';
import { usePage } from '../../shell/page.ts';
import { navigate, type Route } from '../../shell/router.ts';
import { say } from '../../shell/toast.ts';
import { SettingsFilter, useShownRows } from './filter.tsx';

/** The weakest first. */
const LEVELS = [
  { level: 'system', name: 'System', means: 'Built into Spillway, or from a profile' },
  { level: 'user', name: 'User', means: 'For all tools, from a file or a variable' },
  { level: 'tool', name: 'Tool', means: 'For this tool or a pattern that fits it' },
  { level: 'task', name: 'Task', means: 'Given by the program for one session' },
] as const;

interface LevelTableProps {
  readonly rows: readonly SettingRow[];
  readonly fields: readonly SettingField[];
  readonly tool: string | null;
  readonly onEdit: (row: SettingRow) => void;
}

function LevelTable({ rows, fields, tool, onEdit }: LevelTableProps) {
  if (rows.length === 0) return <p class="hint list-none">No setting is like this.</p>;
  const docs = new Map(fields.map(({ name, doc }) => [name, doc]));
  return (
    <table class="table levels cards">
      <caption class="sr">
        Settings {tool === null ? 'for all tools' : `of ${tool}`}: the value at each level
      </caption>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          {LEVELS.map(({ level, name, means }) => (
            <th scope="col" key={level} class="text" title={means}>
              {name}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              <code>{row.name}</code>
              <span class="hint">{docs.get(row.name)}</span>
            </th>
            {LEVELS.map(({ level, name }) => (
              <td key={level} class="text" data-label={name}>
                {row.given
                  .filter((given) => given.level === level)
                  .map((given) => (
                    <Given key={given.source} given={given} />
                  ))}
              </td>
            ))}
            <td class="act">
              <button
                type="button"
                class="link"
                aria-label={`Change ${row.name}`}
                onClick={() => onEdit(row)}
              >
                Change…
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Given({ given }: { given: GivenValue }) {
  const { level, value, source, tool, wins } = given;
  return (
    <span class={wins ? `given wins ${level}` : 'given'}>
      <b>{settingWords(value)}</b>
      {wins && <span class="sr"> counts, from</span>}
      <span class="source">
        {source}
        {tool !== null && /[*?]/.test(tool) && ` (${tool})`}
      </span>
    </span>
  );
}

export function settingsAddress(tool: string | null): string {
  return tool === null ? '/settings' : `/settings/${encodeURIComponent(tool)}`;
}

export function SettingsView({ route }: { route: Route }) {
  const tool = route.id ?? null;
  const all = useResource('settings', (signal) => get<SettingsAnswer>('/api/settings', {}, signal));
  const own = useResource(`settings of ${tool}`, (signal) =>
    get<ToolSettingsAnswer>('/api/settings/of', { tool }, signal),
  );
  const reload = () => {
    all.reload();
    own.reload();
  };
  useLiveSettings(reload);
  useLiveEvents(all.reload);
  usePage({ title: tool === null ? 'Settings' : `Settings of ${tool}` });
  useToolKeys(all.data?.tools ?? [], tool);
  useCurrentInView(tool, all.data?.tools.length ?? 0);
  const error = all.error ?? own.error;
  if (error) return <Problem error={error} retry={reload} />;
  if (!all.data) return <Loading />;
  return (
    <div class="split settings">
      <ToolList tools={all.data.tools} tool={tool} />
      <section
        class="item-pane"
        aria-label={tool === null ? 'Settings for all tools' : `Settings of ${tool}`}
      >
        <header class="session-head">
          <h1>{tool ?? 'All tools'}</h1>
          <p class="dim">
            {tool === null
              ? 'What applies to every tool that has no settings of its own.'
              : usedWords(all.data.tools.find(({ name }) => name === tool))}
          </p>
        </header>
        <Notices {...all.data} />
        {own.data ? (
          <Levels key={tool} fields={all.data.fields} rows={own.data.rows} tool={tool} onChanged={reload} />
        ) : (
          <Loading />
        )}
        <WrittenChanges onUndone={reload} stamp={all.data.files.map(({ hash }) => hash).join()} />
      </section>
    </div>
  );
}

interface LevelsProps {
  readonly fields: readonly SettingField[];
  readonly rows: readonly SettingRow[];
  readonly tool: string | null;
  readonly onChanged: () => void;
}

function Levels({ fields, rows, tool, onChanged }: LevelsProps) {
  const [edited, setEdited] = useState<SettingRow | undefined>(undefined);
  const shown = useShownRows(rows, fields);
  const field = fields.find(({ name }) => name === edited?.name);
  return (
    <>
      <SettingsFilter {...shown} />
      <LevelTable rows={shown.rows} fields={fields} tool={tool} onEdit={setEdited} />
      {edited && field && (
        <EditSetting
          field={field}
          row={edited}
          tool={tool}
          onClose={() => setEdited(undefined)}
          onWritten={onChanged}
        />
      )}
    </>
  );
}

function ToolList({ tools, tool }: { tools: readonly ToolRow[]; tool: string | null }) {
  const current = (name: string | null) => (name === tool ? { 'aria-current': 'true' as const } : {});
  return (
    <nav class="list-pane" aria-label="Tools">
      <ul class="list">
        <li>
          <a class="list-row" href="/settings" {...current(null)}>
            <span class="list-title">All tools</span>
          </a>
        </li>
        {tools.map((row) => (
          <li key={row.name}>
            <a class="list-row" href={settingsAddress(row.name)} {...current(row.name)}>
              <span class="list-title">
                <span class="name">{row.name}</span>
                {row.has_settings && <span class="lvl">own settings</span>}
              </span>
              <span class="list-facts">{usedWords(row)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function usedWords(row: ToolRow | undefined): string {
  if (row?.is_pattern) return 'pattern in a file';
  if (row === undefined || row.outputs === 0) return 'no output yet';
  return `${pluralize(row.outputs, 'output')} · ${formatCount(row.cut)} cut`;
}

function Notices({ problem, notices }: Pick<SettingsAnswer, 'problem' | 'notices'>) {
  return (
    <>
      {problem && (
        <p class="banner error" role="alert">
          <Icon of={WarningIcon} />
          <span>{problem} The last good settings are in force.</span>
        </p>
      )}
      {notices.map((notice) => (
        <p class="banner" key={notice}>
          <Icon of={WarningIcon} />
          <span>{notice}</span>
        </p>
      ))}
    </>
  );
}

/** `j` and `k` go through the tools. */
function useToolKeys(tools: readonly ToolRow[], tool: string | null): void {
  const names = [null, ...tools.map(({ name }) => name)];
  const move = (step: number) => {
    const next = names[Math.max(0, Math.min(names.length - 1, names.indexOf(tool) + step))];
    if (next !== undefined) navigate(settingsAddress(next));
  };
  useKeys({ 'row.next': () => move(1), 'row.previous': () => move(-1) });
}

/** What this inspector wrote into files of settings, each with a way to take it back. */
type Change = ChangesAnswer['changes'][number];

/** `stamp` changes with the files: what can be undone depends on them. */
function WrittenChanges({ stamp, onUndone }: { stamp: string; onUndone: () => void }) {
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
