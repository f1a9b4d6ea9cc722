/** Settings: the tools, and for one of them every setting with its value at each level. */
import * as lucide from 'lucide';
import { useState } from 'preact/hooks';
import type { SettingField, SettingRow } from '../../../../spillway/src/inspector/api.ts';
import { Banner, Button, FilterField, LinkButton, Segments, Table } from '../../components/controls.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { EditSetting, settingWords } from '../../components/write-settings.tsx';
import { type Got, post } from '../../data/api-client.ts';
import { formatCount, formatTime, pluralize } from '../../data/figures.ts';
import { useLiveEvents, useLiveSettings } from '../../data/live.ts';
import { useGet } from '../../data/resource.ts';
import { useItemKeys } from '../../shell/keys.ts';
import { attempt, say, usePage } from '../../shell/page.ts';
import { navigate, type Route } from '../../shell/router.ts';

type ToolRow = Got<'/api/settings'>['tools'][number];

/** The weakest first. */
const LEVELS = [
  { level: 'system', name: 'System', means: 'Built into Spillway, or from a profile' },
  { level: 'user', name: 'User', means: 'For all tools, from a file or a variable' },
  { level: 'tool', name: 'Tool', means: 'For this tool or a pattern that fits it' },
  { level: 'task', name: 'Task', means: 'Given by the program for one session' },
] as const;

function Given({ given }: { given: SettingRow['given'][number] }) {
  const { level, value, source, tool, wins } = given;
  return (
    <span class={wins ? `given wins ${level}` : 'given'}>
      <b>{settingWords(value)}</b>
      {wins && <span class="sr"> counts, from</span>}
      <span class="source small dim">
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
  const all = useGet('/api/settings', {});
  const own = useGet('/api/settings/of', { tool });
  const reload = () => {
    all.reload();
    own.reload();
  };
  useLiveSettings(reload);
  useLiveEvents(all.reload);
  usePage({ title: tool === null ? 'Settings' : `Settings of ${tool}` });
  const names = all.data?.tools.map(({ name }) => name) ?? [];
  useItemKeys([null, ...names], tool, (name) => navigate(settingsAddress(name)));
  const error = all.error ?? own.error;
  if (error) return <Problem error={error} retry={reload} />;
  if (!all.data) return <Loading />;
  return (
    <div class="split settings">
      <ToolList tools={all.data.tools} tool={tool} />
      <section
        class="item-pane scroll"
        aria-label={tool === null ? 'Settings for all tools' : `Settings of ${tool}`}
      >
        <header class="session-head row">
          <h1>{tool ?? 'All tools'}</h1>
          <p class="dim">
            {tool === null
              ? 'These apply to every tool that has no settings of its own.'
              : usedWords(all.data.tools.find(({ name }) => name === tool))}
          </p>
        </header>
        {all.data.problem && (
          <Banner icon={lucide.TriangleAlert} tone="error">
            {all.data.problem} The last valid settings apply.
          </Banner>
        )}
        {all.data.notices.map((notice) => (
          <Banner key={notice} icon={lucide.TriangleAlert}>
            {notice}
          </Banner>
        ))}
        <WrittenChanges onUndone={reload} stamp={all.data.files.map(({ hash }) => hash).join()} />
        {own.data ? (
          <Levels key={tool} fields={all.data.fields} rows={own.data.rows} tool={tool} onChanged={reload} />
        ) : (
          <Loading />
        )}
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

/** What people change on their first day. */
const FIRST = ['inline_limit', 'strategy', 'preserve_errors', 'redact', 'page_limit'];
const WHICH = { first: 'First five', changed: 'Changed', all: 'All (advanced)' };

/**
 * The settings as a table with a column for each level: the first five, those that are set, or all.
 * A word is looked for in all of them.
 */
function Levels({ fields, rows, tool, onChanged }: LevelsProps) {
  const [edited, setEdited] = useState('');
  const [text, setText] = useState('');
  const [which, setWhich] = useState<keyof typeof WHICH>('first');
  const docs = new Map(fields.map(({ name, doc }) => [name, doc]));
  const wanted = text.trim().toLowerCase();
  const first = FIRST.flatMap((name) => rows.filter((row) => row.name === name));
  const shown = (which === 'first' && wanted === '' ? first : rows).filter(
    ({ name, level }) =>
      (which !== 'changed' || level !== 'system') &&
      `${name} ${docs.get(name)}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div class="settings-filter row">
        <FilterField hasKey label="Filter settings by name or meaning" value={text} onChange={setText} />
        <Segments label="Which settings" value={which} options={WHICH} onChange={(each) => setWhich(each)} />
        <span class="hint num" role="status">
          {shown.length < rows.length && `${shown.length} of `}
          {rows.length} settings
        </span>
      </div>
      {shown.length === 0 ? (
        <p class="hint list-none">No setting matches this filter.</p>
      ) : (
        <Table
          class="levels cards"
          caption={`Settings ${tool === null ? 'for all tools' : `of ${tool}`}: the value at each level`}
          rows={shown}
          keyOf={({ name }) => name}
          columns={[
            {
              name: 'Setting',
              of: ({ name }) => (
                <>
                  <code>{name}</code>
                  <span class="hint block">{docs.get(name)}</span>
                </>
              ),
            },
            ...LEVELS.map(({ level, name, means }) => ({
              name,
              title: means,
              isText: true,
              of: ({ given }: SettingRow) =>
                given
                  .filter((one) => one.level === level)
                  .map((one) => <Given key={one.source} given={one} />),
            })),
            {
              name: '',
              of: (row) => (
                <LinkButton label={`Change ${row.name}`} onClick={() => setEdited(row.name)}>
                  Change…
                </LinkButton>
              ),
            },
          ]}
        />
      )}
      {edited !== '' && (
        <EditSetting name={edited} tool={tool} onClose={() => setEdited('')} onWritten={onChanged} />
      )}
    </>
  );
}

function ToolList({ tools, tool }: { tools: readonly ToolRow[]; tool: string | null }) {
  return (
    <nav class="list-pane" aria-label="Tools">
      <ul class="list scroll">
        <li>
          <a class="list-row" href="/settings" aria-current={tool === null ? 'true' : undefined}>
            <b>All tools</b>
          </a>
        </li>
        {tools.map((row) => (
          <li key={row.name}>
            <a
              class="list-row"
              href={settingsAddress(row.name)}
              aria-current={row.name === tool ? 'true' : undefined}
            >
              <b class="line">
                <span class="clip">{row.name}</span>
                {row.has_settings && <span class="lvl end">own settings</span>}
              </b>
              <span class="dim small">{usedWords(row)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function usedWords(row: ToolRow | undefined): string {
  if (row?.is_pattern) return 'a pattern from a file';
  if (row === undefined || row.outputs === 0) return 'no output yet';
  return `${pluralize(row.outputs, 'output')} · ${formatCount(row.cut)} cut`;
}

/** What this inspector wrote into files of settings, each with a way to take it back. */
type Change = Got<'/api/settings/changes'>['changes'][number];

/** `stamp` changes with the files: what can be undone depends on them. */
function WrittenChanges({ stamp, onUndone }: { stamp: string; onUndone: () => void }) {
  const { data, reload } = useGet('/api/settings/changes', {}, { stamp });
  if (!data || data.changes.length === 0) return null;
  const undo = async ({ change, file }: Change) => {
    if (await attempt(() => post('/api/settings/undo', { change }))) say(`${file} is as it was before`);
    reload();
    onUndone();
  };
  return (
    <section class="section">
      <h2>Changed here</h2>
      <ul class="written rows">
        {data.changes.map((change) => (
          <li key={change.change} class="between">
            <span>
              <code>{change.field}</code>{' '}
              {change.value === null ? 'removed' : <b>{settingWords(change.value)}</b>}
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
  if (!change.can_undo) return <span class="hint">the file has changed since</span>;
  return (
    <Button label={`Undo ${change.field}`} onClick={onUndo}>
      Undo
    </Button>
  );
}
