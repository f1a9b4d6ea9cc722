/** How a call is shown in lists: its tool as an icon, how it ended, how much of it the model read. */
import type { FetchedRange, OutputRow } from '../../../spillway/src/inspector/api.ts';
import { formatBytes, formatLines, formatShare } from '../data/figures.ts';
import { Meter } from './bar.tsx';
import { Icon, type IconNode } from './icon.tsx';
import {
  CommandIcon,
  FailedIcon,
  FetchedIcon,
  FileIcon,
  OkIcon,
  PatchIcon,
  SearchIcon,
  ToolIcon,
} from './icons.ts';

const TOOL_ICONS: readonly (readonly [RegExp, IconNode])[] = [
  [/artifact|fetch/i, FetchedIcon],
  [/search|grep|glob|find/i, SearchIcon],
  [/patch|edit|write|create/i, PatchIcon],
  [/read|file|view|list/i, FileIcon],
  [/exec|command|bash|shell|run|terminal/i, CommandIcon],
];

export function toolIcon(tool: string): IconNode {
  return TOOL_ICONS.find(([pattern]) => pattern.test(tool))?.[1] ?? ToolIcon;
}

/** `exit 2`, `timed out`, `done`: never the colour alone. */
export function outcomeWords({ failed, exit_code, signal, status }: OutputRow): string {
  if (!failed) return 'done';
  if (status === 'timeout') return 'timed out';
  if (signal !== null) return signal;
  if (exit_code !== null && exit_code !== 0) return `exit ${exit_code}`;
  return { ok: 'failed', error: 'failed', timeout: 'timed out', cancelled: 'cancelled', crashed: 'crashed' }[
    status
  ];
}

export function Outcome({ output }: { output: OutputRow }) {
  const words = outcomeWords(output);
  return output.failed ? (
    <span class="st error">
      <Icon of={FailedIcon} size="s" />
      {words}
    </span>
  ) : (
    <span class="st ok">
      <Icon of={OkIcon} size="s" />
      <span class="sr">{words}</span>
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
