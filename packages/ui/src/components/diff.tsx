/** A diff of a settings file, as it would be written. */
import type { DiffLine } from '../../../spillway/src/inspector/api.ts';

const SIGNS = { same: ' ', added: '+', removed: '-' };

export function Diff({ file, lines }: { file: string; lines: readonly DiffLine[] }) {
  return (
    <figure class="diff">
      <figcaption>{file}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
      <pre tabIndex={0}>
        {lines.map(({ kind, before, after, text }) => (
          <span key={`${kind} ${before} ${after}`} class={kind}>
            <span class="dim">{String(after ?? before ?? '').padStart(4)}</span> {SIGNS[kind]} {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
