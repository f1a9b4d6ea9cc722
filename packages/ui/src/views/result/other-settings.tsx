/** What other settings would have shown of the same output: five lines of numbers, worked out now. */
import type { OutputAnswer, PreviewLine, SettingsGiven } from '../../../../spillway/src/inspector/api.ts';
import { Table } from '../../components/controls.tsx';
import { AT_ONCE_BYTES, useWork, WorkState } from '../../components/working.tsx';
import { readPreview } from '../../data/api-client.ts';
import { formatCount } from '../../data/figures.ts';

type Variants = Extract<PreviewLine, { type: 'variant' }>;

interface Variant {
  readonly settings: SettingsGiven;
  readonly strategy: string;
  readonly limit: number;
  readonly isNow: boolean;
}

export function OtherSettings({ answer, isWanted }: { answer: OutputAnswer; isWanted: boolean }) {
  const { output } = answer;
  const variants = variantsOf(answer);
  const order = {
    source: output.id,
    tool: undefined,
    variants: variants.map(({ settings }) => settings),
    detail: 'numbers' as const,
  };
  const work = useWork<PreviewLine>(
    isWanted ? `what if ${output.id}` : undefined,
    output.bytes <= AT_ONCE_BYTES,
    (signal, onLine) => readPreview(order, signal, onLine),
  );
  const resultOf = (at: number) =>
    work.data?.find((line) => line.type === 'variant' && line.variant === at) as Variants | undefined;
  return (
    <section>
      <h2>What other settings would show</h2>
      <WorkState work={work} />
      {work.isAsked && (
        <Table
          class="wi"
          rows={variants.map((variant, at) => ({ ...variant, result: resultOf(at)?.result }))}
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
