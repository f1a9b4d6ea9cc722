/**
 * A message with a tool's result as the parts of an output: the same texts in any chunks, and the
 * exact message back from envelope and parts.
 */
import type { OpenCapture } from '@spillway/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Incoming, messagesIn } from '../../src/gateway/incoming.ts';
import { type Spelling, spellBody } from '../../src/gateway/json-body.ts';
import { frameOf, scannedResult, writeParts } from '../../src/gateway/result-parts.ts';

type OpenPartSpec = Parameters<OpenCapture['part']>[0];

interface Written {
  readonly spec: OpenPartSpec;
  bytes: Buffer;
}

/** What is written of a message that comes in chunks of these sizes, held or in a file. */
async function written(text: Uint8Array, sizes: readonly number[], hold = 1_000_000) {
  async function* chunks() {
    for (let at = 0, i = 0; at < text.length; i++) {
      const size = sizes[i % sizes.length] ?? 1;
      // A buffer of its own, as streams have.
      yield Buffer.from(text.subarray(at, at + size));
      at += size;
    }
  }
  const messages: Incoming[] = [];
  for await (const message of messagesIn(chunks(), { hold, by: 'stream' })) messages.push(message);
  const result = scannedResult(messages[0] as Incoming);
  const all: Written[] = [];
  const capture = {
    part(spec: OpenPartSpec) {
      const part: Written = { spec, bytes: Buffer.alloc(0) };
      all.push(part);
      return {
        index: all.length - 1,
        write: async (chunk: Uint8Array) => {
          part.bytes = Buffer.concat([part.bytes, chunk]);
          return true;
        },
        end: async () => undefined,
      };
    },
  };
  await writeParts(capture as unknown as OpenCapture, result, false);
  const [envelope, ...parts] = all as [Written, ...Written[]];
  return { result, envelope: envelope.bytes.toString('latin1'), parts };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: references stand between control characters
const REFERENCE = /\x01(\w)(\d+):(\d+)\x02/g;

/** The message again, as original.ts puts it together. */
function rebuilt({ envelope, parts }: Awaited<ReturnType<typeof written>>): Buffer {
  const taken = new Map<string, number>();
  const again = envelope.replace(REFERENCE, (_, how: string, part: string, count: string) => {
    const from = taken.get(part) ?? 0;
    taken.set(part, from + Number(count));
    const bytes = parts[Number(part)]?.bytes.subarray(from, from + Number(count)).toString('latin1') ?? '';
    return how === 's' ? '' : how === 'r' ? bytes : spellBody(bytes, how as Spelling);
  });
  return Buffer.from(again, 'latin1');
}

const unit = fc.oneof(
  fc.constantFrom(
    ...['\\ud83d\\ude00', '\\uD83D\\ude00', '\\ud800', '\\uDC00', '\\u00e9', '\\u00E9', '\\u00eF', '\\u2028'],
    ...['\\/', '/', '\\n', '\\u000a', '\\"', '\\u0022', '\\\\', '\\u0041', '\\u003c', '<', '\\u001f'],
    ...['😀', 'é', '\u2028', '퟿', '한'],
  ),
  fc.stringMatching(/^[a-z ]{1,5}$/),
);
const body = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
const string = body.map((text) => `"${text}"`);
const block = fc.oneof(
  string.map((text) => ({ json: `{"type":"text","text":${text},"annotations":{"priority":1.0}}`, text })),
  string.map((text) => ({ json: `{ "text" : ${text} , "type":"text"}`, text })),
  string.map((text) => ({ json: `{"type":"resource","resource":{"uri":"a:b","text":${text}}}`, text })),
  fc.constant({ json: '{"type":"image","data":"AAAA","mimeType":"image/png"}', text: null }),
  fc.constant({ json: '{"type":"new","text":{"not":"a string"}, "n":12345678901234567890}', text: null }),
);
const message = fc.record({
  blocks: fc.array(block, { maxLength: 5 }),
  structured: fc.option(string.map((text) => `{"a":${text}, "a":[1.0]}`)),
  isError: fc.boolean(),
  idFirst: fc.boolean(),
  space: fc.constantFrom('', ' '),
});
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

type Given = typeof message extends fc.Arbitrary<infer T> ? T : never;

function spelled({ blocks, structured, isError, idFirst, space }: Given): string {
  const members = [
    `"content":${space}[${blocks.map(({ json }) => json).join(`,${space}`)}]`,
    ...(structured === null ? [] : [`"structuredContent":${structured}`]),
    `"isError":${isError}`,
    '"future":{"content":[1],"text":"no"}',
  ];
  const result = `"result":{${members.join(`${space},`)}}`;
  return idFirst ? `{"jsonrpc":"2.0","id":7,${result}}` : `{${result}${space},"id":7}`;
}

describe('a result that is taken apart', () => {
  it('gives the same texts in any chunks, held or in a file, and the exact message back', async () => {
    await fc.assert(
      fc.asyncProperty(message, sizes, fc.constantFrom(1, 1_000_000), async (given, chunks, hold) => {
        const text = spelled(given);
        const all = await written(Buffer.from(text), chunks, hold);
        const { result, parts } = all;
        expect(result.valid).toBe(true);
        expect(result.scan.isError).toBe(given.isError);
        expect(rebuilt(all).toString()).toBe(text);
        const texts = result.scan.blocks.map((one) => (one.kind === 'text' ? parts[one.part]?.bytes : null));
        const expected = given.blocks.map((one) =>
          one.text === null ? null : wtf8(JSON.parse(one.text) as string),
        );
        expect(texts).toEqual(expected);
        const frame = JSON.parse(frameOf(result).toString());
        expect(frame.result.content).toEqual([]);
        expect(frame.result.future).toEqual({ content: [1], text: 'no' });
      }),
    );
  });

  it.each([
    ['Python', '\\u00e9\\u4e2d \\ud83d\\ude00 plain\\n'],
    ['PHP', 'a\\/b \\u00e9\\n'],
    ['Go', '\\u003ca\\u003e \\u0026 é\\n'],
  ])('is kept once, also where it was written by %s', async (_by, piece) => {
    const text = `{"result":{"content":[{"type":"text","text":"${piece.repeat(10_000)}"}]},"id":7}`;
    const all = await written(Buffer.from(text), [10_000]);
    expect(rebuilt(all).toString()).toBe(text);
    expect(all.envelope.length).toBeLessThan(1_000);
  });

  it('that holds bytes which are no text, or wrong escapes, is put together exactly too', async () => {
    const bytes = fc
      .uint8Array({ maxLength: 30 })
      .map((all) => all.filter((b) => b > 2 && b !== 0x22 && b !== 0x5c));
    const wrong = fc.constantFrom('\\x', '\\u00g0', '\\u00', 'a\\ud83d\\u', '\\ud83d\\u12');
    const halves = fc.constantFrom([0xed, 0xa0, 0x80], [0xed, 0xa0], [0xe2, 0x80], [0xe2], [0xf0, 0x9f]);
    const piece = fc.oneof(
      bytes,
      halves.map((half) => Uint8Array.from(half)),
      fc.oneof(body, wrong).map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), sizes, async (all, chunks) => {
        const [before, after] = ['{"id":1,"result":{"content":[{"type":"text","text":"', '"}]}}'];
        const text = Buffer.concat([Buffer.from(before), ...all, Buffer.from(after)]);
        expect(rebuilt(await written(text, chunks)).equals(text)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is not valid if it breaks off or is no JSON', async () => {
    for (const text of [
      '{"result":{"content":[{"type":"text","text":"a',
      '{"result":{"content":[{"text":"\\x"}]},"id":1}',
      '{"result":}',
    ])
      expect((await written(Buffer.from(text), [5])).result.valid, text).toBe(false);
  });

  it('names the media type of a text where its block says it before the text', async () => {
    const typeOf = async (members: string) => {
      const text = `{"id":1,"result":{"content":[{${members}}]}}`;
      return (await written(Buffer.from(text), [1_000])).parts[0]?.spec.mediaType;
    };
    const ofResource = (members: string) => typeOf(`"type":"resource","resource":{${members},"text":"a"}`);
    expect(await ofResource('"mimeType":"text/csv; charset=utf-8"')).toBe('text/csv');
    expect(await ofResource('"uri":"a:/b/c.md?x=1"')).toBe('text/plain; name="c.md"');
    expect(await typeOf('"mimeType":"text/html","text":"a"')).toBe('text/html');
    expect(await ofResource('"uri":"a:b"')).toBeUndefined();
    expect(await ofResource('"mimeType":7,"uri":null')).toBeUndefined();
  });
});

/** Surrogates without a partner as the three bytes that UTF-8 has no right to. */
function wtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff)
      bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else bytes.push(...Buffer.from(point));
  }
  return Buffer.from(bytes);
}
