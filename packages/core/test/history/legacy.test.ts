// What other agents say where they cut, in their own ways, and whole texts that only speak of such
// things.
import { describe, expect, it } from 'vitest';
import { detectLegacy } from '../../src/history/legacy.ts';
import { linesOf } from './opened.ts';

const BODY = linesOf(1_500, 'src/a.ts:');
const LINES = (before: string, after = '') => `${before}${BODY}${after}`;

describe('a text that another agent cut', () => {
  it.each([
    ['chars in the middle', LINES('', `\n\n... [12345 characters truncated] ...\n\n${BODY}`)],
    ['lines at the end', LINES('', '\n\n... [4821 lines truncated] ...')],
    ['lines at the beginning', LINES('[... 900 lines truncated ...]\n')],
    ['of so many lines', LINES('', `\n[... omitted 120 of 376 lines ...]\n\n${BODY}`)],
    ['tokens, within a line', LINES('Total output lines: 3000\n\n', `…12345 tokens truncated…${BODY}`)],
    ['without spaces', LINES('', `\n[...1,234 lines omitted...]\n${BODY}`)],
    ['angle brackets', LINES('', '\n\n<1200 lines truncated>')],
    [
      'in elements of their own',
      LINES('<output_head>\n', '</output_head>\n<elided_chars>\n12345 characters elided\n</elided_chars>'),
    ],
    [
      'in a sentence',
      LINES('', '\nObservations should not exceeded 100000 characters. 2345 characters were elided.'),
    ],
    ['bytes', LINES('', '\n\n...12034 bytes truncated...\n')],
    ['not shown', LINES('', '\n... 412 lines not shown ...')],
    [
      'saved to a file',
      LINES(
        '<persisted-output>\nOutput too large (52.3KB). Full output saved to: /x/b1.txt\n\nPreview (first 2KB):\n',
        '\n...\n</persisted-output>',
      ),
    ],
    [
      'for the rest a path',
      LINES(
        'Output too large. Showing the first 20% and last 80% characters. For full output see: /tmp/x.txt\n',
      ),
    ],
    [
      'moved to a file system',
      LINES(
        'Tool result too large, the result of this tool call c1 was saved in the filesystem at this path: /large/c1\n',
      ),
    ],
    ['with a log', LINES('', '\n\n[Showing lines 401-900 of 900. Full output: /tmp/bash-1.log]')],
    ['a page', LINES('', '\n\n[Showing lines 1-2000 of 5000 (50KB limit). Use offset=2001 to continue.]')],
    [
      'a page of a total',
      LINES('', '\n\n[Showing only 500 of 3000 total lines. Use line_range if you need to read more lines]'),
    ],
    ['more lines', LINES('', "\n\n(File has more lines. Use 'offset' parameter to read beyond line 2000)")],
    [
      'only a part',
      LINES(
        '',
        '<response clipped><NOTE>To save on context only part of this file has been shown to you.</NOTE>',
      ),
    ],
    ['a banner', LINES('', `\n[... Observation truncated due to length ...]\n${BODY}`)],
    ['capital letters', LINES('', '\n\n[OUTPUT TRUNCATED - exceeded 25000 token limit]\n')],
    ['a limit', LINES('', '\n(Output was truncated due to length limit)')],
    ['a warning before it', LINES('<warning>\nThe output of your last command was too long.\n</warning>\n')],
    ['a bare word', LINES('', '... (truncated)')],
    ['nothing but a note', '[Old tool result content cleared]'],
    ['a flag', JSON.stringify({ output: BODY, truncated: true })],
  ])('is recognised: %s', (_, text) => {
    const mark = detectLegacy(text);
    expect(mark?.confidence).toBeGreaterThanOrEqual(0.5);
    expect(mark?.confidence).toBeLessThanOrEqual(1);
    expect(mark?.signs.length).toBeGreaterThan(0);
  });

  // Each text that the design documents show or name, as they show it.
  it.each([
    ['S0 head_tail', `${BODY}\n\n... [150 lines / 12,340 chars omitted] ...\n\n${BODY}`],
    ['S0 tail', `... [Beginning omitted: 500 lines / 45,000 chars] ...\n\n${BODY}`],
    ['S0 head', `${BODY}\n\n... [Remainder omitted: 300 lines / 25,000 chars] ...`],
    ['S0 element', '{ "items": [{ "first": "item" }, "... 45 items omitted ...", { "last": "item" }] }'],
    ['S0 reference', '[Artifact: art_1699234567_a1b2c3] File contents of large_file.txt (2.3 MB)'],
    [
      'S1 header',
      `[Output truncated: 30000 chars hidden, full output saved to /tmp/klaude/Bash-call_abc123-1732521600.txt. Use Read tool or rg to get details. Showing first 10000 and last 10000 chars below.]\n\n${BODY}`,
    ],
    ['S1 middle', `${BODY}\n\n... (30000 characters truncated) ...\n\n[Last 10000 chars below]\n${BODY}`],
    ['S2 notice', `${BODY}\n\n... (42,381 chars truncated from output)`],
    ['S2 former notice', `${BODY}\nCommand output was truncated`],
    ['S4 content id', JSON.stringify({ output: BODY, truncatedContentId: 'trunc_1' })],
  ])('of the documents is recognised: %s', (_, text) => {
    expect(detectLegacy(text)?.confidence).toBeGreaterThanOrEqual(0.75);
  });

  it.each([
    [
      'names of tests',
      '[info] - Requests that exceed limit should be rejected\n[info] - a title that is too long is refused\n',
    ],
    ['a list', '- The name is too long.\n- The log was full.\n* the result is exact\n'],
    ['a linter', 'src/a.py:3:80: E501 line too long (92 > 79 characters)\n12 lines skipped\n'],
    ['options', '  --truncate N     show the first N lines\n  --full-output    write everything\n'],
    [
      'a program',
      'if (output.length > limit) {\n  throw new Error("the output is too long");\n}\nconst truncated = text.slice(0, limit);\n',
    ],
    ['a page of a tool', 'Results 1-10 of about 200\n1. one\n2. two\n'],
    [
      'SQL',
      'TRUNCATE TABLE logs;\n-- 3 rows affected\nERROR: value too long for type character varying(20)\n',
    ],
    [
      'a diff',
      '@@ -1,3 +1,3 @@\n-  // 3 lines were removed here\n+  // full output in build/out.log is kept\n',
    ],
    ['a build', 'Compiled 120 of 376 files\nFull report written to build/report.html\n'],
  ])('is told from a whole one: %s', (_, text) => {
    expect(detectLegacy(text)?.confidence ?? 0).toBeLessThan(0.5);
  });

  it('is looked at in linear time, whatever it holds', () => {
    for (const unit of ['[', '... ', '1,', 'showing 1-2 of ', 'output ', '<response '])
      expect(detectLegacy(unit.repeat(200_000))?.confidence ?? 0).toBeLessThan(0.9);
  });
});
