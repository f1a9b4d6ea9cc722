/** Jobs for `fit`, made by hand: sections of which is kept what a test wants. */
import type { Policy } from '@spillway/core';
import { DEFAULT_POLICY, standardDialect } from '@spillway/core/plugin';
import { json } from '../../src/formats/json/index.ts';
import type { Dialect, NoticeFacts } from '../../src/model/dialect.ts';
import type { PartRecord } from '../../src/model/part.ts';
import type { Selected } from '../../src/model/part-text.ts';
import type { Segment } from '../../src/model/selection.ts';
import type { Share } from '../../src/model/strategy.ts';
import type { Caps } from '../../src/projection/fit.ts';
import { fit } from '../../src/projection/fit.ts';
import type { FitJob, Section } from '../../src/projection/section.ts';
import { selectedAs } from '../part-text.ts';

export const JSON_GRAMMAR = json.grammar ?? null;

export const ID = 'art_1699234567_a1b2c3d4';
export const NO_CAPS: Caps = {
  chars: Number.POSITIVE_INFINITY,
  lines: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
};

/** Keeps the first chars of one long line; `select` may say otherwise. */
export function section(
  text: string,
  more: Partial<PartRecord> = {},
  { select = keepFirst(text), ...facts }: Partial<Selected> & { select?: (share: Share) => Segment[] } = {},
): Section {
  const part: PartRecord = {
    index: 0,
    role: 'content',
    kind: 'text',
    name: 'text',
    bytes: text.length,
    chars: text.length,
    lines: 1,
    illFormed: 0,
    hash: 'ab',
    notes: [],
    ...more,
  };
  const textOf = ({ kind, start, end }: Segment) => (kind === 'keep' ? text.slice(start, end) : '');
  return {
    part,
    text: {
      push: () => undefined,
      compare: () => undefined,
      select(share) {
        const selection = select(share);
        return selectedAs(selection, { texts: selection.map(textOf), isExact: false, ...facts });
      },
    },
    blank: false,
    ordinal: 1,
  };
}

const keepFirst =
  (text: string) =>
  ({ chars }: Share): Segment[] => {
    const end = Math.max(0, Math.min(text.length, chars));
    const kept: Segment = { kind: 'keep', start: 0, end, chars: end, lines: 1 };
    const gone = {
      kind: 'omit',
      start: end,
      end: text.length,
      chars: text.length - end,
      lines: 0,
      firstLine: 1,
      lastLine: 1,
    } as const;
    return end === text.length ? [kept] : end === 0 ? [gone] : [kept, gone];
  };

export function job(
  sections: readonly Section[],
  more: {
    policy?: Partial<Policy>;
    facts?: Partial<FitJob['facts']>;
    dialect?: Dialect;
    tokens?: FitJob['tokens'];
  } = {},
): FitJob {
  const total = (unit: 'chars' | 'lines' | 'bytes') =>
    sections.reduce((sum, { part }) => sum + part[unit], 0);
  return {
    sections,
    policy: { ...DEFAULT_POLICY, ...more.policy },
    dialect: more.dialect ?? standardDialect,
    tokens: more.tokens ?? ((text) => text.length),
    facts: {
      artifact: ID,
      notStored: null,
      outcome: { status: 'ok' },
      complete: true,
      sourceTruncated: false,
      totalChars: total('chars'),
      totalLines: total('lines'),
      totalBytes: total('bytes'),
      paged: false,
      savedPath: null,
      cardSummary: null,
      ...more.facts,
    },
    callFor: (gap) => `call(${JSON.stringify(gap)})`,
  };
}

/** The facts that the notice of a projection was facts. */
export function noticeFacts(given: FitJob, caps: Partial<Caps>): NoticeFacts | undefined {
  let last: NoticeFacts | undefined;
  const notice: Dialect['notice'] = (facts, detail) => {
    last = facts;
    return standardDialect.notice({ ...facts, nextCall: null, unfit: null }, detail);
  };
  fit({ ...given, dialect: { ...standardDialect, notice } }, { ...NO_CAPS, ...caps });
  return last;
}
