/**
 * The context-window indicator, the second row of every page once a window is known: how full it is,
 * what fills it, and where warning, compaction and the hard limit lie. Each number has its tooltip;
 * where there is no room, a button unfolds all of them with their explanations.
 */
import * as lucide from 'lucide';
import { useId, useState } from 'preact/hooks';
import type { WindowUse } from '../../../spillway/src/inspector/api.ts';
import { IconButton, Select, Share } from '../components/controls.tsx';
import { formatCount, formatShare, formatShort } from '../data/figures.ts';
import { navigate, sessionAddress } from './router.ts';

const ITEMS = [
  {
    name: 'results',
    label: 'Tool results',
    means: 'What the model reads of tool results, after cutting.',
  },
  {
    name: 'messages',
    label: 'Messages',
    means: 'What you and the model said, and summaries of older messages.',
  },
  { name: 'system', label: 'System', means: 'The system prompt and the descriptions of tools.' },
  { name: 'reserved', label: 'Reserved', means: 'Kept free for the model’s answer.' },
] as const;
const LIMITS = [
  {
    name: 'warn_at',
    label: 'warning',
    means: 'From here on, the agent is told that the window is filling up.',
  },
  {
    name: 'compact_at',
    label: 'compaction',
    means: 'From here on, a summary replaces older messages before the next request.',
  },
  {
    name: 'hard_at',
    label: 'hard limit',
    means: 'A larger request is not sent. Spillway names the message that does not fit.',
  },
] as const;
const SIZES = [8_000, 32_000, 128_000, 200_000, 1_000_000];

export function ContextWindow({ use, session }: { use: WindowUse; session: string }) {
  const { size } = use;
  const [isOpen, setOpen] = useState(false);
  return (
    <section class={isOpen ? 'ctx line small open' : 'ctx line small'} aria-label="Context window">
      <span class="ctx-h">
        Context window of <a href={sessionAddress(session)}>{session}</a>
      </span>
      {size === null ? <WhichSize use={use} session={session} /> : <Filled use={use} size={size} />}
      <IconButton
        icon={lucide.ChevronDown}
        class="ctx-more"
        label="What fills the context window"
        isOpen={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      <span class="ctx-l line wide">
        {ITEMS.map((item) => (
          <Tip key={item.name} label={`${item.label} ${formatCount(use[item.name])}`} means={item.means}>
            <i class={`c-${item.name}`} />
          </Tip>
        ))}
      </span>
      {size !== null && <Thresholds use={use} />}
    </section>
  );
}

function Filled({ use, size }: { use: WindowUse; size: number }) {
  const said = ITEMS.map(({ name, label }) => `${label} ${formatCount(use[name])}`).join(', ');
  const limits = LIMITS.map(({ name, label }) => `${label} at ${formatShare(use[name], 1)}`).join(', ');
  return (
    <>
      <div
        class="ctx-bar"
        role="img"
        aria-label={`${formatCount(use.used)} of ${formatCount(size)} tokens: ${said}; ${limits}.`}
      >
        {ITEMS.map(({ name }) => (
          <Share key={name} class={`c-${name}`} of={use[name] / size} />
        ))}
        {LIMITS.map(({ name }) => (
          <Share key={name} as="left" of={use[name]} class={name} />
        ))}
      </div>
      <span class={`ctx-n ${VERDICTS[use.verdict].tone}`}>
        <strong>{formatShare(use.used, size)}</strong>{' '}
        <span class="wide">
          {formatCount(use.used)} of {formatCount(size)} tokens{VERDICTS[use.verdict].words}
        </span>
      </span>
    </>
  );
}

const VERDICTS = {
  fits: { tone: '', words: '' },
  warning: { tone: 'warning', words: ' · over the warning level' },
  needs_compaction: { tone: 'warning', words: ' · needs compaction' },
  refused: { tone: 'error', words: ' · does not fit' },
};

/** No window was told: tokens only, until a person says which one the model has. */
function WhichSize({ use, session }: { use: WindowUse; session: string }) {
  const choose = (size: string) => {
    localStorage.setItem(`spillway-window:${session}`, size);
    navigate(location.pathname + location.search + location.hash, { replace: true });
  };
  return (
    <span class="ctx-n">
      <strong>{formatCount(use.used)}</strong> tokens{' '}
      <span class="wide">· How large is the model’s window?</span>{' '}
      <Select
        label="Size of the window"
        value=""
        none="choose"
        options={SIZES.map((size) => [String(size), formatShort(size)])}
        onChange={choose}
      />
    </span>
  );
}

function Thresholds({ use }: { use: WindowUse }) {
  return (
    <span class="ctx-t line end dim wide">
      {LIMITS.map(({ name, label, means }) => (
        <Tip key={name} label={`${label} at ${formatShare(use[name], 1)}`} means={means} end />
      ))}
    </span>
  );
}

interface TipProps {
  readonly label: string;
  readonly means: string;
  readonly end?: boolean;
  readonly children?: preact.ComponentChildren;
}

/** Words with an explanation that comes with the pointer or the focus. */
function Tip({ label, means, end = false, children }: TipProps) {
  const id = useId();
  return (
    <button type="button" class={end ? 'tip last' : 'tip'} aria-describedby={id}>
      {children}
      {label}
      <span role="tooltip" id={id}>
        {means}
      </span>
    </button>
  );
}
