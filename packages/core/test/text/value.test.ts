/** JavaScript values as JSON text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueChunks, valueToJson } from '../../src/text/value.ts';

describe('a value', () => {
  it('is written at once with the same text and notes, whatever its fields are', () => {
    const field = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom<unknown>(null, true, -0, Number.NaN, undefined, 1n, [], { a: 1 }, new Date(0), () => 1),
    );
    const keys = fc.oneof(fc.string(), fc.constantFrom('$spillway', 'toJSON', '__proto__'));
    fc.assert(
      fc.property(fc.dictionary(keys, field, { noNullPrototype: true }), (value) => {
        const { text, kind, notes } = valueToJson(value);
        expect(valueChunks(value)).toEqual({ chunks: text, kind, notes });
      }),
    );
    const { text } = valueToJson(
      Object.create({ inherited: 1 }, { own: { get: () => 1, enumerable: true } }),
    );
    expect(text).toBe('{"own":1}');
  });

  it('becomes the JSON that JSON.stringify would write, where JSON can say it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const value: unknown = JSON.parse(JSON.stringify(any));
        fc.pre(typeof value !== 'string');
        expect(valueToJson(value).text).toBe(JSON.stringify(value));
      }),
    );
    expect(valueToJson({ at: new Date(0) }).text).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
  });

  it('keeps undefined, null, empty text, false and 0 apart', () => {
    expect(
      [undefined, null, '', false, 0].map((value) => [valueToJson(value).kind, valueToJson(value).text]),
    ).toEqual([
      ['undefined', ''],
      ['null', 'null'],
      ['string', ''],
      ['boolean', 'false'],
      ['number', '0'],
    ]);
  });

  it('tags what JSON cannot say, and notes it', () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    expect(valueToJson({ big: 12345678901234567890n, nan: Number.NaN, none: undefined })).toEqual({
      text: '{"big":{"$spillway":"bigint","value":"12345678901234567890"},"nan":{"$spillway":"number","value":"NaN"},"none":{"$spillway":"undefined"}}',
      kind: 'object',
      notes: ['bigint', 'number', 'undefined'],
    });
    expect(valueToJson(cycle).text).toBe('{"a":1,"self":{"$spillway":"cycle"}}');
    expect(valueToJson([-0, Number.POSITIVE_INFINITY]).text).toBe(
      '[{"$spillway":"number","value":"-0"},{"$spillway":"number","value":"Infinity"}]',
    );
    expect(valueToJson(new Map([['k', new Set([1])]])).text).toBe(
      '{"$spillway":"map","value":[["k",{"$spillway":"set","value":[1]}]]}',
    );
    expect(valueToJson(Uint8Array.of(1, 2)).text).toBe('{"$spillway":"bytes","value":"AQI="}');
    expect(valueToJson(Uint8Array.of(1, 2).buffer).text).toBe('{"$spillway":"bytes","value":"AQI="}');
    expect(valueToJson([new Response('text'), {}, Object.create(null)]).text).toBe(
      '[{"$spillway":"instance","value":"Response"},{},{}]',
    );
    expect(valueToJson(new Date(Number.NaN)).text).toBe('{"$spillway":"date","value":"Invalid Date"}');
    expect(JSON.parse(valueToJson(new TypeError('no')).text)).toMatchObject({
      $spillway: 'error',
      value: { name: 'TypeError', message: 'no' },
    });
  });

  it('that looks like a tag is told apart from one', () => {
    expect(valueToJson({ $spillway: 'bigint', value: '1' }).text).toBe(
      '{"$spillway":"object","value":[["$spillway","bigint"],["value","1"]]}',
    );
  });

  it('that throws when it is read keeps all the rest, and says where', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const thrower = () => {
      throw new Error('a secret');
    };
    const list: unknown[] = [1, 2, 3];
    Object.defineProperty(list, 1, { get: thrower });
    const hostile = {
      before: 1,
      get own() {
        return thrower();
      },
      json: { toJSON: thrower },
      proxy: revoked.proxy,
      keys: new Proxy({}, { ownKeys: thrower }),
      list,
      after: 2,
    };
    const tag = { $spillway: 'unreadable' };
    const { text, notes } = valueToJson(hostile);
    expect(JSON.parse(text)).toEqual({
      before: 1,
      own: tag,
      json: tag,
      proxy: tag,
      keys: tag,
      list: [1, tag, 3],
      after: 2,
    });
    expect(notes).toEqual(['unreadable']);
    expect(valueToJson({ toJSON: thrower }).text).toBe('{"$spillway":"unreadable"}');
    expect(text).not.toContain('secret');
  });

  it('used twice is not a cycle', () => {
    const shared = { a: 1 };
    expect(valueToJson([shared, shared]).text).toBe('[{"a":1},{"a":1}]');
  });

  it('may be nested a hundred thousand levels deep', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const { text } = valueToJson(deep);
    expect(text).toBe(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`);
  });
});
