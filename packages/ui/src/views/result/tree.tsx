/** JSON as a tree: a level is asked for when it is opened, and each value says whether it was shown. */
import { useState } from 'preact/hooks';
import type { CharGap, TreeAnswer, TreeNode } from '../../../../spillway/src/inspector/api.ts';
import { Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { ChevronIcon } from '../../components/icons.ts';
import { get } from '../../data/api-client.ts';
import { formatCount, pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';

interface TreeProps {
  readonly id: string;
  readonly part: number;
  /** What was left out; undefined where no model was shown it. */
  readonly gaps: readonly CharGap[] | undefined;
}

export function Tree(props: TreeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <section class="tree" aria-label="JSON as a tree" tabIndex={0}>
      <Children {...props} />
    </section>
  );
}

function Children({ id, part, gaps, at, after = 0 }: TreeProps & { at?: number; after?: number }) {
  const path = `/api/outputs/${encodeURIComponent(id)}/tree`;
  const { data, error } = useResource(`tree ${id} ${part} ${at} ${after}`, (signal) =>
    get<TreeAnswer>(path, { part, at, after }, signal),
  );
  const [isMore, setMore] = useState(false);
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const count = after + data.children.length;
  return (
    <>
      {data.children.length > 0 && (
        <ul>
          {data.children.map((node) => (
            <Node key={node.first_char} node={node} id={id} part={part} gaps={gaps} />
          ))}
        </ul>
      )}
      {data.children.length === 0 && after === 0 && <p class="hint">It is empty.</p>}
      {data.more && !isMore && (
        <button type="button" class="link" onClick={() => setMore(true)}>
          Show more after the first {formatCount(count)}
        </button>
      )}
      {isMore && <Children id={id} part={part} gaps={gaps} after={count} {...(at ? { at } : {})} />}
    </>
  );
}

const STATES = { kept: 'shown', some: 'partly shown', out: 'left out', plain: '' };

function Node({ node, ...props }: TreeProps & { node: TreeNode }) {
  const [isOpen, setOpen] = useState(false);
  const { key, kind, text, first_char, last_char } = node;
  const state = stateOf(node, props.gaps);
  const isContainer = kind === 'object' || kind === 'array';
  const size = last_char - first_char + 1;
  const words = (
    <>
      <span class="tree-key">{key}</span>
      <code class={`tree-${kind}`}>
        {text}
        {size > text.length && '…'}
      </code>
      {size > text.length && <span class="dim num">{pluralize(size, 'char')}</span>}
      {state !== 'kept' && state !== 'plain' && <span class="chip">{STATES[state]}</span>}
    </>
  );
  return (
    <li class={`tree-node ${state}`}>
      {isContainer && last_char - first_char > 1 ? (
        <button type="button" class="tree-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon of={ChevronIcon} />
          {words}
        </button>
      ) : (
        <div class="tree-row">{words}</div>
      )}
      {isOpen && <Children {...props} at={first_char} />}
    </li>
  );
}

function stateOf({ first_char, last_char }: TreeNode, gaps: TreeProps['gaps']): keyof typeof STATES {
  if (!gaps) return 'plain';
  const hidden = gaps.reduce(
    (sum, gap) =>
      sum + Math.max(0, Math.min(gap.last_char, last_char) - Math.max(gap.first_char, first_char) + 1),
    0,
  );
  if (hidden === 0) return 'kept';
  return hidden > last_char - first_char ? 'out' : 'some';
}
