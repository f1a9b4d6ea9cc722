/** Reading and changing JSON as bytes, held against the language's own parser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesIn } from '../../src/gateway/incoming.ts';
import {
  addedMember,
  edited,
  elementsOf,
  membersOf,
  valueIn,
  withoutMember,
} from '../../src/gateway/json-edit.ts';

function chunked(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('an edit', () => {
  it('finds members and elements where the parser finds them', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()),
        fc.constantFrom(undefined, 1),
        (value, indent) => {
          const bytes = Buffer.from(JSON.stringify(value, null, indent));
          const members = membersOf(bytes);
          const found = Object.fromEntries(
            [...(members ?? [])]
              .filter(([key]) => /^[\x20-\x7e]*$/.test(key))
              .map(([key, member]) => [key, valueIn(bytes, member.value)]),
          );
          const expected = Object.fromEntries(
            Object.entries(JSON.parse(bytes.toString())).filter(([key]) => /^[\x20-\x7e]*$/.test(key)),
          );
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  it('finds none in what is no JSON, or of another kind', () => {
    const broken = ['', ' ', '{', '{"a":1', '{"a":1]', '{"a":}', '{"a" 1}', '{"a":"\\"}', '{"a":1}x', '{,}'];
    for (const text of [...broken, '[1]', '7', '"{}"']) expect(membersOf(Buffer.from(text)), text).toBe(null);
    for (const text of ['[', '[1', '[1}', '[1,]', '{}'])
      expect(elementsOf(Buffer.from(text)), text).toBe(null);
    expect(elementsOf(Buffer.from(' [ ] '))).toEqual([]);
  });

  it('takes any member out and leaves valid JSON without it', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1 }),
        fc.nat(),
        fc.constantFrom(undefined, 2),
        (keys, nth, indent) => {
          const value = Object.fromEntries(keys.map((key, i) => [key, [i, { key }]]));
          const bytes = Buffer.from(JSON.stringify(value, null, indent));
          const key = keys[nth % keys.length] ?? '';
          const member = membersOf(bytes)?.get(key);
          if (member === undefined) throw new Error('not found');
          const { [key]: _gone, ...rest } = value;
          expect(JSON.parse(edited(bytes, [withoutMember(bytes, member)]).toString())).toEqual(rest);
          const more = edited(bytes, [addedMember(bytes, { start: 0, end: bytes.length }, 'added!', '1')]);
          expect(JSON.parse(more.toString())).toEqual({ ...value, 'added!': 1 });
        },
      ),
    );
  });
});

describe('framing', () => {
  it('gives the same messages however the stream was cut, large ones from a file', async () => {
    const message = fc.oneof(fc.stringMatching(/^[a-z]{1,30}$/), fc.constant('x'.repeat(100)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(message),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (messages, sizes) => {
          const source = chunked(Buffer.from(messages.map((one) => `${one}\n`).join('\n')), sizes);
          const found: string[] = [];
          for await (const incoming of messagesIn(stream(source), { hold: 50, by: 'line' })) {
            found.push(incoming.subarray(0, incoming.length).toString());
            expect(Buffer.isBuffer(incoming)).toBe(incoming.length <= 50);
            if (!Buffer.isBuffer(incoming)) incoming.close();
          }
          expect(found).toEqual(messages);
        },
      ),
    );
  });
});

async function* stream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
