/**
 * What is remembered of very many parts: both ends, as far as they may be shown, and the sums of
 * the rest.
 */
import { describe, expect, it } from 'vitest';
import type { PartRecord } from '../../src/model/part.ts';
import type { PartText } from '../../src/model/part-text.ts';
import { Gathering } from '../../src/projection/gathering.ts';
import type { Section } from '../../src/projection/section.ts';
import { selectedAs } from '../part-text.ts';

const TEXT: PartText = { push() {}, compare() {}, select: () => selectedAs([]) };

function given(index: number, chars: number, kind: 'telling' | 'blank' | 'image' = 'telling') {
  const part: PartRecord = {
    index,
    role: 'content',
    kind: kind === 'image' ? 'binary' : 'text',
    name: `n${index}`,
    bytes: chars * 2,
    chars,
    lines: 3,
    illFormed: 1,
    hash: 'ab',
    notes: [],
  };
  return { part, text: kind === 'image' ? null : TEXT, blank: kind === 'blank' };
}

function gathered(reach: number, ...sections: ReturnType<typeof given>[]): Section[] {
  const gathering = new Gathering(reach);
  for (const section of sections) gathering.add(section);
  return gathering.sections;
}

const spelled = ({ part, ordinal, run }: Section) =>
  run === undefined ? `${part.index}#${ordinal}` : `${part.index}-${run.last}: ${run.parts}/${run.texts}`;

describe('gathered parts', () => {
  it('are all there while few, in order, with their numbers among the texts', () => {
    const few = gathered(100, given(3, 5), given(4, 0, 'image'), given(5, 2, 'blank'), given(7, 5));
    expect(few.map(spelled)).toEqual(['3#1', '4#null', '5#2', '7#3']);
    expect(few[0]).toEqual({ ...given(3, 5), ordinal: 1 });
  });

  it('are kept at both ends as far as the chars reach, a part for its chars and one', () => {
    const ten = Array.from({ length: 20 }, (_, i) => given(i, 9));
    expect(gathered(30, ...ten).map(spelled)).toEqual([
      '0#1',
      '1#2',
      '2#3',
      '3-16: 14/14',
      '17#18',
      '18#19',
      '19#20',
    ]);
    expect(
      gathered(31, ...ten)
        .map(spelled)
        .slice(3, 5),
    ).toEqual(['3#4', '4-15: 12/12']);
    expect(
      gathered(21, ...ten)
        .map(spelled)
        .slice(2, 4),
    ).toEqual(['2#3', '3-16: 14/14']);
    expect(gathered(20, ...ten).map(spelled)).toEqual(['0#1', '1#2', '2-17: 16/16', '18#19', '19#20']);
  });

  it('count 150 at the most, so of large ones few are kept', () => {
    const large = Array.from({ length: 9 }, (_, i) => given(i, 100_000));
    expect(gathered(300, ...large).map(spelled)).toEqual(['0#1', '1#2', '2-6: 5/5', '7#8', '8#9']);
    expect(gathered(301, ...large).map(spelled)).toEqual([
      '0#1',
      '1#2',
      '2#3',
      '3-5: 3/3',
      '6#7',
      '7#8',
      '8#9',
    ]);
  });

  it('between the ends become one with their sums, of which nothing can be shown', () => {
    const parts = [given(0, 9), given(1, 4), given(2, 0, 'image'), given(3, 7), given(4, 9)];
    const run = gathered(10, ...parts)[1] as Section;
    expect(run.run).toEqual({ parts: 3, texts: 2, last: 3, firstBytes: 8 });
    expect(run.part).toMatchObject({ index: 1, name: 'n1', bytes: 22, chars: 11, lines: 9, illFormed: 3 });
    expect(run.text?.select({ chars: 99, lines: 99, gap: { chars: 0, lines: 0 } }).selection).toEqual([
      { kind: 'omit', start: 0, end: 22, chars: 11, lines: 9, firstLine: 1, lastLine: 9 },
    ]);
  });

  it('that are blank do not push out those that tell something', () => {
    const mixed = Array.from({ length: 40 }, (_, i) => given(i, 4, i % 2 === 0 ? 'telling' : 'blank'));
    expect(gathered(10, ...mixed).map(spelled)).toEqual([
      '0#1',
      '1#2',
      '2#3',
      '3#4',
      '4-34: 16/16',
      '5-35: 16/16',
      '36#37',
      '37#38',
      '38#39',
      '39#40',
    ]);
    expect(gathered(10, ...mixed).map(({ blank }) => blank)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  it('without a byte are kept a hundred at either end, however little the chars reach', () => {
    const empty = Array.from({ length: 1_000 }, (_, i) => given(i, 0, 'blank'));
    const kept = gathered(10, ...empty);
    expect([kept.length, spelled(kept[100] as Section)]).toEqual([201, '100-899: 800/800']);
    expect(kept[100]?.text?.select({ chars: 9, lines: 9, gap: { chars: 0, lines: 0 } }).selection).toEqual(
      [],
    );
  });

  it('of a single blank byte are blank, not empty', () => {
    const line = (index: number) => {
      const { part, ...rest } = given(index, 1, 'blank');
      return { ...rest, part: { ...part, bytes: 1 } };
    };
    const lines = Array.from({ length: 40 }, (_, i) => line(i));
    expect(gathered(10, ...lines).map(spelled)[5]).toBe('5-34: 30/30');
  });

  it('that reach for ever are all kept', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => given(i, 1));
    expect(gathered(Number.POSITIVE_INFINITY, ...many)).toHaveLength(5_000);
  });
});
