/** One sentence: how many of the last results a setting would have changed, with links to them. */
import { useEffect, useState } from 'preact/hooks';
import type { EffectAnswer, EffectOrder } from '../../../spillway/src/inspector/api.ts';
import { post } from '../data/api-client.ts';
import { formatCount, pluralize } from '../data/figures.ts';
import { useResource } from '../data/resource.ts';
import { outputAddress } from '../shell/router.ts';

const PAUSE_MS = 250;
const MOST_LINKS = 5;

export function EffectLine(order: EffectOrder) {
  const wanted = JSON.stringify(order);
  const [asked, setAsked] = useState<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data, error } = useResource(asked, (signal) =>
    post<EffectAnswer>('/api/settings/effect', order, signal),
  );
  if (error) return <p class="hint">{error.message}</p>;
  return (
    <p class="effect" role="status">
      {data && asked === wanted ? effectWords(data) : 'Looking at the last results …'}
      {data && asked === wanted && data.ids.length > 0 && (
        <span class="effect-links">
          {data.ids.slice(0, MOST_LINKS).map((id) => (
            <a key={id} href={outputAddress(id)} title={id}>
              <span class="sr">Result </span>…{id.slice(-4)}
            </a>
          ))}
        </span>
      )}
    </p>
  );
}

function effectWords({ looked, changed, chars_before, chars_after }: EffectAnswer): string {
  if (looked === 0) return 'There is no result yet to try it on.';
  const last = looked === 1 ? 'the last result' : `the last ${formatCount(looked)} results`;
  if (changed === 0) return `Would have changed none of ${last}.`;
  const more = chars_after - chars_before;
  const sum = `${pluralize(Math.abs(more), 'char')} ${more < 0 ? 'less' : 'more'} in all`;
  return `Would have changed ${formatCount(changed)} of ${last}${more === 0 ? '' : `: ${sum}`}.`;
}
