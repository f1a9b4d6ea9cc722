/** An icon of Lucide, drawn with the colour of the text around it. Decoration: words stand beside it. */
import { h } from 'preact';

export type IconNode = readonly (readonly [string, Readonly<Record<string, string | number | undefined>>])[];

export function Icon({ of, size = '' }: { of: IconNode; size?: '' | 's' | 'l' | 'busy' }) {
  return (
    <svg class={size ? `i ${size}` : 'i'} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => h(tag, { ...attributes, key: index }))}
    </svg>
  );
}
