/**
 * The context-window indicator, the second row of every page once a window is known: how full it is,
 * what fills it, and where warning, compaction and the hard limit lie. Each number has its tooltip;
 * where there is no room, a button unfolds all of them with their explanations.
 */
import { useId, useState } from 'preact/hooks';
import type { WindowUse } from '../../../spillway/src/inspector/api.ts';
import { Share } from '../components/bar.tsx';
import { Icon } from '../components/icon.tsx';
import { DownIcon } from '../components/icons.ts';
import { formatCount, formatShare, formatShort } from '../data/figures.ts';
import { navigate, route, sessionAddress } from './router.ts';

interface Item {
  readonly name: 'results' | 'messages' | 'system' | 'reserved';
  readonly label: string;
  readonly means: string;
}

const ITEMS: readonly Item[] = [
  {
    name: 'results',
    label: 'Tool results',
    means: 'What the model is shown of tool results, after cutting.',
  },
  {
    name: 'messages',
    label: 'Messages',
    means: 'What people and the model said, and summaries of older messages.',
  },
  { name: 'system', label: 'System', means: 'The system prompt and the tools that are declared.' },
  { name: 'reserved', label: 'Reserved', means: 'Kept free for the answer of the model.' },
];
const SIZES = [8_000, 32_000, 128_000, 200_000, 1_000_000];

export function ContextWindow({ use, session }: { use: WindowUse; session: string }) {
  const { size } = use;
  const [isOpen, setOpen] = useState(false);
  return (
    <section class={isOpen ? 'ctx open' : 'ctx'} aria-label="Context window">
      <span class="ctx-h">
        Context window of <a href={sessionAddress(session)}>{session}</a>
      </span>
      {size === null ? <WhichSize use={use} session={session} /> : <Filled use={use} size={size} />}
      <button
        type="button"
        class="ib ctx-more"
        aria-label="What fills the context window"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={DownIcon} size="l" />
      </button>
      <span class="ctx-l wide">
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
  const limits = `Warning at ${formatShare(use.warn_at, 1)}, compaction at ${formatShare(use.compact_at, 1)}, hard limit at ${formatShare(use.hard_at, 1)}.`;
  return (
    <>
      <div
        class="ctx-bar"
        role="img"
        aria-label={`${formatCount(use.used)} of ${formatCount(size)} tokens: ${said}. ${limits}`}
      >
        {ITEMS.map(({ name }) => (
          <Share key={name} class={`c-${name}`} of={use[name] / size} />
        ))}
        <Share as="left" of={use.warn_at} />
        <Share as="left" of={use.compact_at} />
        <Share as="left" of={use.hard_at} class="hard" />
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
  warning: { tone: 'warning', words: ' · above the warning' },
  needs_compaction: { tone: 'warning', words: ' · needs compaction' },
  refused: { tone: 'error', words: ' · does not fit' },
};

/** No window was told: tokens only, until a person says which one the model has. */
function WhichSize({ use, session }: { use: WindowUse; session: string }) {
  const choose = (size: string) => {
    localStorage.setItem(`spillway-window:${session}`, size);
    navigate(location.pathname + location.search + location.hash, { replace: true });
    route.set({ ...route.value });
  };
  return (
    <span class="ctx-n">
      <strong>{formatCount(use.used)}</strong> tokens <span class="wide">· Which window?</span>{' '}
      <select aria-label="Which window?" onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">choose</option>
        {SIZES.map((size) => (
          <option key={size} value={size}>
            {formatShort(size)}
          </option>
        ))}
      </select>
    </span>
  );
}

function Thresholds({ use }: { use: WindowUse }) {
  return (
    <span class="ctx-t wide">
      <Tip
        label={`warning at ${formatShare(use.warn_at, 1)}`}
        means="From here on hosts are told that the window fills up."
      />
      <Tip
        label={`compaction at ${formatShare(use.compact_at, 1)}`}
        means="From here on older messages are replaced by a summary, before the next request."
      />
      <Tip
        label={`hard limit at ${formatShare(use.hard_at, 1)}`}
        means="A request above this is not sent; the message that does not fit is named."
        end
      />
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
    <button type="button" class={end ? 'tip end' : 'tip'} aria-describedby={id}>
      {children}
      {label}
      <span role="tooltip" id={id}>
        {means}
      </span>
    </button>
  );
}
