/** A row a setting, a column a level; the value that counts is framed, and each says where it is from. */
import type { GivenValue, SettingField, SettingRow } from '../../../../spillway/src/inspector/api.ts';
import { settingWords } from '../../components/setting-words.ts';

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

export function LevelTable({ rows, fields, tool, onEdit }: LevelTableProps) {
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
