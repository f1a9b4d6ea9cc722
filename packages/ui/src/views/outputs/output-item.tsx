/** One output in a list, and the keys that go through such a list. */
import type { OutputRow } from '../../../../spillway/src/inspector/api.ts';
import { askedFor, Outcome, Reading, toolIcon } from '../../components/call.tsx';
import { Icon } from '../../components/icon.tsx';
import { FetchedIcon } from '../../components/icons.ts';
import { formatAgo, formatCount, formatExact } from '../../data/figures.ts';
import { useKeys } from '../../shell/keys.ts';
import { outputAddress, sessionAddress } from '../../shell/router.ts';

export function OutputItem({ output }: { output: OutputRow }) {
  return (
    <li class="output-row">
      <a href={outputAddress(output.id)} class="output-link">
        <Icon of={toolIcon(output.tool)} />
        <code>{askedFor(output)}</code>
        <Outcome output={output} />
      </a>
      <span class="output-facts">
        <Reading output={output} />
        <span class="dim">{output.tool}</span>
        <a class="dim" href={sessionAddress(output.session, output.id)}>
          {output.session}
        </a>
        <span>
          {output.fetches > 0 && (
            <span class="fetched later">
              <Icon of={FetchedIcon} size="s" />
              {formatCount(output.fetches)}
              <span class="sr"> times read later</span>
            </span>
          )}
          {output.revoked_at !== null && <span class="warning">handle ended</span>}
        </span>
        <time class="dim" title={formatExact(output.started_at)}>
          {formatAgo(output.started_at)}
        </time>
      </span>
    </li>
  );
}

/** `j` and `k` move the focus through the links of the list. */
export function useListKeys(): void {
  const move = (step: number) => {
    const links = [...document.querySelectorAll<HTMLElement>('.output-link')];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  useKeys({ 'row.next': () => move(1), 'row.previous': () => move(-1) });
}
