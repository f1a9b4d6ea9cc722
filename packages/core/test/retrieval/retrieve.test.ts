/** Fetching back what was stored. */
import { memoryStore, type Spillway } from '@spillway/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

const five = 'one\ntwo\nthree\nfour\nfive\n';
let spillway: Spillway;
let id: string;

beforeEach(async () => {
  spillway = openSpillway({
    patterns: { compile: (pattern) => ({ find: (text) => text.search(new RegExp(pattern)) }) },
  });
  id = await store(five);
});

async function store(text: string | Uint8Array): Promise<string> {
  const answer = await spillway.process({ tool: 't', session: 's', scope: 's' }, { kind: 'text', text });
  return (await spillway.sealed(answer))?.id ?? '';
}

const fetch = (args: object) => spillway.retrieve({ artifact_id: id, ...args }, 's');

describe('lines of a five-line artifact', () => {
  it.each([
    [{ lines: '2-4' }, 'two\nthree\nfour\n'],
    [{ start_line: 2, end_line: 4 }, 'two\nthree\nfour\n'],
    [{ start_line: 2 }, 'two\nthree\nfour\nfive\n'],
    [{ lines: '2-' }, 'two\nthree\nfour\nfive\n'],
    [{ lines: '1-100' }, five],
    [{ end_line: 2 }, 'one\ntwo\n'],
    [{ lines: 3 }, 'three\n'],
    [{}, five],
    [{ chars: '1-3' }, 'one'],
    [{ chars: '5-' }, 'two\nthree\nfour\nfive\n'],
    [{ offset: 2, limit: 2 }, 'two\nthree\n'],
    [{ offset: 0, limit: 1 }, 'one\n'],
    [{ offset: '4' }, 'four\nfive\n'],
    [{ limit: 2 }, 'one\ntwo\n'],
  ])('%j', async (args, body) => {
    expect((await fetch(args)).body).toBe(body);
  });

  it.each(['grep', 'query'])('that match are searched by %s as by pattern', async (alias) => {
    expect((await fetch({ [alias]: 't.*e' })).text).toBe((await fetch({ pattern: 't.*e' })).text);
  });

  it('from 10 are none, with the totals told', async () => {
    const page = await fetch({ start_line: 10 });
    expect(page).toMatchObject({ body: '', lines: null, totalLines: 5, totalChars: 24, nextCall: null });
  });

  it.each([
    [{ lines: '4-2' }, 'lines: the range ends before it begins (4-2).'],
    [{ start_line: 4, end_line: 2 }, 'end_line: the range ends before it begins (4-2).'],
    [{ start_line: 0 }, 'start_line must be a whole number from 1 up.'],
    [{ lines: 'abc' }, 'lines must look like 12-40, 12- or 12.'],
    [{ chars: '0-5' }, 'chars must be a whole number from 1 up.'],
    [
      { lines: '1-2', chars: '1-2' },
      'Ask for lines, chars, a pattern, a path, rows or a file, not for several at once.',
    ],
    [
      { offset: 2, pattern: 'two' },
      'Ask for lines, chars, a pattern, a path, rows or a file, not for several at once.',
    ],
    [{ limit: 0 }, 'limit must be a whole number from 1 up.'],
    [{ cursor: '../../etc' }, 'cursor must be one that an earlier page named.'],
    [{ cursor: '9.0.5' }, 'cursor must be one that an earlier page of this artifact named.'],
    [{ part: 'stderr' }, 'This artifact has no such part. Its parts: 1.'],
    [{ colour: 'red' }, 'Unknown argument "colour".'],
    [{ pattern: 5 }, 'pattern must be a string of at most 10,000 chars.'],
  ])('asked for by %j are refused: %s', async (args, message) => {
    await expect(fetch(args)).rejects.toThrow(message);
    await expect(fetch(args)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('of several parts', () => {
  const long = (word: string) => Array.from({ length: 3_000 }, (_, i) => `${word} ${i + 1}\n`).join('');
  const [stdout, stderr] = [long('out'), long('err')];

  /** What the pages say, from hint to hint. */
  async function followed(args: object): Promise<string> {
    let text = '';
    for (let next: object | null = args; next !== null; ) {
      const { body, nextCursor } = await fetch(next);
      text += body;
      next = nextCursor === null ? null : { cursor: nextCursor };
    }
    return text;
  }

  beforeEach(async () => {
    const result = { kind: 'exec' as const, stdout, stderr, exitCode: 0 };
    const answer = await spillway.process({ tool: 't', session: 's', scope: 's' }, result);
    id = (await spillway.sealed(answer))?.id ?? '';
  });

  it.each([
    ['the part that is named', { part: 'stdout' }, stdout],
    ['the part that is numbered', { part: '2' }, stderr],
    ['the lines of the first', { lines: '2-' }, stdout.slice(stdout.indexOf('\n') + 1)],
    ['the chars of the first', { chars: '5-' }, stdout.slice(4)],
    ['everything', {}, stdout + stderr],
  ])('pages end where %s ends', async (_, args, text) => {
    expect(await followed(args)).toBe(text);
  });

  it('one that is not there is answered with the names of the others', async () => {
    await expect(fetch({ part: 'log' })).rejects.toThrow('Its parts: stdout, stderr.');
  });

  it('none can be asked for without an id', async () => {
    await expect(spillway.retrieve({ lines: '1-2' }, 's')).rejects.toThrow('artifact_id is missing');
  });
});

describe('an id', () => {
  it.each([
    'art_../../etc/passwd',
    'art_%2e%2e%2fetc',
    'art_a b!@#',
    '',
    null,
    undefined,
    5,
    'art_1_abcd\n',
    'ART_1_abcd',
    `art_1_${'a'.repeat(65)}`,
  ])('like %j is refused before the store is asked', async (bad) => {
    const deaf = openSpillway({
      store: new Proxy(memoryStore(), {
        get: () => () => {
          throw new Error('store touched');
        },
      }),
    });
    await expect(deaf.retrieve({ artifact_id: bad }, 's')).rejects.toMatchObject({
      code: 'invalid_id',
      status: 400,
    });
  });

  it('that is well-formed but unknown is a 404, as is one of another scope', async () => {
    await expect(spillway.retrieve({ artifact_id: 'art_1699234567_a1b2c3' }, 's')).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    });
    await expect(spillway.retrieve({ artifact_id: id }, 'other')).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    });
  });

  it('of an ended session is a 410', async () => {
    await spillway.endSession('s', 's');
    await expect(fetch({})).rejects.toMatchObject({ code: 'gone', status: 410 });
  });
});

describe('a 500 KB line', () => {
  it('is reachable to the last char, page by page and by chars', async () => {
    const line = `{"items":[${Array.from({ length: 50_000 }, (_, i) => i * 97).join(',')}]}`;
    id = await store(line);
    let page = await fetch({});
    let body = page.body;
    while (page.nextCursor !== null) {
      page = await fetch({ cursor: page.nextCursor });
      body += page.body;
    }
    expect(body).toBe(line);
    expect((await fetch({ chars: `${line.length - 9}-${line.length}` })).body).toBe(line.slice(-10));
  });
});

describe('chars', () => {
  it('of neighbouring ranges put together are the text, also across an emoji', async () => {
    id = await store('ab😀cd');
    expect([(await fetch({ chars: '1-3' })).body, (await fetch({ chars: '4-6' })).body]).toEqual([
      'ab😀',
      'cd',
    ]);
  });
});

describe('a pattern', () => {
  it('gives matching lines with their numbers and the total', async () => {
    const page = await fetch({ pattern: 'o' });
    expect(page.text).toBe(`[${id}: 3 of 3 matching lines, 5 lines in all]\n1:one\n2:two\n4:four\n`);
  });

  it('with very many matches is paged; the pages together hold each match once', async () => {
    id = await store(Array.from({ length: 5_000 }, (_, i) => `match ${i}\r\n`).join(''));
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await fetch({ pattern: 'match', ...(cursor ? { cursor } : {}) });
      expect(page.text.length).toBeLessThanOrEqual(16_000);
      seen.push(...page.body.trimEnd().split('\n'));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, i) => `${i + 1}:match ${i}`));
  });

  it('is searched in all parts, and each line names its part', async () => {
    const answer = await spillway.process(
      { tool: 't', session: 's', scope: 's' },
      { kind: 'exec', stdout: 'ok\nan error\n', stderr: 'fine\nerror: no space\n', exitCode: 1 },
    );
    id = (await spillway.sealed(answer))?.id ?? '';
    const page = await fetch({ pattern: 'error', context: 1 });
    expect(page.text).toBe(
      `[${id}: 2 of 2 matching lines, 4 lines in all]\nstdout-1-ok\nstdout:2:an error\n--\nstderr-1-fine\nstderr:2:error: no space\n`,
    );
    expect(page).toMatchObject({ part: 'all', lines: null, totalLines: 4 });
    const one = await fetch({ pattern: 'error', part: 'stderr' });
    expect(one.text).toBe(`[${id} stderr: 1 of 1 matching line, 2 lines in all]\n2:error: no space\n`);
  });

  it('in many parts is paged from part to part; the pages together hold each match once', async () => {
    const parts = Array.from({ length: 1_200 }, (_, i) => ({
      type: 'text' as const,
      text: i % 3 === 0 ? '' : `a\nmatch ${i} ${'x'.repeat(30)}\nb`,
    }));
    const answer = await spillway.process(
      { tool: 't', session: 's', scope: 's' },
      { kind: 'blocks', blocks: parts },
    );
    id = (await spillway.sealed(answer))?.id ?? '';
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await fetch({ pattern: 'match', cursor });
      expect(page.text.length).toBeLessThanOrEqual(16_000);
      expect(page.notice).toContain('of 800 matching lines, 2,400 lines in all');
      seen.push(...page.body.trimEnd().split('\n'));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(
      parts.flatMap(({ text }, i) => (text === '' ? [] : [`${i + 1}:2:${text.split('\n')[1]}`])),
    );
  });

  it('that goes on in one part stays in it', async () => {
    const lines = (what: string) =>
      Array.from({ length: 800 }, (_, i) => `${what} ${i} ${'x'.repeat(20)}\n`).join('');
    const answer = await spillway.process(
      { tool: 't', session: 's', scope: 's' },
      { kind: 'exec', stdout: lines('first'), stderr: lines('second'), exitCode: 0 },
    );
    id = (await spillway.sealed(answer))?.id ?? '';
    const first = await fetch({ pattern: 't \\d', part: 'stdout' });
    expect(first.nextCursor).not.toBeNull();
    const next = await fetch({ pattern: 't \\d', part: 'stdout', cursor: first.nextCursor });
    expect(`${first.body}${next.body}`).toBe(
      Array.from({ length: 800 }, (_, i) => `${i + 1}:first ${i} ${'x'.repeat(20)}\n`).join(''),
    );
    await expect(fetch({ pattern: 't', part: 'stderr', cursor: first.nextCursor })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('is refused where no engine for it was given', async () => {
    const bare = openSpillway();
    const answer = await bare.process({ tool: 't', session: 's', scope: 's' }, { kind: 'text', text: five });
    await expect(
      bare.retrieve({ artifact_id: (await bare.sealed(answer))?.id, pattern: 'o' }, 's'),
    ).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
