/**
 * Structured content in a smaller form: always what the schema promised, never over the limit where
 * that can be, numbers as written.
 */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedStructure } from '../../src/gateway/bounded.ts';

const validator = new AjvJsonSchemaValidator();
type Schema = Record<string, unknown>;
type Pair = { readonly schema: Schema; readonly value: unknown };

const leaf: fc.Arbitrary<Pair> = fc.oneof(
  fc.string({ maxLength: 300 }).map((value) => ({ schema: { type: 'string' }, value })),
  fc
    .string({ minLength: 5, maxLength: 300 })
    .map((value) => ({ schema: { type: 'string', minLength: 5 }, value })),
  fc.integer().map((value) => ({ schema: { type: 'integer' }, value })),
  fc.constantFrom('red', 'green').map((value) => ({ schema: { enum: ['red', 'green'] }, value })),
  fc
    .stringMatching(/^[a-z]{20,60}$/)
    .map((value) => ({ schema: { type: 'string', pattern: '^[a-z]{20,60}$' }, value })),
);

/** A schema, and a value that fits it. */
const pair: fc.Arbitrary<Pair> = fc.letrec<{ any: Pair }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.tuple(tie('any'), fc.nat(40), fc.nat(3)).map(([{ schema, value }, count, least]) => ({
      schema: { type: 'array', items: schema, minItems: least },
      value: Array.from({ length: count + least }, () => value),
    })),
    fc
      .tuple(fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('any'), { maxKeys: 6 }), fc.nat(3))
      .map(([members, needed]) => ({
        schema: {
          type: 'object',
          properties: Object.fromEntries(Object.entries(members).map(([key, { schema }]) => [key, schema])),
          required: Object.keys(members).slice(0, needed),
          additionalProperties: false,
        },
        value: Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])),
      })),
    fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 60 })).map(([count, least]) => ({
      schema: { type: 'object', patternProperties: { '^s': { type: 'string', minLength: least } } },
      value: Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, 'x'.repeat(least + i)])),
    })),
    tie('any').map(({ schema, value }) => ({ schema: { anyOf: [schema, { type: 'null' }] }, value })),
  ),
})).any;

describe('a bounded form', () => {
  it('fits the schema that the whole fits, whatever the limit', () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 1, max: 400 }), ({ schema, value }, limit) => {
        const { json, meta } = boundedStructure(JSON.stringify(value), schema, limit);
        const { valid } = validator.getValidator(schema)(JSON.parse(json)) as { valid: boolean };
        expect(valid).toBe(true);
        expect(meta.complete).toBe(json === JSON.stringify(value));
      }),
    );
  });

  it('keeps numbers as they were written and tells by path what it left out', () => {
    const rows = Array.from({ length: 1_000 }, () => '{"n":12345678901234567890,"x":1.0}').join(',');
    const schema = { type: 'object', properties: { rows: { type: 'array', items: { type: 'object' } } } };
    const { json, meta } = boundedStructure(`{"rows":[${rows}]}`, schema, 1_000);
    expect(json).toMatch(/^\{"rows":\[\{"n":12345678901234567890,"x":1\.0\},/);
    expect(json.length).toBeLessThanOrEqual(1_000);
    const kept = json.split('"n"').length - 1;
    expect(meta).toEqual({ complete: false, omitted: [{ path: '$.rows', items: 1_000 - kept }] });
  });

  it('follows references inside the schema, and takes nothing away where it cannot know what may go', () => {
    const long = { items: Array.from({ length: 500 }, (_, i) => `item ${i}`) };
    const schema = {
      $ref: '#/$defs/list',
      $defs: { list: { type: 'object', properties: { items: { type: 'array' } } } },
    };
    expect(boundedStructure(JSON.stringify(long), schema, 500).json.length).toBeLessThanOrEqual(500);
    const binding = {
      type: 'object',
      properties: { items: { type: 'array', contains: { const: 'item 499' } } },
      required: ['items'],
    };
    expect(boundedStructure(JSON.stringify(long), binding, 500).json).toBe(JSON.stringify(long));
  });
});
