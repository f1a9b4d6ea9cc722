/**
 * In which order hits are shown: definitions, the first of every file if they all fit (gaps name
 * files in less room than hits do), then by worth, then first and last of each file, round by
 * round.
 */
import type { Choice } from '../by-line/choice.ts';
import { inTurns, outerFirst } from '../by-line/order.ts';

/** Of the share, what the first hits of files may take before better hits get their turn. */
const FIRSTS_SHARE = 0.7;
const FEW_FIRSTS_SHARE = 0.5;
const WORTH_SHARE = 0.85;
const DEFINITIONS_SHARE = 0.3;
/** Where more of the lines define something, definitions were searched for. */
const RARE_SHARE = 0.1;
/** The worth of a hit that defines something. */
const DEFINES = 3;

interface File {
  /** The line with its path, where there is one. */
  readonly heading: number[];
  readonly hits: number[];
}

/** `grouped`: hits stand below a line with the path of their file, and mean nothing without it. */
export function planHits(choice: Choice, grouped: boolean): void {
  const { share, spans } = choice;
  const files = filesOf(choice).filter(({ heading }) => !grouped || heading.length > 0);
  const part = (ratio: number) => choice.chars + (share.chars - choice.chars) * ratio;
  const worthy = files
    .flatMap(({ heading, hits }) =>
      hits.map((hit) => ({ with: [...heading, hit], worth: spans[hit]?.depth ?? 0 })),
    )
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth);
  const definitions = worthy.filter(({ worth }) => worth >= DEFINES);
  const isRare = definitions.length <= Math.max(3, spans.length * RARE_SHARE);
  const forDefinitions = part(DEFINITIONS_SHARE);
  if (isRare) for (const hit of definitions) choice.add(hit.with, forDefinitions);
  const firsts = part(FIRSTS_SHARE);
  const first = files.map(({ heading, hits }) => [...heading, ...hits.slice(0, 1)]);
  if (!choice.add(first.flat(), firsts)) {
    const most = choice.listed === 0 ? firsts : part(FEW_FIRSTS_SHARE);
    for (const hit of first) choice.add(hit, most);
  }
  const most = part(WORTH_SHARE);
  for (const hit of worthy) choice.add(hit.with, most);
  const orders = files.map(({ heading, hits }) =>
    outerFirst(hits, hits.length, hits.length).map((hit) => [...heading, hit]),
  );
  inTurns(orders, (hit) => choice.add(hit));
  for (const { heading, hits } of files) for (const hit of hits) choice.add([...heading, hit]);
  addAround(choice);
}

/** Lines around hits that are shown, and whatever else there is, as far as there is room. */
function addAround(choice: Choice): void {
  choice.spans.forEach((span, index) => {
    if (span.role === 'around' && (choice.has(index - 1) || choice.has(index + 1))) choice.add([index]);
  });
}

function filesOf({ spans }: Choice): File[] {
  const files = new Map<number, File>();
  spans.forEach((span, index) => {
    if (span.state === 'dropped' || (span.role !== 'hit' && span.role !== 'heading')) return;
    const file = files.get(span.firstGroup) ?? { heading: [], hits: [] };
    files.set(span.firstGroup, file);
    (span.role === 'heading' ? file.heading : file.hits).push(index);
  });
  return [...files.values()];
}
