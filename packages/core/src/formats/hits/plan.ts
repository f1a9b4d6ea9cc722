/**
 * In which order hits are shown: definitions, the first of every file if they all fit (gaps name
 * files in less room than hits do), then by the new names that hits bring, then first and last of
 * each file, round by round; lines around hits last.
 */
import type { Unit, UnitChoice } from '../../model/line-grammar.ts';
import type { NamedUnits } from '../by-line/fill-by-names.ts';
import { inTurns, outerFirst } from '../by-line/order.ts';

/** Share of first hits of files before better hits. */
const FIRSTS_SHARE = 0.7;
const FEW_FIRSTS_SHARE = 0.5;
const DEFINITIONS_SHARE = 0.3;
/** With more definitions than this, they were searched for. */
const RARE_SHARE = 0.1;
const DEFINES = 3;

interface File {
  readonly heading: number[];
  readonly hits: number[];
  readonly around: number[];
}

const DEFINITION = 2;
const WHOLE_WORD = 1.2;

/** `grouped`: hits need the line with their path above them. */
export function planHits(
  choice: UnitChoice,
  grouped: boolean,
  fill: (candidates: readonly NamedUnits[]) => void,
): void {
  const { share, units } = choice;
  const files = filesOf(choice).filter(({ heading }) => !grouped || heading.length > 0);
  const part = (ratio: number) => choice.chars + (share.chars - choice.chars) * ratio;
  const worthy = files
    .flatMap(({ heading, hits }) =>
      hits.map((hit) => ({ with: [...heading, hit], worth: units[hit]?.depth ?? 0 })),
    )
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth);
  const definitions = worthy.filter(({ worth }) => worth >= DEFINES);
  const isRare = definitions.length <= Math.max(3, units.length * RARE_SHARE);
  const forDefinitions = part(DEFINITIONS_SHARE);
  if (isRare) for (const hit of definitions) choice.add(hit.with, forDefinitions);
  const firsts = part(FIRSTS_SHARE);
  const first = files.map(({ heading, hits }) => [...heading, ...hits.slice(0, 1)]);
  if (!choice.add(first.flat(), firsts)) {
    const most = choice.listed === 0 ? firsts : part(FEW_FIRSTS_SHARE);
    for (const hit of first) choice.add(hit, most);
  }
  const candidates = (role: 'hits' | 'around') =>
    files.flatMap(({ heading, [role]: lines }) =>
      lines.map((index) => ({ own: [index] as const, with: heading, factor: factorOf(units[index]) })),
    );
  fill(candidates('hits'));
  const orders = files.map(({ heading, hits }) =>
    outerFirst(hits, hits.length, hits.length).map((hit) => [...heading, hit]),
  );
  inTurns(orders, (hit) => choice.add(hit));
  for (const { heading, hits } of files) for (const hit of hits) choice.add([...heading, hit]);
  fill(candidates('around'));
  addAround(choice);
}

function addAround(choice: UnitChoice): void {
  choice.units.forEach((unit, index) => {
    if (unit.role === 'around' && (choice.has(index - 1) || choice.has(index + 1))) choice.add([index]);
  });
}

/** New definitions first, then whole words, then any hit. */
function factorOf(hit: Unit | undefined): number {
  const worth = hit?.depth ?? 0;
  return worth >= DEFINES ? DEFINITION : worth > 0 ? WHOLE_WORD : 1;
}

function filesOf({ units }: UnitChoice): File[] {
  const files = new Map<number, File>();
  units.forEach((unit, index) => {
    if (!unit.isWhole || unit.role === 'other') return;
    const file = files.get(unit.group) ?? { heading: [], hits: [], around: [] };
    files.set(unit.group, file);
    (unit.role === 'heading' ? file.heading : unit.role === 'hit' ? file.hits : file.around).push(index);
  });
  return [...files.values()];
}
