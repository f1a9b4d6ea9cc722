/** What other settings would have shown of the same output: five lines of numbers, worked out now. */
import { useState } from 'preact/hooks';
import type { OutputAnswer, PreviewResult, SettingsGiven } from '../../../../spillway/src/inspector/api.ts';
import { AskForWork, AT_ONCE_BYTES, Working } from '../../components/working.tsx';
import { formatCount } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { readPreview } from '../../data/streamed.ts';

interface Variant {
  readonly settings: SettingsGiven;
  readonly strategy: string;
  readonly limit: number;
  readonly isNow: boolean;
}

export function OtherSettings({ answer, isWanted }: { answer: OutputAnswer; isWanted: boolean }) {
  const { output } = answer;
  const variants = variantsOf(answer);
  const [isAsked, setAsked] = useState(output.bytes <= AT_ONCE_BYTES);
  const [results, setResults] = useState<ReadonlyMap<number, PreviewResult>>(new Map());
  const [progress, setProgress] = useState<number | undefined>(undefined);
  const { error } = useResource(isAsked && isWanted ? `what if ${output.id}` : undefined, (signal) => {
    const order = {
      source: output.id,
      variants: variants.map(({ settings }) => settings),
      detail: 'numbers' as const,
    };
    return readPreview(order, signal, (line) => {
      if (line.type === 'variant') setResults((before) => new Map(before).set(line.variant, line.result));
      setProgress(line.type === 'progress' ? line.done / Math.max(1, line.of) : undefined);
    });
  });
  return (
    <section>
      <h2>What other settings would show</h2>
      {error && <p class="hint">{error.message}</p>}
      {!isAsked && <AskForWork onAsk={() => setAsked(true)} />}
      {isAsked && progress !== undefined && (
        <p>
          <Working progress={progress} onStop={() => setAsked(false)} />
        </p>
      )}
      {isAsked && <Numbers variants={variants} results={results} />}
      <p class="more">
        <a href={compareAddress(output.id, variants)}>Compare two of them</a>
      </p>
    </section>
  );
}

function Numbers({
  variants,
  results,
}: {
  variants: readonly Variant[];
  results: ReadonlyMap<number, PreviewResult>;
}) {
  const share = ({ shown, total }: { shown: number; total: number }) =>
    `${formatCount(shown)}/${formatCount(total)}`;
  return (
    <table class="wi">
      <thead>
        <tr>
          <th scope="col">Settings</th>
          <th scope="col">Tokens</th>
          <th scope="col">Errors</th>
          <th scope="col">Warnings</th>
        </tr>
      </thead>
      <tbody>
        {variants.map(({ strategy, limit, isNow }, index) => {
          const result = results.get(index);
          return (
            <tr key={`${strategy} ${limit}`} class={isNow ? 'now' : ''}>
              <th scope="row">
                {strategy} <span>{formatCount(limit)}</span>
              </th>
              <td>{result ? formatCount(result.tokens) : '…'}</td>
              <td>{result ? share(result.errors) : ''}</td>
              <td>{result ? share(result.warnings) : ''}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The settings in force, half and twice their limit, and two plain strategies. */
function variantsOf({ settings, projection, output }: OutputAnswer): Variant[] {
  const inForce = (name: string) => settings.find((setting) => setting.name === name)?.value;
  const limit = output.shown?.limit ?? Number(inForce('inline_limit') ?? 8_000);
  const strategy = String(inForce('strategy') ?? projection?.strategy ?? 'auto');
  const given = (name: string, chars: number): Variant => ({
    settings: { strategy: name, inline_limit: chars },
    strategy: name,
    limit: chars,
    isNow: name === strategy && chars === limit,
  });
  const others = ['smart_summary', 'tail', 'head_tail'].filter((name) => name !== strategy).slice(0, 2);
  return [
    given(strategy, Math.round(limit / 2)),
    given(strategy, limit),
    given(strategy, limit * 2),
    ...others.map((name) => given(name, limit)),
  ];
}

function compareAddress(id: string, variants: readonly Variant[]): string {
  const now = variants.find(({ isNow }) => isNow) ?? variants[1];
  const other = variants.at(-1);
  const words = (variant: Variant | undefined) =>
    Object.entries(variant?.settings ?? {})
      .map(([name, value]) => `${name}:${value}`)
      .join(',');
  return `/preview?o=${encodeURIComponent(id)}&a=${encodeURIComponent(words(now))}&b=${encodeURIComponent(words(other))}`;
}
