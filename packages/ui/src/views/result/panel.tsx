/** The panel beside a log: why, what else, under which settings, and what happened. */
import * as lucide from 'lucide';
import type { OutputAnswer, PreviewLine, PreviewResult } from '../../../../spillway/src/inspector/api.ts';
import { Icon, type IconNode, Share, Table } from '../../components/controls.tsx';
import { WorkState } from '../../components/empty.tsx';
import { settingWords } from '../../components/write-settings.tsx';
import {
  formatBytes,
  formatCount,
  formatExact,
  formatLines,
  formatTime,
  pluralize,
} from '../../data/figures.ts';
import type { PartUnit } from '../../log/line-cache.ts';
import { type LineSpan, ROW_CHARS } from '../../log/rows.ts';
import { previewAddress } from '../../shell/router.ts';
import type { KeptBlock, LogState } from './log-state.ts';

type OutputEvent = OutputAnswer['events'][number];

const FIRST_SETTINGS = ['strategy', 'inline_limit', 'preserve_errors'];

export function Panel({ answer, state: { why, variants, work } }: { answer: OutputAnswer; state: LogState }) {
  return (
    <aside class="panel scroll small" aria-label="About this result">
      <Why {...why} />
      {answer.output.chars > 0 && !why.isBinary && (
        <OtherSettings id={answer.output.id} variants={variants} work={work} />
      )}
      <InForce answer={answer} />
      <Happened answer={answer} />
    </aside>
  );
}

function InForce({ answer: { settings, output } }: { answer: OutputAnswer }) {
  const first = FIRST_SETTINGS.flatMap((name) => settings.filter((setting) => setting.name === name));
  const given = settings.filter((setting) => setting.level !== 'system' && !first.includes(setting));
  return (
    <section>
      <h2>Settings in force</h2>
      <ul class="set">
        {[...first, ...given].slice(0, 8).map((setting) => (
          <Setting key={setting.name} setting={setting} />
        ))}
      </ul>
      <p class="more">
        <a href={`/settings/${encodeURIComponent(output.tool)}`}>
          All {settings.length} settings of {output.tool}
        </a>
      </p>
    </section>
  );
}

function Setting({
  setting: { name, value, level, source, now },
}: {
  setting: OutputAnswer['settings'][number];
}) {
  return (
    <li>
      <span class="between">
        <code>{name}</code>
        <b>{settingWords(value)}</b>
      </span>
      <span class="dim">
        <span class={`lvl ${level}`}>{level}</span> {source}
        {now !== undefined && <> · now {settingWords(now)}</>}
      </span>
    </li>
  );
}

function Happened({ answer: { output, events } }: { answer: OutputAnswer }) {
  return (
    <section>
      <h2>What happened to it</h2>
      <ol class="ev">
        {events.map((event) => (
          <Happening
            key={`${event.type} ${event.at} ${JSON.stringify(event.data)}`}
            event={event}
            bytes={output.bytes}
          />
        ))}
      </ol>
    </section>
  );
}

function Happening({ event: { type, at, data }, bytes }: { event: OutputEvent; bytes: number }) {
  const chars = typeof data.chars === 'number' ? `${formatCount(data.chars)} chars` : '';
  const audience = data.audience ?? 'model';
  const known: Readonly<Record<string, readonly [IconNode, what: string, ...rest: string[]]>> = {
    captured: [lucide.Database, 'Stored whole', formatBytes(bytes)],
    projected: [
      lucide.Scissors,
      audience === 'model' ? 'Shown to the model' : `Shown to ${audience}`,
      chars,
      data.cut === true ? 'cut' : 'whole',
    ],
    fetched: [lucide.Download, 'Read later', fetchedLines(data), chars],
    reexecuted: [lucide.Repeat, 'The call was repeated'],
    revoked: [lucide.TriangleAlert, 'The handle was revoked'],
  };
  const [icon, what, ...rest] = known[type] ?? [lucide.TriangleAlert, type.replaceAll('_', ' '), chars];
  return (
    <li class={type === 'fetched' ? 'fetched' : ''}>
      <Icon of={icon} />
      <span>
        <b>{what}</b>
        {rest.filter(Boolean).map((words) => `, ${words}`)}
      </span>
      <time class="dim" title={formatExact(at)}>
        {formatTime(at)}
      </time>
    </li>
  );
}

function fetchedLines(data: OutputEvent['data']): string {
  const first = data.first_line ?? data.start_line ?? data.from_line;
  const last = data.last_line ?? data.end_line ?? data.to_line;
  if (typeof first === 'number' && typeof last === 'number') return `lines ${formatLines(first, last)}`;
  return typeof data.by === 'string' ? data.by.replaceAll('_', ' ') : '';
}

/**
 * Why the block at the cursor is kept: its causes by score, each explained when it is opened. For a
 * gap: what it holds.
 */
function Why({ work, decision, by, block, span, held, isCut, isBinary }: LogState['why']) {
  const state = isBinary
    ? ['Its content was not shown', 'It is not text. The model was told its type and size.']
    : isCut === undefined
      ? ['It is unknown what was shown', 'The result was imported, or no request has used it yet.']
      : isCut === false
        ? ['Nothing was left out', 'The result is within its limits, so the model read all of it.']
        : undefined;
  if (state)
    return (
      <section>
        <h2>{state[0]}</h2>
        <p class="hint">{state[1]}</p>
      </section>
    );
  if (span && held) return <WhyNot span={span} held={held} by={by} />;
  return (
    <section>
      <h2>{span ? `Why ${linesWords(span, by)} kept` : 'Why lines are kept'}</h2>
      {by === 'chars' ? (
        <p class="hint">Reasons are given line by line, and the lines of this part are too long for that.</p>
      ) : work.data ? (
        <Causes causes={block?.causes ?? []} />
      ) : (
        <p class="hint">This is worked out with what other settings would show.</p>
      )}
      {decision && <p class="hint">{decision}.</p>}
    </section>
  );
}

function linesWords({ first, last }: LineSpan, by: PartUnit['by']): string {
  if (by === 'chars') return `chars ${charsWords(first, last)} are`;
  return first === last ? `line ${formatLines(first, last)} is` : `lines ${formatLines(first, last)} are`;
}

function charsWords(first: number, last: number): string {
  return formatLines((first - 1) * ROW_CHARS + 1, last * ROW_CHARS);
}

function Causes({ causes }: Pick<KeptBlock, 'causes'>) {
  if (causes.length === 0)
    return <p class="hint">Nothing was weighed here: this strategy always shows these lines.</p>;
  const most = Math.max(...causes.map(({ score }) => score), 0.001);
  return (
    <>
      <p class="hint">
        What counted for these lines, the most important first. Open a row to see what it means.
      </p>
      {causes.map(({ cause, score, means }) => (
        <details class="cause" key={cause}>
          <summary>
            <span>{cause}</span>
            <span class="bar">
              <Share of={score / most} />
            </span>
            <b>{score.toFixed(1)}</b>
          </summary>
          <p class="hint">{means}</p>
        </details>
      ))}
    </>
  );
}

interface WhyNotProps {
  readonly span: LineSpan;
  readonly held: { readonly errors: number; readonly warnings: number };
  readonly by: PartUnit['by'];
}

function WhyNot({ span: { first, last }, held: { errors, warnings }, by }: WhyNotProps) {
  const held = [
    errors > 0 && pluralize(errors, 'error'),
    warnings > 0 && pluralize(warnings, 'warning'),
  ].filter(Boolean);
  return (
    <section>
      <h2>
        {by === 'chars' ? `Chars ${charsWords(first, last)}` : `Lines ${formatLines(first, last)}`} were left
        out
      </h2>
      <p class="hint">
        {held.length > 0 && `They hold ${held.join(' and ')}. `}
        What is shown counted more, and the limit had no room for both. Other settings may show them.
      </p>
    </section>
  );
}

type Variants = Extract<PreviewLine, { type: 'variant' }>;

/** What other settings would have shown of the same output: five lines of numbers. */
function OtherSettings({ id, variants, work }: { id: string } & Pick<LogState, 'variants' | 'work'>) {
  const now = variants.find(({ isNow }) => isNow) ?? variants[1];
  const resultOf = (at: number) =>
    work.data?.find((line) => line.type === 'variant' && line.variant === at) as Variants | undefined;
  return (
    <section>
      <h2>What other settings would show</h2>
      <WorkState work={work} />
      {work.isAsked && (
        <Table
          class="wi"
          rows={variants.map((variant, at) => ({ ...variant, result: resultOf(at)?.result }))}
          keyOf={({ strategy, limit }) => `${strategy} ${limit}`}
          classOf={({ isNow }) => (isNow ? 'now' : '')}
          columns={[
            {
              name: 'Settings',
              of: ({ strategy, limit }) => (
                <>
                  {strategy} <b>{formatCount(limit)}</b>
                </>
              ),
            },
            { name: 'Tokens', of: ({ result }) => (result ? formatCount(result.tokens) : '…') },
            { name: 'Errors', of: ({ result }) => result && shareOf(result.errors) },
            { name: 'Warnings', of: ({ result }) => result && shareOf(result.warnings) },
          ]}
        />
      )}
      <p class="more">
        <a href={previewAddress(id, now?.settings ?? {}, variants.at(-1)?.settings ?? {})}>
          Compare two of them
        </a>
      </p>
    </section>
  );
}

function shareOf(counted: PreviewResult['errors']): string {
  return counted === null ? '—' : `${formatCount(counted.shown)}/${formatCount(counted.total)}`;
}
