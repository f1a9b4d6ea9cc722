/** One output in a list. */
import type { OutputRow } from '../../../../spillway/src/inspector/api.ts';
import { askedFor, Outcome, Reading, toolIcon } from '../../components/call.tsx';
import { Icon } from '../../components/icon.tsx';
import { FetchedIcon } from '../../components/icons.ts';
import { formatAgo, formatCount, formatExact } from '../../data/figures.ts';
import { outputAddress, sessionAddress } from '../../shell/router.ts';

export function OutputItem({ output }: { output: OutputRow }) {
  return (
    <li class="output-row">
      <a href={outputAddress(output.id)} class="output-link">
        <Icon of={toolIcon(output.tool)} />
        <code class="clip">{askedFor(output)}</code>
        <Outcome output={output} />
      </a>
      <span class="output-facts">
        <Reading output={output} />
        <span class="dim clip">{output.tool}</span>
        <a class="dim clip" href={sessionAddress(output.session, output.id)}>
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
