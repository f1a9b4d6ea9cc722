/** Retrieval by JSONPath: what the standard says, exactly as stored, in pages, within bounds. */
import type { Spillway } from '@spillway/core';
import fc from 'fast-check';
import { jsonpath } from 'json-p3';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSpillway } from '../../core/test/opening.ts';
import { jsonPaths } from '../src/paths.ts';
import { re2Patterns } from '../src/patterns.ts';

let spillway: Spillway;

beforeAll(async () => {
  spillway = openSpillway({ patterns: await re2Patterns(), paths: jsonPaths() });
});

async function store(text: string): Promise<string> {
  const answer = await spillway.process({ tool: 't', session: 's', scope: 's' }, { kind: 'text', text });
  return (await spillway.sealed(answer))?.id ?? '';
}

const fetch = (id: string, json_path: string, more: object = {}) =>
  spillway.retrieve({ artifact_id: id, json_path, ...more }, 's');

/** What a query gives, and where: all pages, as one text. */
async function answer(text: string, query: string): Promise<string> {
  return allPages(await store(text), query);
}

async function allPages(id: string, query: string): Promise<string> {
  let page = await fetch(id, query);
  let body = page.body;
  while (page.nextCursor !== null) {
    page = await fetch(id, query, { cursor: page.nextCursor });
    expect(page.text.length).toBeLessThanOrEqual(16_000);
    body += page.body;
  }
  return body;
}

const STORE = `{ "store": {
    "book": [
      { "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95 },
      { "category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99 },
      { "category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99 },
      { "category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99 }
    ],
    "bicycle": { "color": "red", "price": 399 }
  }
}`;

describe('the example of the standard', () => {
  it.each([
    [
      '$.store.book[*].author',
      `$['store']['book'][0]['author']: "Nigel Rees"\n$['store']['book'][1]['author']: "Evelyn Waugh"\n$['store']['book'][2]['author']: "Herman Melville"\n$['store']['book'][3]['author']: "J. R. R. Tolkien"\n`,
    ],
    [
      '$.store..price',
      `$['store']['book'][0]['price']: 8.95\n$['store']['book'][1]['price']: 12.99\n$['store']['book'][2]['price']: 8.99\n$['store']['book'][3]['price']: 22.99\n$['store']['bicycle']['price']: 399\n`,
    ],
    ['$..book[2].author', `$['store']['book'][2]['author']: "Herman Melville"\n`],
    ['$..book[2].publisher', ''],
    ['$..book[-1].title', `$['store']['book'][3]['title']: "The Lord of the Rings"\n`],
    ['$..book[:2].price', `$['store']['book'][0]['price']: 8.95\n$['store']['book'][1]['price']: 12.99\n`],
    [
      '$..book[?@.isbn].title',
      `$['store']['book'][2]['title']: "Moby Dick"\n$['store']['book'][3]['title']: "The Lord of the Rings"\n`,
    ],
    [
      '$..book[?@.price<10].title',
      `$['store']['book'][0]['title']: "Sayings of the Century"\n$['store']['book'][2]['title']: "Moby Dick"\n`,
    ],
    ['$.store.bicycle', `$['store']['bicycle']: { "color": "red", "price": 399 }\n`],
    [
      '$.store.book[::-2].price',
      `$['store']['book'][3]['price']: 22.99\n$['store']['book'][1]['price']: 12.99\n`,
    ],
    [
      "$.store.book[0]['price','author']",
      `$['store']['book'][0]['price']: 8.95\n$['store']['book'][0]['author']: "Nigel Rees"\n`,
    ],
    ['$.store.book[?match(@.author, "[A-Z]. R. R. .*")].price', `$['store']['book'][3]['price']: 22.99\n`],
    [
      '$.store.book[?search(@.title, "of the")].price',
      `$['store']['book'][0]['price']: 8.95\n$['store']['book'][3]['price']: 22.99\n`,
    ],
    ['$.store[?count(@.*) > 3 && !@.color][0].price', `$['store']['book'][0]['price']: 8.95\n`],
    ['$.store.book[?length(@.title) == 9].price', `$['store']['book'][2]['price']: 8.99\n`],
  ])('%s', async (query, expected) => {
    expect(await answer(STORE, query)).toBe(expected);
  });

  it('$..* gives everything below the root, and tells how much that is', async () => {
    const page = await fetch(await store(STORE), '$..*');
    expect(page.found).toEqual({ unit: 'match', first: 1, last: 27, total: 27 });
  });
});

describe('values', () => {
  it('are given as written: long integers, escapes, white space, doubled keys', async () => {
    const text =
      '{"n":12345678901234567890,"f":1.50e+0010,"s":"\\u0041\\/\\ud83d\\ude00","a":[ 1 ,\t2 ],"n":-0}';
    const exact = `$['n']: 12345678901234567890\n$['f']: 1.50e+0010\n$['s']: "\\u0041\\/\\ud83d\\ude00"\n$['a']: [ 1 ,\t2 ]\n$['n']: -0\n`;
    expect(await answer(text, '$.*')).toBe(exact);
    expect(await answer(text, '$[?@]')).toBe(exact);
    expect(await answer(text, '$[?@ != "x"]')).toBe(exact);
    expect(await answer(text, '$.n')).toBe(`$['n']: 12345678901234567890\n$['n']: -0\n`);
  });

  it('that are long integers are told apart in comparisons', async () => {
    const text = '[12345678901234567890,12345678901234567891,1e3,1000,-12345678901234567890]';
    expect(await answer(text, '$[?@ == 12345678901234567891]')).toBe('$[1]: 12345678901234567891\n');
    expect(await answer(text, '$[?@ < 12345678901234567890 && @ > 999.5]')).toBe('$[2]: 1e3\n$[3]: 1000\n');
    expect(await answer(text, '$[?@ == 1000]')).toBe('$[2]: 1e3\n$[3]: 1000\n');
  });

  it('are found by the name that their key stands for, and named by a normalized path', async () => {
    const text = `{"a\\u0062":1,"it's":2,"\\n\\\\":3,"😀":4,"":5}`;
    const all = `$['ab']: 1\n$['it\\'s']: 2\n$['\\n\\\\']: 3\n$['😀']: 4\n$['']: 5\n`;
    expect(await answer(text, '$[*]')).toBe(all);
    expect(await answer(text, '$..[*]')).toBe(all);
    expect(await answer(text, `$['ab',"it's","\\n\\\\",'😀','']`)).toBe(all);
    expect(await answer(text, '$.ab')).toBe(`$['ab']: 1\n`);
    expect(await answer('{"\\u000b\\ud800":1}', '$.*')).toBe(`$['\\u000b\\ud800']: 1\n`);
  });

  it('one after another are read as one array', async () => {
    const page = await fetch(await store('{"a":1}\n{"a":2}\n{"b":3}\n'), '$[*].a');
    expect(page.body).toBe(`$[0]['a']: 1\n$[1]['a']: 2\n`);
    expect(page.notice).toContain(': matches 1-2 of 2 (several JSON values, read as one array)]');
    expect(await answer('{"a":1}\n{"a":2}\n', '$[?@.a > 1]')).toBe('$[1]: {"a":2}\n');
    expect(await answer('1 2\n', '$')).toBe('$: 1 2\n\n');
  });

  it('may be the root', async () => {
    expect(await answer('\uFEFF 42 ', '$')).toBe('$: 42\n');
    expect(await answer('"x"', '$..*')).toBe('');
  });
});

describe('a query', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 1));
  const names = ['a', 'b', '0', ' ', "'"];
  const document = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(
        fc.integer({ min: -3, max: 3 }),
        fc.constantFrom('a', 'ab', '', 'é'),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const index = fc.integer({ min: -4, max: 4 });
  const optional = fc.option(index, { nil: '' as const });
  const singular = fc.constantFrom('@', '@.a', '@.b', '@[0]', '@[-1]', '$.a', '@.a.b');
  const operand = fc.oneof(
    singular,
    fc.constantFrom(
      '1',
      '-2',
      '"a"',
      'true',
      'null',
      'length(@)',
      'length(@.a)',
      'count(@.*)',
      'count(@..*)',
      'value(@..a)',
      'value($.b)',
    ),
  );
  const test = fc.oneof(
    singular,
    fc.constantFrom('@.*', '@..a', '!@.b', 'match(@, "a.?")', 'search(@.a, "b|é")', '@[?@.a]', '!(@.a == 1)'),
    fc
      .tuple(operand, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), operand)
      .map((parts) => parts.join(' ')),
  );
  const filter = fc
    .oneof(
      test,
      fc.tuple(test, fc.constantFrom('&&', '||'), test).map((parts) => parts.join(' ')),
    )
    .map((t) => `?${t}`);
  const selector = fc.oneof(
    fc.constantFrom("'a'", "'b'", '"0"', "'\\''", '*'),
    index.map(String),
    fc.tuple(optional, optional, optional).map((parts) => parts.join(':')),
    filter,
  );
  const segment = fc
    .tuple(fc.constantFrom('', '', '..'), fc.array(selector, { minLength: 1, maxLength: 2 }))
    .map(([dots, all]) => `${dots}[${all.join(',')}]`);
  const query = fc.array(segment, { maxLength: 3 }).map((all) => `$${all.join('')}`);

  const independent = new jsonpath.JSONPathEnvironment();
  for (const name of ['match', 'search']) {
    const standard = independent.functionRegister.get(name) as jsonpath.FilterFunction;
    // To it `["a"]` is as good as "a"; to the standard only a string matches.
    const strict = (value: unknown, pattern: unknown) =>
      typeof value === 'string' && standard.call(value, pattern);
    independent.functionRegister.set(name, {
      argTypes: standard.argTypes,
      returnType: standard.returnType,
      call: strict,
    });
  }

  it('selects what an independent implementation of the standard selects, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          document,
          json.map((text) => JSON.parse(text)),
        ),
        query,
        async (value, asked) => {
          const nodes = independent.query(asked, value as never).nodes;
          const expected = nodes.map((node) => `${node.path}: ${JSON.stringify(node.value)}\n`).join('');
          expect(await answer(JSON.stringify(value), asked)).toBe(expected);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['$.a b', 'json_path is not a valid JSONPath (RFC 9535), at char 5: '],
    ['items', 'json_path is not a valid JSONPath (RFC 9535), at char 1: '],
    ['$[?count(1) > 1]', 'at char 10: count() argument 0 must be of NodesType.'],
    ['$[?foo(@)]', "at char 4: no such function 'foo'."],
    ['$[?@.*==1]', 'at char 4: non-singular query is not comparable.'],
    ['$[01]', 'at char 3: leading zero in index selector.'],
    ['$["a', 'at char 5: unclosed string'],
    ['$.a[?match(@.a, "(")]', 'The pattern is not valid RE2 syntax: '],
    [`$${'.a'.repeat(600)}`, 'json_path may have at most 1000 chars.'],
    [`$[?${'('.repeat(480)}@${')'.repeat(480)}]`, ''],
  ])('like %s is refused, and where it is wrong is told', async (asked, message) => {
    const id = await store('{"a":[{"a":"x"}]}');
    if (message === '') return void (await fetch(id, asked));
    await expect(fetch(id, asked)).rejects.toThrow(message);
    await expect(fetch(id, asked)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it.each([
    [
      'plain text',
      'This part is not JSON (a value is missing), so json_path cannot be used. Ask by lines, chars or pattern.',
    ],
    ['{"a":1', 'This part is not JSON (the text ends too early)'],
    ['{"a":1,}', 'This part is not JSON (a key is missing)'],
    ['{"a":1} trailing', 'This part is not JSON (a value is not known)'],
  ])('on %j is refused', async (text, message) => {
    const id = await store(text);
    for (const asked of ['$.a', '$..a']) await expect(fetch(id, asked)).rejects.toThrow(message);
  });

  it('goes with nothing else, and its cursor with nothing but itself', async () => {
    const id = await store(STORE);
    await expect(fetch(id, '$', { lines: '1-2' })).rejects.toThrow(
      'Ask for lines, chars, a pattern, a path, rows or a file, not for several at once.',
    );
    await expect(fetch(id, '$', { rows: '1-2' })).rejects.toThrow('not for several at once');
    await expect(fetch(id, '$', { context: 2 })).rejects.toThrow(
      'context goes with pattern: give a pattern too, or leave out context.',
    );
    await expect(fetch(id, '$', { cursor: '1.5.7' })).rejects.toThrow(
      'cursor must be one that an earlier page of the same question named.',
    );
    await expect(spillway.retrieve({ artifact_id: id, cursor: 's0.0.0.9.0' }, 's')).rejects.toThrow(
      'This cursor goes with the json_path, rows, file or xml_path of the page that named it: repeat both.',
    );
    await expect(
      (async () => {
        for await (const _ of await spillway.readRaw({ artifact_id: id, json_path: '$' }, 's'));
      })(),
    ).rejects.toThrow('json_path has no raw form.');
  });
});

describe('the pieces in which a document is stored', () => {
  it('do not matter: not inside a key, an escape, a number or a character', async () => {
    const value = fc.dictionary(
      fc.stringMatching(/^[a-z"\\\né]{1,8}$/),
      fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), fc.array(fc.boolean())),
      { minKeys: 1, maxKeys: 12 },
    );
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 65_380, max: 65_530 }), async (object, filler) => {
        const id = await store(`["${'f'.repeat(filler)}",${JSON.stringify(object)},"end"]`);
        const expected = Object.entries(object).map(([, each]) => `: ${JSON.stringify(each)}\n`);
        for (const query of ['$[1].*', '$[1:][?@ != "nobody says this"]']) {
          const page = await fetch(id, query);
          expect(page.found?.total).toBe(expected.length);
          for (const text of expected) expect(page.body).toContain(text);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('pages', () => {
  const items = Array.from({ length: 3_000 }, (_, i) => `{"id":${i},"text":"${'é'.repeat(i % 40)}"}`);
  const text = `{"items":[${items.join(', ')}]}`;

  it.each(['$.items[*]', '$.items[?@.id >= 0]', '$.items[100:2900]'])(
    'of %s put together hold each match once',
    async (query) => {
      const id = await store(text);
      const body = await allPages(id, query);
      const [from, to] = query.includes(':') ? [100, 2_900] : [0, 3_000];
      expect(body).toBe(
        items
          .map((item, i) => `$['items'][${i}]: ${item}\n`)
          .slice(from, to)
          .join(''),
      );
      const first = await fetch(id, query);
      expect(first.notice).toMatch(
        new RegExp(
          `^\\[${id}: matches 1-\\d+ of ${(to - from).toLocaleString('en')}\\. Next: get_artifact\\(artifact_id="${id}", json_path=.*, cursor="s0\\..*"\\)\\]\\n$`,
        ),
      );
    },
  );

  it('of one large match put together are that match', async () => {
    const id = await store(`{"small":1,"large":"${'wörd '.repeat(20_000)}","last":2}`);
    for (const query of ['$.*', '$[?@]'])
      expect(await allPages(id, query)).toBe(
        `$['small']: 1\n$['large']: "${'wörd '.repeat(20_000)}"\n$['last']: 2\n`,
      );
    const page = await fetch(id, '$.large');
    expect(page.notice).toContain(
      `: matches 1-1 of 1, the last goes on. Next: get_artifact(artifact_id="${id}", json_path="$.large", cursor="s0.0.`,
    );
  });

  it.each(['s0.999999.0.5.0', 's0.2999.999999999.3000.0', 's0.5.3.999999999999999.77', 's0.0.0.0.0'])(
    'asked for by the forged cursor %s are bounded, and end',
    async (forged) => {
      const id = await store(text);
      let cursor: string | null = forged;
      for (let pages = 0; cursor !== null; pages++) {
        expect(pages).toBeLessThan(40);
        const page: Awaited<ReturnType<typeof fetch>> = await fetch(id, '$.items[*].id', { cursor });
        expect(page.text.length).toBeLessThanOrEqual(16_000);
        cursor = page.nextCursor;
      }
    },
  );

  it('that nothing is on tell so', async () => {
    const id = await store(STORE);
    expect((await fetch(id, '$.nothing')).text).toBe(`[${id}: nothing matches in ${STORE.length} chars]\n`);
    expect((await fetch(id, '$.*', { cursor: 's0.7.0.7.0' })).text).toBe(
      `[${id}: nothing at that place. In all: 7 matches]\n`,
    );
  });
});

describe('hostile questions', () => {
  const deep = `${'['.repeat(1_900)}1${']'.repeat(1_900)}`;
  const wide = `[${Array.from({ length: 30_000 }, (_, i) => `{"a":"${'a'.repeat(30)}!","b":[${i}]}`).join(',')}]`;

  it.each([
    ['$..*..*..*', deep],
    ['$[?count($..*) > 1]', wide],
    ['$[?match(@.a, "(a+)+b")]', wide],
    [`$${'[*,*]'.repeat(60)}`, '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]'],
  ])('%s is answered or refused', async (query, text) => {
    const id = await store(text);
    const words = await fetch(id, query).then(
      ({ notice }) => notice,
      (error: Error) => error.message,
    );
    expect(words).toMatch(/matches|This query takes too much work on a document of this size\./);
  });

  it('nested too deeply for a query in memory are refused; simple ones are not', async () => {
    const id = await store(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    await expect(fetch(id, '$..*')).rejects.toThrow(
      'The document is nested more than 2,000 levels deep: too much for this query. Ask for one place',
    );
    expect((await fetch(id, '$[0][0]')).found?.total).toBe(1);
  });
});
