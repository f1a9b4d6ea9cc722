/** Settings that would have served better, with the outputs that say so, and one click to apply them. */
import { useState } from 'preact/hooks';
import type {
  AdviceRow,
  OutputsAnswer,
  SettingsAnswer,
  ToolSettingsAnswer,
} from '../../../../spillway/src/inspector/api.ts';
import { EditSetting } from '../../components/edit-setting.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { settingWords } from '../../components/setting-words.ts';
import { get } from '../../data/api-client.ts';
import { pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { outputAddress } from '../../shell/router.ts';
import { OutputItem } from '../outputs/output-item.tsx';

interface RecommendationsProps {
  readonly rows: readonly AdviceRow[];
  readonly none: string | null;
  readonly onApplied: () => void;
}

export function Recommendations({ rows, none, onApplied }: RecommendationsProps) {
  return (
    <section class="section" aria-label="Recommendations">
      <h2>To do</h2>
      {none !== null && <p class="hint">No recommendation. {none}</p>}
      {rows.map((row) => (
        <Recommendation key={`${row.tool} ${row.setting}`} row={row} onApplied={onApplied} />
      ))}
    </section>
  );
}

function Recommendation({ row, onApplied }: { row: AdviceRow; onApplied: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [isApplying, setApplying] = useState(false);
  const { tool, setting, current, value, sentence, evidence } = row;
  return (
    <article class="card advice">
      <div class="advice-head">
        <p>
          <code>{tool}</code> <code class="dim">{setting}</code>{' '}
          <span class="num">
            {settingWords(current)} → <b>{settingWords(value)}</b>
          </span>
        </p>
        <button type="button" class="btn pri" onClick={() => setApplying(true)}>
          Apply…
        </button>
      </div>
      <p>{sentence}</p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Evidence: {pluralize(evidence.length, 'output')}</summary>
        {isOpen && <Evidence tool={tool} ids={evidence} />}
      </details>
      {isApplying && <Apply row={row} onClose={() => setApplying(false)} onApplied={onApplied} />}
    </article>
  );
}

const MOST_OUTPUTS = 500;

function Evidence({ tool, ids }: { tool: string; ids: readonly string[] }) {
  const { data, error } = useResource(`evidence ${ids.join()}`, (signal) =>
    get<OutputsAnswer>('/api/outputs', { tool, limit: MOST_OUTPUTS }, signal),
  );
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  const rows = new Map(data.items.map((item) => [item.id, item]));
  return (
    <ul class="outputs">
      {ids.map((id) => {
        const row = rows.get(id);
        return row ? (
          <OutputItem key={id} output={row} />
        ) : (
          <li key={id} class="output-row">
            <a class="output-link" href={outputAddress(id)}>
              <code>{id}</code>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** The same dialog as in Settings, with the recommended value in its field. */
function Apply({ row, onClose, onApplied }: { row: AdviceRow; onClose: () => void; onApplied: () => void }) {
  const { tool, setting, value } = row;
  const { data } = useResource(`apply ${tool} ${setting}`, async (signal) => {
    const [all, own] = await Promise.all([
      get<SettingsAnswer>('/api/settings', {}, signal),
      get<ToolSettingsAnswer>('/api/settings/of', { tool }, signal),
    ]);
    const field = all.fields.find(({ name }) => name === setting);
    const current = own.rows.find(({ name }) => name === setting);
    return field && current ? { field, row: current } : undefined;
  });
  if (!data) return null;
  return <EditSetting {...data} tool={tool} proposed={value} onClose={onClose} onWritten={onApplied} />;
}
