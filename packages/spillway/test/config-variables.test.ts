import { describe, expect, test } from 'vitest';
import { DOTENV, refusal, setupWith } from './config-files.ts';

describe('.env', () => {
  test('is read for TRUNCATION_ lines only, with quotes, comments, export and spaces', async () => {
    const setup = await setupWith({
      [DOTENV]: [
        '\uFEFF# settings',
        'export TRUNCATION_MAX_CHARS = "1_000"  # a comment',
        "TRUNCATION_STRATEGY='tail'",
        'TRUNCATION_MAX_LINES=off # none',
        'TRUNCATION_PAGE_LIMIT=',
        'DATABASE_URL=postgres://x#y',
        'this is no assignment',
        'KEY="-----BEGIN',
        'TRUNCATION_HEAD_RATIO=nonsense',
        '-----END"',
        'TRUNCATION_TAIL_LINES=7',
      ].join('\r\n'),
    });
    const before = { ...process.env };
    const explain = await setup.explain();
    expect(explain('inline_limit')).toMatchObject({ value: 1_000, source: '.env:2' });
    expect(explain('strategy')).toMatchObject({ value: 'tail', source: '.env:3' });
    expect(explain('max_lines')).toMatchObject({ value: null, source: '.env:4' });
    expect(explain('page_limit').source).toBe('built-in');
    expect(explain('head_ratio').source).toBe('built-in');
    expect(explain('tail_lines')).toMatchObject({ value: 7, source: '.env:11' });
    expect(process.env).toEqual(before);
  });

  test.each([
    [
      'a wrong value',
      'A=1\nTRUNCATION_MAX_CHARS=abc',
      '.env:2: TRUNCATION_MAX_CHARS must be a whole number of at least 300; it was "abc".',
    ],
    [
      'open quotes',
      'TRUNCATION_STRATEGY="tail',
      '.env:1: TRUNCATION_STRATEGY has quotes that do not fit together.',
    ],
    [
      'a value without end',
      `TRUNCATION_STRATEGY=${'x'.repeat(1_001)}`,
      '.env:1: a name has at most 100 chars, a value 1,000.',
    ],
    [
      'a name without end',
      `A=1\nTRUNCATION_${'X'.repeat(90)}=1`,
      '.env:2: a name has at most 100 chars, a value 1,000.',
    ],
    [
      'a name twice',
      'TRUNCATION_SNAP=line\nTRUNCATION_SNAP=exact',
      '.env:2: TRUNCATION_SNAP is set twice: .env:1 is the same setting.',
    ],
  ])('with %s is refused, naming the line', async (_, text, message) => {
    expect(await refusal({ [DOTENV]: text })).toBe(message);
  });
});

describe('a variable', () => {
  test.each([
    [
      'TRUNCATION_MAX_CHARS',
      'abc',
      'TRUNCATION_MAX_CHARS must be a whole number of at least 300; it was "abc".',
    ],
    ['TRUNCATION_MAX_CHARS', '0', 'TRUNCATION_MAX_CHARS must be a whole number of at least 300; it was 0.'],
    [
      'TRUNCATION_INLINE_LIMIT',
      '-1',
      'TRUNCATION_INLINE_LIMIT must be a whole number of at least 300; it was -1.',
    ],
    ['TRUNCATION_HEAD_RATIO', '1.1', 'TRUNCATION_HEAD_RATIO must be a number from 0 to 1; it was 1.1.'],
    ['TRUNCATION_PRESERVE_ERRORS', 'yes', 'TRUNCATION_PRESERVE_ERRORS must be true or false; it was "yes".'],
    [
      'TRUNCATION_STRATEGY',
      'middle',
      /^strategy "middle" \(from TRUNCATION_STRATEGY\) is not known\. Known: auto, head, tail, head_tail, size_limit, /,
    ],
    [
      'TRUNCATION_MAX_CHAR',
      '500',
      /^TRUNCATION_MAX_CHAR: "max_char" is not a setting\. Did you mean inline_limit\? Settings: strategy, inline_limit, /,
    ],
    ['TRUNCATION_Max_Chars', '500', /^TRUNCATION_Max_Chars: "Max_Chars" is not a setting\./],
    [
      'TRUNCATION_PROFILE',
      'huge',
      /^TRUNCATION_PROFILE "huge" is not a profile\. Profiles: standard, spill, /,
    ],
  ])('%s=%s is refused by its name', async (name, value, message) => {
    expect(await refusal({}, { [name]: value })).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  test('that is empty counts as not set; one of others is not read', async () => {
    const setup = await setupWith();
    expect((await setup.load({ TRUNCATION_MAX_CHARS: '', TRUNCATIONS: '1', MAX_CHARS: '7' })).layers).toEqual(
      [],
    );
  });

  test('may allow none', async () => {
    const setup = await setupWith();
    expect((await setup.explain('', { TRUNCATION_STRATEGY: 'none' }))('strategy').value).toBe('none');
  });
});
