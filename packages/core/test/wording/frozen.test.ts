// What stays in histories and frozen projections is read back: literals of every spelling.
import { describe, expect, it } from 'vitest';
import { plain } from '../../src/wording/dialects/plain.ts';
import { spill } from '../../src/wording/dialects/spill.ts';
import { standard } from '../../src/wording/dialects/standard.ts';
import { isLateResult, isStandIn } from '../../src/wording/history.ts';
import { countLookalikes } from '../../src/wording/lookalikes.ts';
import { parseProjection } from '../../src/wording/parse-projection.ts';

const ID = 'art_1699234567_a1b2c3d4';

describe('a notice', () => {
  const read = (notice: string, dialect = standard) => {
    const parsed = parseProjection(`${notice}\nbody\n`, dialect);
    return [parsed?.artifactId, parsed?.totalChars, parsed?.exitCode];
  };

  it.each([
    ['least', `[Exit code 2. 12,345 chars in all. Artifact: ${ID}]`, 2],
    ['a short card', `[Artifact: ${ID}] Exit code 2. (12,345 chars)`, 2],
    [
      'without formatting',
      `[Formatting left out: 45 of 12,345 chars. Everything else is shown. Full output: ${ID}]`,
      null,
    ],
  ])('is read: %s', (_, notice, exitCode) => {
    expect(read(notice)).toEqual([ID, 12_345, exitCode]);
    expect(countLookalikes(notice, standard)).toBe(notice.split('\n').length);
  });

  it('is read in the dialect for agents that read files', () => {
    const notice = `[Exit code 1. Output truncated: 12,315 of 12,345 chars hidden, full output saved to out.txt (${ID}). Use a read tool or rg to get details. Showing first 10 and last 20 chars below.]`;
    expect(read(notice, spill)).toEqual([ID, 12_345, 1]);
  });
});

describe('a marker', () => {
  it.each([
    ['... [Beginning omitted from part 2/5: 1,100 lines / 120,456 chars] ...', 'part 2/5', 1_100],
    ['... [Beginning omitted: 1,100 lines / 120,456 chars: 3 hits in src/a.ts] ...', null, 1_100],
    ['... [1,100 lines / 120,456 chars omitted] ...', null, 1_100],
    ['... [1 line / 120,456 chars omitted from stdout: 2 files (a, b)] ...', 'stdout', 1],
    ['... [Remainder omitted from stderr: 1,100 lines / 120,456 chars] ...', 'stderr', 1_100],
    ['... [2,381 parts: 1,100 lines / 120,456 chars omitted] ...', null, 1_100],
  ])('is read: %s', (marker, from, lines) => {
    expect(standard.readMarkers(`a\n${marker}\nb`)).toEqual([{ chars: 120_456, lines, from, at: 2 }]);
    expect(countLookalikes(marker, standard)).toBe(1);
  });

  it.each([
    [plain, '... (120,456 chars truncated)', null],
    [plain, '... (120,456 chars truncated from stdout) ...', 'stdout'],
    [plain, '... (120,456 chars truncated from part 2/5: 2 hits)', 'part 2/5'],
    [spill, '... (120,456 characters truncated from stderr) ...', 'stderr'],
  ])('is read in the other dialects: %#', (dialect, marker, from) => {
    expect(dialect.readMarkers(`a\n${marker}\nb`)).toEqual([{ chars: 120_456, lines: null, from, at: 2 }]);
    expect(countLookalikes(marker, dialect)).toBe(1);
  });
});

describe('a sentence in a history', () => {
  const call = { callId: 'call_1', tool: 'read_file' };

  it.each([
    '[No tool output. No result was recorded for the call call_1 of read_file. The call may still be running, or may have taken effect already.]',
    `[No tool output. The result of the call call_1 of read_file (${ID}) is no longer kept. The call was made; only its output is missing.]`,
    `[No tool output. The result of the call call_1 of read_file (${ID}) is damaged in the store. The call was made; only its output is missing.]`,
  ])('stands in for a result of its own call: %s', (text) => {
    expect(isStandIn(call, text)).toBe(true);
    expect(isStandIn({ ...call, callId: 'call_2' }, text)).toBe(false);
    expect(countLookalikes(text, standard)).toBe(1);
  });

  it('opens a late result', () => {
    const text = '[Result of the call call_1 of read_file, which arrived after the summary above.]';
    expect(isLateResult(text)).toBe(true);
    expect(isLateResult(`said\n${text}`)).toBe(false);
    expect(isLateResult(`${text}\nsaid`)).toBe(false);
    expect(countLookalikes(text, standard)).toBe(1);
  });
});
