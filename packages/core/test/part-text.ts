/** One text part as the engine reads it, without a store or a renderer around it. */
import type { Policy } from '@spillway/core';
import { DEFAULT_POLICY } from '@spillway/core/plugin';
import { Projector } from '../src/engine/project.ts';
import { setUp } from '../src/engine/setup.ts';
import type { PartSpec } from '../src/model/part.ts';
import type { PartText, Selected } from '../src/model/part-text.ts';
import type { Selection } from '../src/model/selection.ts';
import type { Share, Strategy } from '../src/model/strategy.ts';
import type { Effective } from '../src/policy/resolve.ts';
import { piecesIn } from './tables.ts';

const NO_ORIGIN = { level: 'system', source: 'a test' };

export interface PartGiven {
  readonly policy?: Partial<Policy>;
  readonly spec?: Partial<PartSpec>;
  readonly call?: Partial<Parameters<Projector['view']>[1]>;
  readonly strategies?: readonly Strategy[];
  /** Where the text is cut into chunks. */
  readonly cuts?: readonly number[];
}

/** A part that nothing was given to yet. */
export function openPart({ policy, spec, call, strategies = [] }: PartGiven = {}): PartText {
  const origins = new Proxy({}, { get: () => NO_ORIGIN });
  const effective = { policy: { ...DEFAULT_POLICY, ...policy }, hash: '', origins } as Effective;
  const view = new Projector(setUp({ store: null, strategies })).view(effective, {
    ...{ tool: 'run', input: undefined },
    ...call,
  });
  const part = view.text({ role: 'content', kind: 'text', name: 'text', ...spec });
  if (part === null) throw new Error('it is not text to be shown');
  return part;
}

/** A part that has been given all of a text. */
function partText(content: string | Uint8Array, given: PartGiven = {}): PartText {
  const part = openPart(given);
  for (const piece of piecesIn(content, given.cuts)) part.push(piece);
  return part;
}

const NO_GAP = { chars: 0, lines: 0 };
const OPEN = Number.POSITIVE_INFINITY;

/** What is kept of a text within a share; what is not said of it bounds nothing. */
export function selectedFrom(
  content: string | Uint8Array,
  share: Partial<Share>,
  given: PartGiven = {},
): Selected {
  return partText(content, given).select({ chars: OPEN, lines: OPEN, gap: NO_GAP, ...share });
}

/** What a strategy of a test would have selected. */
export function selectedAs(selection: Selection, more: Partial<Selected> = {}): Selected {
  return {
    selection,
    texts: selection.map(({ kind, chars }) => (kind === 'keep' ? 'x'.repeat(chars) : '')),
    decidedBy: 'head',
    why: null,
    grammar: null,
    findings: null,
    fallback: null,
    error: null,
    withheld: null,
    isExact: true,
    reasons: () => [],
    ...more,
  };
}
