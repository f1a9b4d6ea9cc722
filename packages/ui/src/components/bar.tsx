/** Bars that show a share. Widths are set through the CSSOM: the page's policy allows no style attribute. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** An element whose width is a share of its parent, from 0 to 1. */
export function Share({
  of,
  class: name = '',
  as = 'width',
}: {
  of: number;
  class?: string;
  as?: 'width' | 'left';
}) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    element.current?.style.setProperty(as, `${Math.min(1, Math.max(0, of)) * 100}%`);
  }, [of, as]);
  return as === 'left' ? <b ref={element} class={name} /> : <i ref={element} class={name} />;
}

export function Meter({ part, of, label }: { part: number; of: number; label: string }) {
  return (
    <span class="meter" role="img" aria-label={label}>
      <Share of={of > 0 ? part / of : 0} />
    </span>
  );
}
