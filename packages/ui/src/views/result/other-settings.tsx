/** What other settings would have shown of the same output: five lines of numbers, worked out now. */
import { useState } from 'preact/hooks';
import type { OutputAnswer, PreviewResult, SettingsGiven } from '../../../../spillway/src/inspector/api.ts';
import { Table } from '../../components/controls.tsx';
import { AskForWork, AT_ONCE_BYTES, Working } from '../../components/working.tsx';
import { readPreview } from '../../data/api-client.ts';
import { formatCount } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';

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
      tool: undefined,
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
      {isAsked && (
        <Table
          class="wi"
          rows={variants.map((variant, index) => ({ ...variant, result: results.get(index) }))}
          keyOf={({ strategy, limit }) => `${strategy} ${limit}`}
          classOf={({ isNow }) => (isNow ? 'now' : '')}
          columns={[
            {
              name: 'Settings',
              of: ({ strategy, limit }) => (
                <>
                  {strategy} <b>{formatCount(limit)}</b>
                </>
              ),
            },
            { name: 'Tokens', of: ({ result }) => (result ? formatCount(result.tokens) : '…') },
            { name: 'Errors', of: ({ result }) => result && shareOf(result.errors) },
            { name: 'Warnings', of: ({ result }) => result && shareOf(result.warnings) },
          ]}
        />
      )}
      <p class="more">
        <a href={compareAddress(output.id, variants)}>Compare two of them</a>
      </p>
    </section>
  );
}

function shareOf({ shown, total }: { readonly shown: number; readonly total: number }): string {
  return `${formatCount(shown)}/${formatCount(total)}`;
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
  const [a, b] = [now, other].map((variant) => encodeURIComponent(writeGiven(variant?.settings ?? {})));
  return `/preview?o=${encodeURIComponent(id)}&a=${a}&b=${b}`;
}

/** Settings of a variant in an address: `strategy:tail,inline_limit:8000`. */
export function writeGiven(given: SettingsGiven): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}:${value}`)
    .join(',');
}
