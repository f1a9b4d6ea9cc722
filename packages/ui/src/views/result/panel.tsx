/** The panel beside a log: why, what else, under which settings, and what happened. */
import type { OutputAnswer, OutputEvent, SettingInForce } from '../../../../spillway/src/inspector/api.ts';
import { Icon, type IconNode } from '../../components/icon.tsx';
import { AgainIcon, CutIcon, FetchedIcon, StoredIcon, WarningIcon } from '../../components/icons.ts';
import { settingWords } from '../../components/setting-words.ts';
import { formatBytes, formatCount, formatExact, formatLines, formatTime } from '../../data/figures.ts';
import { OtherSettings } from './other-settings.tsx';
import { Why, type WhyProps } from './why.tsx';

interface PanelProps {
  readonly answer: OutputAnswer;
  readonly why: WhyProps;
  readonly isReady: boolean;
}

const FIRST_SETTINGS = ['strategy', 'inline_limit', 'preserve_errors'];

export function Panel({ answer, why, isReady }: PanelProps) {
  return (
    <aside class="panel" aria-label="About this result">
      <Why {...why} />
      {answer.output.chars > 0 && (
        <OtherSettings answer={answer} isWanted={isReady && why.reasons.isSettled} />
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

function Setting({ setting: { name, value, level, source, now } }: { setting: SettingInForce }) {
  return (
    <li>
      <code>{name}</code>
      <b>{settingWords(value)}</b>
      <span>
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

function Happening({ event, bytes }: { event: OutputEvent; bytes: number }) {
  const { icon, what, rest, tone } = eventWords(event, bytes);
  return (
    <li class={tone}>
      <Icon of={icon} />
      <span>
        <b>{what}</b>
        {rest && `, ${rest}`}
      </span>
      <time title={formatExact(event.at)}>{formatTime(event.at)}</time>
    </li>
  );
}

interface EventWords {
  readonly icon: IconNode;
  readonly what: string;
  readonly rest: string;
  readonly tone?: string;
}

function eventWords({ type, data }: OutputEvent, bytes: number): EventWords {
  const chars = typeof data.chars === 'number' ? `${formatCount(data.chars)} chars` : '';
  const joined = (...parts: (string | false)[]) => parts.filter(Boolean).join(', ');
  switch (type) {
    case 'captured':
      return { icon: StoredIcon, what: 'Stored whole', rest: formatBytes(bytes) };
    case 'projected': {
      const isModel = data.audience === undefined || data.audience === 'model';
      const what = isModel ? 'Shown to the model' : `Shown to ${data.audience}`;
      return { icon: CutIcon, what, rest: joined(chars, data.cut === true ? 'cut' : 'whole') };
    }
    case 'fetched':
      return {
        icon: FetchedIcon,
        what: 'Read later',
        rest: joined(fetchedLines(data), chars),
        tone: 'fetched',
      };
    case 'reexecuted':
      return { icon: AgainIcon, what: 'The same call was made again', rest: '' };
    case 'revoked':
      return { icon: WarningIcon, what: 'Its handle was ended', rest: '' };
    default:
      return { icon: WarningIcon, what: type.replaceAll('_', ' '), rest: chars };
  }
}

function fetchedLines(data: OutputEvent['data']): string {
  const first = data.first_line ?? data.start_line ?? data.from_line;
  const last = data.last_line ?? data.end_line ?? data.to_line;
  if (typeof first === 'number' && typeof last === 'number') return `lines ${formatLines(first, last)}`;
  return typeof data.by === 'string' ? data.by.replaceAll('_', ' ') : '';
}
