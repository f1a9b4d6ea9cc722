/** The outputs that an order means, before it is carried out. */
import type { OutputRow } from '../../../../spillway/src/inspector/api.ts';
import { askedFor, toolIcon } from '../../components/call.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatAgo, formatBytes, formatCount } from '../../data/figures.ts';

interface OutputNamesProps {
  readonly label: string;
  readonly items: readonly OutputRow[];
  /** How many there are in all. */
  readonly outputs: number;
}

export function OutputNames({ label, items, outputs }: OutputNamesProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
      <ul class="goes" tabIndex={0} aria-label={label}>
        {items.map((item) => (
          <li key={item.id}>
            <Icon of={toolIcon(item.tool)} />
            <code>{askedFor(item)}</code>
            <span class="dim">{item.session}</span>
            <span class="num">{formatBytes(item.bytes)}</span>
            <time class="dim">{formatAgo(item.started_at)}</time>
          </li>
        ))}
      </ul>
      {items.length < outputs && <p class="hint">The first {formatCount(items.length)} are listed.</p>}
    </>
  );
}
