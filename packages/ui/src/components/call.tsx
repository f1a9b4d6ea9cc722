/** How a call is shown in lists: its tool as an icon, how it ended, how much of it the model read. */
import * as lucide from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { FetchedRange, OutputRow } from '../../../spillway/src/inspector/api.ts';
import { post } from '../data/api-client.ts';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  formatLines,
  formatShare,
} from '../data/figures.ts';
import { running } from '../data/live.ts';
import { useValue } from '../data/observable.ts';
import { attempt, say } from '../shell/page.ts';
import { outputAddress, sessionAddress } from '../shell/router.ts';
import { Button, Icon, type IconNode, Meter } from './controls.tsx';

const TOOL_ICONS: readonly (readonly [RegExp, IconNode])[] = [
  [/artifact|fetch/i, lucide.Download],
  [/search|grep|glob|find/i, lucide.Search],
  [/patch|edit|write|create/i, lucide.FilePlus2],
  [/read|file|view|list/i, lucide.FileText],
  [/exec|command|bash|shell|run|terminal/i, lucide.Terminal],
];

export function toolIcon(tool: string): IconNode {
  return TOOL_ICONS.find(([pattern]) => pattern.test(tool))?.[1] ?? lucide.Wrench;
}

const FAILURES = {
  ok: 'failed',
  error: 'failed',
  timeout: 'timed out',
  cancelled: 'cancelled',
  crashed: 'crashed',
};

/** How it ended, never by the colour alone: `exit 2`, `timed out`, `done`. A `pill` says `done` aloud. */
export function Outcome({ output, look = 'st line' }: { output: OutputRow; look?: 'st line' | 'pill' }) {
  const { failed, exit_code, signal, status } = output;
  const byCode = exit_code ? `exit ${exit_code}` : FAILURES[status];
  const words = !failed ? 'done' : status === 'timeout' ? FAILURES.timeout : (signal ?? byCode);
  return (
    <span class={`${look} ${failed ? 'error' : 'ok'}`}>
      <Icon of={failed ? lucide.CircleX : lucide.Check} size="s" />
      <span class={failed || look === 'pill' ? '' : 'sr'}>{words}</span>
    </span>
  );
}

/** A bar and `7.9 KB of 125 KB`, or `762 B, whole`. */
export function Reading({ output }: { output: OutputRow }) {
  const { shown, chars, bytes } = output;
  if (shown === null)
    return <span class="reading line dim">{formatBytes(bytes)}, unknown what was shown</span>;
  const part = shown.cut ? shown.chars : chars;
  return (
    <span class="reading line dim">
      <Meter part={part} of={chars} label={`${formatShare(part, chars)} shown`} />
      <span>
        {shown.cut ? `${formatBytes(part)} of ${formatBytes(chars)}` : `${formatBytes(bytes)}, whole`}
      </span>
    </span>
  );
}

/** Outputs as a list, with what was shown of each. */
export function Outputs({ items }: { items: readonly OutputRow[] }) {
  return (
    <ul class="outputs">
      {items.map((output) => (
        <OutputItem key={output.id} output={output} />
      ))}
    </ul>
  );
}

/** One output in a list. */
export function OutputItem({ output }: { output: OutputRow }) {
  return (
    <li class="output-row">
      <a href={outputAddress(output.id)} class="output-link line">
        <Icon of={toolIcon(output.tool)} />
        <Asked text={askedFor(output)} />
        <Outcome output={output} />
      </a>
      <span class="output-facts small">
        <Reading output={output} />
        <span class="dim clip">{output.tool}</span>
        <a class="dim clip" href={sessionAddress(output.session, output.id)}>
          {output.session}
        </a>
        <span>
          {output.fetches > 0 && (
            <span class="fetched later line">
              <Icon of={lucide.Download} size="s" />
              {formatCount(output.fetches)}
              <span class="sr"> times read later</span>
            </span>
          )}
          {output.revoked_at !== null && <span class="warning">handle revoked</span>}
        </span>
        <time class="dim" title={formatExact(output.started_at)}>
          {formatAgo(output.started_at)}
        </time>
      </span>
    </li>
  );
}

/** Outputs that are being captured, of one session or of all: how old they are and how large so far. */
export function Running({ session }: { session?: string }) {
  const rows = useValue(running).filter((row) => session === undefined || row.session === session);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (rows.length === 0) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [rows.length === 0]);
  if (rows.length === 0) return null;
  return (
    <ul class="outputs running" aria-label="Running now">
      {rows.map(({ id, tool, session: name, started_at, bytes }) => (
        <li key={id} class="output-row">
          <span class="output-link line">
            <Icon of={lucide.LoaderCircle} size="busy" />
            <code class="clip">{tool}</code>
            {session === undefined && <span class="dim clip">{name}</span>}
          </span>
          <span class="reading line dim">
            running for {formatDuration(Math.max(0, now - started_at))} · {formatBytes(bytes)} so far
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What the part is called that a result without others has. */
const ONLY_PART = /^(?:text|value)$/;

export function fetchedWords({ by, first_line, last_line, part }: FetchedRange): string {
  const where = part && !ONLY_PART.test(part) ? ` of ${part}` : '';
  if (first_line !== null && last_line !== null) return `lines ${formatLines(first_line, last_line)}${where}`;
  return by === 'all' ? `all${where}` : `by ${by.replaceAll('_', ' ')}${where}`;
}

/** The folders of a program that is called by its path. */
const PROGRAM = /^\/\S{20,}\/(?=[^\s/]+\s)/;

/** What the tool was asked for: the summary without the tool's name. */
export function askedFor({ summary, tool }: Pick<OutputRow, 'summary' | 'tool'>): string {
  const rest = summary.startsWith(tool) ? summary.slice(tool.length).replace(/^[\s:·—-]+/, '') : summary;
  return rest === '' ? tool : rest.replace(PROGRAM, '…/');
}

const PATH = /^[^\s/{"]*\/[^\s"]*$/;

/** What a tool was asked for, on one line. Of a path the end is shown where there is no room for all. */
export function Asked({ text }: { text: string }) {
  return (
    <code class={PATH.test(text) ? 'clip path-end' : 'clip'} title={text}>
      <bdi>{text.replace(PROGRAM, '…/')}</bdi>
    </code>
  );
}

/** Says of a suspected loss that it is none. It is noted in the ledger, so that every view knows. */
export function NotALoss({ id, onJudged }: { id: string; onJudged: () => void }) {
  const judge = async () => {
    if (!(await attempt(() => post('/api/outputs/:id/loss', { id, loss: false })))) return;
    say('Marked as no loss');
    onJudged();
  };
  return <Button onClick={judge}>Not a loss</Button>;
}
