/** The preview: one text under two settings, side by side, and what only one of them keeps. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type {
  FindingsAnswer,
  OutputAnswer,
  PartRow,
  SettingsAnswer,
  SettingsGiven,
  ToolSettingsAnswer,
} from '../../../../spillway/src/inspector/api.ts';
import { Empty, Loading, Problem } from '../../components/empty.tsx';
import { PreviewIcon } from '../../components/icons.ts';
import { Working } from '../../components/working.tsx';
import { WriteSettings } from '../../components/write-settings.tsx';
import { get } from '../../data/api-client.ts';
import { formatCount, formatDuration } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { usePage } from '../../shell/page.ts';
import { outputAddress, type Route, setQuery } from '../../shell/router.ts';
import { readBy } from '../result/folding.ts';
import { useFindings } from '../result/use-findings.ts';
import { Difference } from './difference.tsx';
import { readGiven, writeGiven } from './given.ts';
import { SourceBar, take } from './source-bar.tsx';
import { usePreview } from './use-preview.ts';
import { VariantEditor } from './variant-editor.tsx';
import { VariantLog } from './variant-log.tsx';

const NAMES = ['A', 'B'] as const;

export function PreviewView({ route }: { route: Route }) {
  usePage({ title: 'Preview' });
  const source = route.query.get('o') ?? undefined;
  const settings = useResource('settings', (signal) => get<SettingsAnswer>('/api/settings', {}, signal));
  const answer = useResource(source && `output ${source}`, (signal) =>
    get<OutputAnswer>(`/api/outputs/${encodeURIComponent(source ?? '')}`, {}, signal),
  );
  const [tool, setTool] = useState('');
  useDrop((file) => void take(file, file.name, tool || undefined));
  if (settings.error) return <Problem error={settings.error} retry={settings.reload} />;
  if (!settings.data) return <Loading />;
  return (
    <div class="preview">
      <h1 class="sr">Preview</h1>
      {answer.data ? (
        <Compared
          key={source}
          answer={answer.data}
          settings={settings.data}
          route={route}
          tool={tool}
          onTool={setTool}
        />
      ) : (
        <>
          <div class="preview-source">
            <SourceBar source={source} tool={tool} tools={toolNames(settings.data)} onTool={setTool} />
          </div>
          {answer.error ? (
            <Problem error={answer.error} />
          ) : source ? (
            <Loading />
          ) : (
            <Empty title="Which text?" icon={PreviewIcon}>
              <p>Choose a stored output, drop a file here, or paste a text, and see it under two settings.</p>
            </Empty>
          )}
        </>
      )}
    </div>
  );
}

/** A file that is dropped anywhere on the page. */
function useDrop(onFile: (file: File) => void): void {
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragover', (event) => event.preventDefault(), { signal });
    addEventListener(
      'drop',
      (event) => {
        event.preventDefault();
        const file = event.dataTransfer?.files[0];
        if (file) latest.current(file);
      },
      { signal },
    );
    return () => listening.abort();
  }, []);
}

interface ComparedProps {
  readonly answer: OutputAnswer;
  readonly settings: SettingsAnswer;
  readonly route: Route;
  readonly tool: string;
  readonly onTool: (tool: string) => void;
}

function Compared({ answer, settings, route, tool, onTool }: ComparedProps) {
  const { output, parts } = answer;
  const name = tool || output.tool;
  const inForce = useResource(`settings of ${name}`, (signal) =>
    get<ToolSettingsAnswer>('/api/settings/of', { tool: name }, signal),
  ).data;
  const now = Object.fromEntries((inForce?.rows ?? []).map((row) => [row.name, row.value]));
  const variants = ['a', 'b'].map((each, index) => {
    const text = route.query.get(each);
    return text === null && index === 1 ? second(now) : readGiven(text, settings.fields);
  });
  const preview = usePreview({ source: output.id, bytes: output.bytes, tool: tool || undefined, variants });
  const viewed = preview.results[0]?.views.map((view) => view.part);
  const part = useMemo(() => partOf(parts, viewed), [parts, viewed?.join()]);
  const findings = useFindings(output.id, parts).data?.find((each) => each.part === part?.index);
  const [wanted, setWanted] = useState<{ line: number; turn: number } | undefined>(undefined);
  const [tab, setTab] = useState<'A' | 'B' | 'difference'>('A');
  const [isSaving, setSaving] = useState(false);
  const change = (index: number, given: SettingsGiven) =>
    setQuery({ [index === 0 ? 'a' : 'b']: writeGiven(given) });
  return (
    <>
      <div class="preview-source">
        <SourceBar source={output.id} tool={tool} tools={toolNames(settings)} onTool={onTool} />
        <Work preview={preview} chars={output.chars} />
      </div>
      <Tabs tab={tab} onTab={setTab} />
      <div class={`variants at-${tab}`}>
        {NAMES.map((each, index) => (
          <section key={each} class={`variant is-${each}`} aria-label={`Settings ${each}`}>
            <VariantEditor
              name={each}
              given={variants[index] ?? {}}
              inForce={now}
              fields={settings.fields}
              result={preview.results[index]}
              problem={preview.problems[index]}
              onChange={(given) => change(index, given)}
            />
            {part && (
              <VariantLog
                name={each}
                source={output.id}
                part={part}
                views={preview.results[index]?.views}
                {...linesOf(part.by === 'lines' ? findings : undefined)}
                wanted={wanted}
              />
            )}
          </section>
        ))}
      </div>
      <footer class={`preview-foot at-${tab}`}>
        {part && (
          <Difference
            parts={preview.difference}
            part={part}
            onGo={(line) => setWanted((before) => ({ line, turn: (before?.turn ?? 0) + 1 }))}
          />
        )}
        <a class="end" href={outputAddress(output.id)}>
          Open the output
        </a>
        <button
          type="button"
          class="btn pri"
          disabled={Object.keys(variants[1] ?? {}).length === 0}
          onClick={() => setSaving(true)}
        >
          Save B for {name}…
        </button>
      </footer>
      {isSaving && (
        <WriteSettings
          title={`Save for ${name}`}
          tool={name}
          wanted={Object.entries(variants[1] ?? {}).map(([field, value]) => ({ field, value }))}
          onClose={() => setSaving(false)}
        >
          {(choice) => <div class="edit-row">{choice}</div>}
        </WriteSettings>
      )}
    </>
  );
}

/** How long it took, or how far it is. */
function Work({ preview, chars }: { preview: ReturnType<typeof usePreview>; chars: number }) {
  const { ms, progress, error, isStale, run, cancel } = preview;
  return (
    <span class="preview-work" role="status">
      {error && <span class="error">{error}</span>}
      {progress !== undefined && (ms ?? 1_000) > 200 && <Working progress={progress} onStop={cancel} />}
      {isStale && (
        <button type="button" class="btn pri" onClick={run}>
          Work it out
        </button>
      )}
      {progress === undefined && ms !== undefined && `${formatDuration(ms)} · `}
      {progress === undefined && `${formatCount(chars)} chars`}
    </span>
  );
}

function Tabs({ tab, onTab }: { tab: string; onTab: (tab: 'A' | 'B' | 'difference') => void }) {
  return (
    <fieldset class="seg preview-tabs" aria-label="Show">
      {(['A', 'B', 'difference'] as const).map((each) => (
        <button key={each} type="button" aria-pressed={tab === each} onClick={() => onTab(each)}>
          {each === 'difference' ? 'Difference' : each}
        </button>
      ))}
    </fieldset>
  );
}

/** What to compare with at first: the same with the plain end, or with twice the room. */
function second(now: SettingsGiven): SettingsGiven {
  return now.strategy === 'tail'
    ? { inline_limit: Number(now.inline_limit ?? 8_000) * 2 }
    : { strategy: 'tail' };
}

function toolNames({ tools }: SettingsAnswer): string[] {
  return tools.filter(({ is_pattern }) => !is_pattern).map(({ name }) => name);
}

/** The part that was cut; else the longest that a model is shown. */
function partOf(parts: readonly PartRow[], viewed: readonly number[] | undefined): PartRow | undefined {
  const texts = parts.filter(({ is_shown, kind }) => is_shown && kind !== 'binary');
  const known = texts.filter(({ index }) => viewed?.includes(index) ?? true);
  const longest = (known.length > 0 ? known : texts).toSorted((a, b) => b.chars - a.chars)[0];
  return longest && readBy(longest);
}

const NO_LINES: readonly number[] = [];

function linesOf(findings: FindingsAnswer | undefined) {
  return {
    errorLines: findings?.errors.lines ?? NO_LINES,
    warningLines: findings?.warnings.lines ?? NO_LINES,
  };
}
