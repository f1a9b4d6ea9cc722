/** How a call is shown in lists: its tool as an icon, how it ended, how much of it the model read. */
import type { FetchedRange, OutputRow } from '../../../spillway/src/inspector/api.ts';
import { post } from '../data/api-client.ts';
import { formatBytes, formatLines, formatShare } from '../data/figures.ts';
import { attempt, say } from '../shell/toast.ts';
import { Button, Meter } from './controls.tsx';
import { Icon, type IconNode } from './icon.tsx';
import * as icons from './icons.ts';

const TOOL_ICONS: readonly (readonly [RegExp, IconNode])[] = [
  [/artifact|fetch/i, icons.FetchedIcon],
  [/search|grep|glob|find/i, icons.SearchIcon],
  [/patch|edit|write|create/i, icons.PatchIcon],
  [/read|file|view|list/i, icons.FileIcon],
  [/exec|command|bash|shell|run|terminal/i, icons.CommandIcon],
];

export function toolIcon(tool: string): IconNode {
  return TOOL_ICONS.find(([pattern]) => pattern.test(tool))?.[1] ?? icons.ToolIcon;
}

const FAILURES = {
  ok: 'failed',
  error: 'failed',
  timeout: 'timed out',
  cancelled: 'cancelled',
  crashed: 'crashed',
};

/** `exit 2`, `timed out`, `done`: never the colour alone. */
export function outcomeWords({ failed, exit_code, signal, status }: OutputRow): string {
  if (!failed) return 'done';
  if (status !== 'timeout' && signal !== null) return signal;
  return status !== 'timeout' && exit_code ? `exit ${exit_code}` : FAILURES[status];
}

export function Outcome({ output }: { output: OutputRow }) {
  const words = outcomeWords(output);
  return (
    <span class={output.failed ? 'st error' : 'st ok'}>
      <Icon of={output.failed ? icons.FailedIcon : icons.OkIcon} size="s" />
      <span class={output.failed ? '' : 'sr'}>{words}</span>
    </span>
  );
}

/** A bar and `7.9 KB of 125 KB`, or `762 B, whole`. */
export function Reading({ output }: { output: OutputRow }) {
  const { shown, chars, bytes } = output;
  if (shown === null) return <span class="reading dim">{formatBytes(bytes)}, not known what was shown</span>;
  const part = shown.cut ? shown.chars : chars;
  return (
    <span class="reading">
      <Meter part={part} of={chars} label={`${formatShare(part, chars)} shown`} />
      <span>
        {shown.cut ? `${formatBytes(part)} of ${formatBytes(chars)}` : `${formatBytes(bytes)}, whole`}
      </span>
    </span>
  );
}

export function fetchedWords({ by, first_line, last_line, part }: FetchedRange): string {
  const where = part ? ` of ${part}` : '';
  if (first_line !== null && last_line !== null) return `lines ${formatLines(first_line, last_line)}${where}`;
  return by === 'all' ? `all${where}` : `by ${by.replaceAll('_', ' ')}${where}`;
}

/** What the tool was asked for: the summary without the tool's name. */
export function askedFor({ summary, tool }: Pick<OutputRow, 'summary' | 'tool'>): string {
  const rest = summary.startsWith(tool) ? summary.slice(tool.length).replace(/^[\s:·—-]+/, '') : summary;
  return rest === '' ? tool : rest;
}

/** What a tool was asked for, on one line. Of a path the end is shown where there is no room for all. */
export function Asked({ text }: { text: string }) {
  return (
    <code class={/^[^\s/]*\/\S*$/.test(text) ? 'clip path-end' : 'clip'} title={text}>
      <bdi>{text}</bdi>
    </code>
  );
}

/** Says of a suspected loss that it is none. It is noted in the ledger, so that every view knows. */
export function NotALoss({ id, onJudged }: { id: string; onJudged: () => void }) {
  const judge = async () => {
    if (!(await attempt(() => post('/api/outputs/:id/loss', { id, loss: false })))) return;
    say('Noted: nothing was lost');
    onJudged();
  };
  return <Button onClick={judge}>Not a loss</Button>;
}
