/** The preview: one text under two settings, side by side, and what only one of them keeps. */
import * as lucide from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type {
  Answer,
  Body,
  OutputAnswer,
  OutputRow,
  PartRow,
  PartView,
  PreviewLine,
  PreviewResult,
  Scalar,
  SettingField,
  SettingsGiven,
} from '../../../../spillway/src/inspector/api.ts';
import { askedFor } from '../../components/call.tsx';
import { Button, Dialog, IconButton, LinkButton, Segments, Select } from '../../components/controls.tsx';
import { Empty, Loading, Problem, useWork, Working } from '../../components/empty.tsx';
import { type Findings, LogView, useFindings, useLines } from '../../components/log.tsx';
import { messageOf, SettingInput, WriteSettings } from '../../components/write-settings.tsx';
import { address, type Got, readLines, request } from '../../data/api-client.ts';
import { formatCount, formatDuration, formatLines, formatShare, pluralize } from '../../data/figures.ts';
import { useDelayed, useGet } from '../../data/resource.ts';
import type { Log } from '../../log/log.ts';
import { BARE, readBy, rowOfChar, viewFor } from '../../log/rows.ts';
import { attempt, usePage } from '../../shell/page.ts';
import { outputAddress, type Route, setQuery, writeGiven } from '../../shell/router.ts';

type Settings = Got<'/api/settings'>;
type Difference = Extract<PreviewLine, { type: 'difference' }>['parts'][number];

/** The settings of one variant, over those of the tool: strategy and limit always, others on demand. */
const ALWAYS = ['strategy', 'inline_limit'];

interface VariantEditorProps {
  readonly name: 'A' | 'B';
  readonly given: SettingsGiven;
  readonly inForce: SettingsGiven;
  readonly fields: readonly SettingField[];
  readonly onChange: (given: SettingsGiven) => void;
  /** What it shows, or what is wrong with it. */
  readonly children: ComponentChildren;
}

function VariantEditor({ name, given, inForce, fields, onChange, children }: VariantEditorProps) {
  const [invalid, setInvalid] = useState('');
  const shown = [...new Set([...ALWAYS, ...Object.keys(given)])];
  const left = fields.filter((field) => !shown.includes(field.name));
  const without = (setting: string) => {
    const { [setting]: _, ...rest } = given;
    onChange(rest);
  };
  return (
    <div class="bar-row row" onInput={(event) => setInvalid(messageOf(event.target))}>
      <div class="row">
        <strong>{name}</strong>
        {shown.map((setting) => {
          const field = fields.find((each) => each.name === setting);
          if (!field) return null;
          return (
            <span class="row variant-setting" key={setting}>
              <span class="dim">{setting}</span>
              <SettingInput
                field={field}
                label={`${setting} of ${name}`}
                value={given[setting] ?? inForce[setting]}
                onChange={(value) => onChange({ ...given, [setting]: value })}
              />
              {!ALWAYS.includes(setting) && (
                <IconButton
                  icon={lucide.X}
                  size=""
                  label={`Remove ${setting}`}
                  onClick={() => without(setting)}
                />
              )}
            </span>
          );
        })}
        <Select
          label={`Add a setting to ${name}`}
          value=""
          none="+ setting"
          options={left.map((field) => field.name)}
          onChange={(setting) => {
            const field = fields.find((each) => each.name === setting);
            if (field) onChange({ ...given, [setting]: inForce[setting] ?? field.default });
          }}
        />
      </div>
      {invalid ? <p class="variant-numbers error">{invalid}</p> : children}
    </div>
  );
}

interface NumbersProps {
  readonly result: PreviewResult | undefined;
  readonly problem: string | undefined;
  /** Of the text that is previewed. */
  readonly whole: Pick<OutputRow, 'chars' | 'lines'>;
  /** The other variant, to compare the cost with. */
  readonly other: PreviewResult | undefined;
}

/** What a variant costs, in chars and tokens, and what it keeps for that. */
function Numbers({ result, problem, whole, other }: NumbersProps) {
  if (problem) return <p class="variant-numbers error">{problem}</p>;
  if (!result) return <p class="variant-numbers dim">…</p>;
  const { chars, tokens, errors, warnings, cut, strategy, kept_lines, left_out_chars } = result;
  const more = tokens - (other?.tokens ?? tokens);
  return (
    <p class="variant-numbers num">
      <strong>{formatCount(chars)}</strong> chars, {formatShare(chars, whole.chars)} ·{' '}
      <strong>{formatCount(tokens)}</strong> tokens
      {more > 0 && <span class="dim"> (+{formatCount(more)})</span>} · keeps{' '}
      {errors && warnings ? (
        <>
          {formatCount(kept_lines)} of {pluralize(whole.lines, 'line')},{' '}
          <span class={errors.shown < errors.total ? 'error' : 'ok'}>
            {formatCount(errors.shown)} of {pluralize(errors.total, 'error')}
          </span>
          , {formatCount(warnings.shown)} of {pluralize(warnings.total, 'warning')}
        </>
      ) : (
        `${formatCount(whole.chars - left_out_chars)} of ${pluralize(whole.chars, 'char')}`
      )}
      <span class="dim"> · {cut ? strategy : 'whole'}</span>
    </p>
  );
}

/**
 * Works two variants out. What took less than 200 ms the last time is done again as a person types;
 * anything longer waits for a click. The last results stay until the next ones are there.
 */
const AT_ONCE_MS = 200;
const AT_ONCE_BYTES = 1_000_000;
const WAIT_MS = 120;

function usePreview(order: Body<'POST /api/preview'>, bytes: number) {
  const last = useRef<readonly Exclude<PreviewLine, { type: 'progress' }>[]>([]);
  const done = useRef('');
  const ofType = <T extends PreviewLine['type']>(type: T) =>
    last.current.filter((line) => line.type === type) as Extract<PreviewLine, { type: T }>[];
  const ms = ofType('done')[0]?.ms;
  const isQuick = ms === undefined ? bytes <= AT_ONCE_BYTES : ms <= AT_ONCE_MS;
  const key = useDelayed(JSON.stringify(order), WAIT_MS);
  const work = useWork<PreviewLine>(key, isQuick || done.current === key, (signal, onLine) =>
    readLines('/api/preview', order, signal, onLine),
  );
  if (work.data) [last.current, done.current] = [work.data, key];
  return {
    work,
    ms,
    result: (at: number) => ofType('variant').find(({ variant }) => variant === at)?.result,
    problem: (at: number) => ofType('problem').find(({ variant }) => variant === at)?.message,
    difference: ofType('difference')[0]?.parts,
  };
}

/** What one variant shows of a part: the log, folded as these settings would fold it. */
interface VariantLogProps {
  readonly name: string;
  readonly source: string;
  readonly part: PartRow;
  readonly views: readonly PartView[] | undefined;
  readonly findings: Findings | undefined;
  /** A line to bring into view; `turn` tells one wish from the next. */
  readonly wanted: { readonly line: number; readonly turn: number } | undefined;
}

function VariantLog({ name, source, part, views, findings, wanted }: VariantLogProps) {
  const log = useRef<Log | undefined>(undefined);
  const view = useMemo(() => viewFor(part, views), [part, views]);
  const [cursor, setCursor] = useState(0);
  const lines = useLines(source, part, log);
  const { errors, warnings } = (part.by === 'lines' && findings) || {};
  useEffect(() => {
    if (wanted) log.current?.goTo(wanted.line);
  }, [wanted]);
  return (
    <LogView
      label={`${name}: ${part.name}, ${pluralize(part.lines, 'line')}`}
      log={log}
      last={part.by === 'chars' ? part.chars : part.lines}
      facts={{
        ...BARE,
        ...{ lines, view, cursor, by: part.by, lineCount: part.lines },
        errors: errors?.lines ?? BARE.errors,
        warnings: warnings?.lines ?? BARE.warnings,
      }}
      onPick={setCursor}
      onCursor={setCursor}
    />
  );
}

/** What only one of the two variants keeps, as ranges that lead to the lines. */
const SHOWN_RANGES = 200;

interface OnlyProps {
  readonly name: string;
  readonly set: Difference['only_a'];
  readonly by: PartRow['by'];
  readonly onGo: (line: number) => void;
}

function Only({ name, set, by, onGo }: OnlyProps) {
  const isLines = by === 'lines' && set.lines > 0;
  const ranges = isLines ? set.ranges : set.char_ranges;
  const toRow = (first: number) => (by === 'chars' ? rowOfChar(first) : first);
  if (set.chars === 0 && set.lines === 0) return <span class="dim">Only {name} keeps: nothing</span>;
  return (
    <details class="only">
      <summary>
        Only {name} keeps:{' '}
        <strong>{isLines ? pluralize(set.lines, 'line') : pluralize(set.chars, 'char')}</strong>
      </summary>
      <ul>
        {ranges.slice(0, SHOWN_RANGES).map(([first, last]) => (
          <li key={first}>
            <LinkButton onClick={() => onGo(toRow(first))}>{formatLines(first, last)}</LinkButton>
          </li>
        ))}
        {ranges.length > SHOWN_RANGES && <li class="dim">and {ranges.length - SHOWN_RANGES} more ranges</li>}
      </ul>
    </details>
  );
}

const NAMES = ['A', 'B'] as const;
const TABS = { A: 'A', B: 'B', difference: 'Difference' };

export function PreviewView({ route }: { route: Route }) {
  usePage({ title: 'Preview' });
  const source = route.query.get('o') ?? undefined;
  const settings = useGet('/api/settings', {});
  const answer = useGet('/api/outputs/:id', source ? { id: source } : undefined);
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
          <div class="bar-row row">
            <SourceBar source={source} tool={tool} tools={toolNames(settings.data)} onTool={setTool} />
          </div>
          {answer.error && <Problem error={answer.error} />}
          {source && !answer.error && <Loading />}
          {!source && (
            <Empty title="Choose a text" icon={lucide.SlidersHorizontal}>
              <p>
                Choose a stored output, drop a file here, or paste a text. You will see it under two settings.
              </p>
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
  readonly settings: Settings;
  readonly route: Route;
  readonly tool: string;
  readonly onTool: (tool: string) => void;
}

function Compared({ answer, settings, route, tool, onTool }: ComparedProps) {
  const { output, parts } = answer;
  const name = tool || output.tool;
  const inForce = useGet('/api/settings/of', { tool: name }).data;
  const now = Object.fromEntries((inForce?.rows ?? []).map((row) => [row.name, row.value]));
  const variants = ['a', 'b'].map((each, index) => {
    const text = route.query.get(each);
    return text === null && index === 1 ? second(now) : readGiven(text, settings.fields);
  });
  const order = { source: output.id, tool: tool || undefined, variants, detail: 'full' as const };
  const preview = usePreview(order, output.bytes);
  const viewed = preview.result(0)?.views.map((view) => view.part);
  const part = useMemo(() => partOf(parts, viewed), [parts, viewed?.join()]);
  // The preview reads the findings as well: asked for after it, they are known.
  const found = useFindings(output.id, parts, viewed !== undefined);
  const findings = found.data?.find((each) => each.part === part?.index);
  const [wanted, setWanted] = useState<{ line: number; turn: number } | undefined>(undefined);
  const go = (line: number) => setWanted((before) => ({ line, turn: (before?.turn ?? 0) + 1 }));
  const difference = preview.difference?.find((each) => each.part === part?.index);
  const [tab, setTab] = useState<keyof typeof TABS>('A');
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <div class="bar-row row">
        <SourceBar source={output.id} tool={tool} tools={toolNames(settings)} onTool={onTool} />
        <Work preview={preview} chars={output.chars} />
      </div>
      <Segments
        class="preview-tabs"
        label="Show"
        value={tab}
        options={TABS}
        onChange={(each) => setTab(each)}
      />
      <div class={`variants at-${tab}`}>
        {NAMES.map((each, index) => (
          <section key={each} class={`variant is-${each}`} aria-label={`Settings ${each}`}>
            <VariantEditor
              name={each}
              given={variants[index] ?? {}}
              inForce={now}
              fields={settings.fields}
              onChange={(given) => setQuery({ [each.toLowerCase()]: writeGiven(given) })}
            >
              <Numbers
                result={preview.result(index)}
                problem={preview.problem(index)}
                whole={output}
                other={preview.result(1 - index)}
              />
            </VariantEditor>
            {part && (
              <VariantLog
                name={each}
                source={output.id}
                part={part}
                views={preview.result(index)?.views}
                findings={findings}
                wanted={wanted}
              />
            )}
          </section>
        ))}
      </div>
      <footer class={`preview-foot bar-row row at-${tab}`}>
        {part && difference && <Only name="A" set={difference.only_a} by={part.by} onGo={go} />}
        {part && difference && <Only name="B" set={difference.only_b} by={part.by} onGo={go} />}
        <a class="end" href={outputAddress(output.id)}>
          Open this output
        </a>
        <Button
          kind="pri"
          disabled={Object.keys(variants[1] ?? {}).length === 0}
          onClick={() => setSaving(true)}
        >
          Save B for {name}…
        </Button>
      </footer>
      {isSaving && (
        <WriteSettings
          title={`Save for ${name}`}
          tool={name}
          wanted={Object.entries(variants[1] ?? {}).map(([field, value]) => ({ field, value }))}
          onClose={() => setSaving(false)}
        >
          {(choice) => <div class="row edit-row">{choice}</div>}
        </WriteSettings>
      )}
    </>
  );
}

/** How long it took, or how far it is. */
function Work({ preview: { work, ms }, chars }: { preview: ReturnType<typeof usePreview>; chars: number }) {
  const { progress, problem } = work;
  return (
    <span class="row end dim" role="status">
      {problem && <span class="error">{problem}</span>}
      {progress !== undefined && (ms ?? 1_000) > AT_ONCE_MS && (
        <Working progress={progress} onStop={work.stop} />
      )}
      {!work.isAsked && (
        <Button kind="pri" onClick={work.ask}>
          Calculate
        </Button>
      )}
      {progress === undefined &&
        `${ms === undefined ? '' : `${formatDuration(ms)} · `}${pluralize(chars, 'char')}`}
    </span>
  );
}

/** What to compare with at first: the same with the plain end, or with twice the room. */
function second(now: SettingsGiven): SettingsGiven {
  return now.strategy === 'tail'
    ? { inline_limit: Number(now.inline_limit ?? 8_000) * 2 }
    : { strategy: 'tail' };
}

function toolNames({ tools }: Settings): string[] {
  return tools.filter(({ is_pattern }) => !is_pattern).map(({ name }) => name);
}

/** The part that was cut; else the longest that a model is shown. */
function partOf(parts: readonly PartRow[], viewed: readonly number[] | undefined): PartRow | undefined {
  const texts = parts.filter(({ is_shown, kind }) => is_shown && kind !== 'binary');
  const known = texts.filter(({ index }) => viewed?.includes(index) ?? true);
  const longest = (known.length > 0 ? known : texts).toSorted((a, b) => b.chars - a.chars)[0];
  return longest && readBy(longest);
}

/** Where the text of a preview comes from: a stored output, a file, or the clipboard. */
interface SourceBarProps {
  readonly source: string | undefined;
  readonly tool: string | undefined;
  readonly tools: readonly string[];
  readonly onTool: (tool: string) => void;
}

function SourceBar({ source, tool, tools, onTool }: SourceBarProps) {
  const [isPasting, setPasting] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const recent = useGet('/api/outputs', { limit: 50 }).data?.items ?? [];
  const listed = recent.map((output) => [output.id, `${askedFor(output)} · ${output.id.slice(-6)}`] as const);
  const isListed = source === undefined || listed.some(([id]) => id === source);
  return (
    <>
      <span class="row source-pick">
        Source
        <Select
          label="Source"
          value={source ?? ''}
          none={source === undefined ? 'choose an output' : undefined}
          options={isListed ? listed : [source, ...listed]}
          onChange={(id) => setQuery({ o: id })}
        />
      </span>
      <Button onClick={() => picker.current?.click()}>Choose or drop a file</Button>
      <input
        ref={picker}
        class="sr"
        type="file"
        tabIndex={-1}
        aria-label="A file to preview"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void take(file, file.name, tool);
        }}
      />
      <Button onClick={() => setPasting(true)}>Paste</Button>
      <span class="row">
        Tool
        <Select label="Tool" value={tool ?? ''} none="as recorded" options={tools} onChange={onTool} />
      </span>
      {isPasting && <Paste tool={tool} onClose={() => setPasting(false)} />}
    </>
  );
}

function Paste({ tool, onClose }: { tool: string | undefined; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const use = () => {
    const text = field.current?.value ?? '';
    onClose();
    if (text !== '') void take(new Blob([text]), 'pasted text', tool);
  };
  return (
    <Dialog title="Preview a text" onClose={onClose} action={{ words: 'Preview', onClick: use }}>
      <textarea ref={field} class="paste" aria-label="The text" rows={12} />
    </Dialog>
  );
}

/** Hands a text to the inspector, which keeps it while it runs, and shows it. */
async function take(body: Blob, name: string, tool: string | undefined): Promise<void> {
  await attempt(async () => {
    const headers = { 'content-type': 'application/octet-stream' };
    const url = address('/api/preview/texts', { name, tool });
    const response = await request(url, { method: 'POST', headers, body });
    setQuery({ o: ((await response.json()) as Answer<'POST /api/preview/texts'>).id });
  });
}

/** Settings of a variant from an address, each as the kind of value that its field has. */
function readGiven(text: string | null, fields: readonly SettingField[]): SettingsGiven {
  const entries = (text ?? '').split(',').flatMap((each) => {
    const [name = '', value = ''] = each.split(/:(.*)/s);
    const field = fields.find((known) => known.name === name);
    return field && value !== '' ? [[name, typedValue(field, value)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function typedValue({ kind }: SettingField, text: string): Scalar {
  if (kind === 'flag') return text === 'true';
  if (kind === 'choice' || kind === 'name') return text;
  return text === 'null' ? null : Number(text);
}
