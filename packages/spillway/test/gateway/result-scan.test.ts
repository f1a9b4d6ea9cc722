/**
 * Taking a result apart while it arrives: the same parts in any chunks, and the exact message back
 * from envelope and parts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spellBody } from '../../src/gateway/json-string.ts';
import { ResultScan } from '../../src/gateway/result-scan.ts';
import { ENVELOPE, type ScanStep } from '../../src/gateway/scan-steps.ts';

function scanned(
  bytes: Uint8Array,
  sizes: readonly number[],
): { scan: ResultScan; parts: Map<number, Buffer> } {
  const scan = new ResultScan();
  const steps: ScanStep[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    // A buffer of its own that is used again, as streams do.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    steps.push(
      ...scan
        .push(chunk)
        .map((step) => (step.step === 'write' ? { ...step, bytes: Buffer.from(step.bytes) } : step)),
    );
    at += size;
  }
  steps.push(...scan.finish());
  const parts = new Map<number, Buffer>();
  for (const step of steps)
    if (step.step === 'write')
      parts.set(step.part, Buffer.concat([parts.get(step.part) ?? Buffer.alloc(0), step.bytes]));
  return { scan, parts };
}

/** The message again, as original.ts puts it together. */
function rebuilt(parts: ReadonlyMap<number, Buffer>): string {
  const envelope = (parts.get(ENVELOPE) ?? Buffer.alloc(0)).toString('latin1');
  const [open, close] = [String.fromCharCode(1), String.fromCharCode(2)];
  const taken = new Map<string, number>();
  return envelope
    .split(open)
    .map((piece, i) => {
      if (i === 0) return piece;
      const [reference = '', rest = ''] = piece.split(close, 2);
      const [, how, part = '', count, spelling = ''] = /^(.)(\d+):(\d+)(?::(.*))?$/.exec(reference) ?? [];
      const from = taken.get(part) ?? 0;
      taken.set(part, from + Number(count));
      const bytes = (parts.get(Number(part)) ?? Buffer.alloc(0)).subarray(from, from + Number(count));
      if (how === 's') return rest;
      const text = bytes.toString('latin1');
      return (how === 't' ? spellBody(text, spelling) : text) + rest;
    })
    .join('');
}

const words = fc.array(
  fc.oneof(
    fc.constantFrom('\\n', '\\u00e9', '\\/', '\\ud83d\\ude00', '\\ud800', 'é', '😀', '\\\\', '\\"'),
    fc.stringMatching(/^[a-z ]{1,6}$/),
  ),
  { maxLength: 12 },
);
const string = words.map((all) => `"${all.join('')}"`);
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
  it('gives the same texts in any chunks, and the exact message back', () => {
    fc.assert(
      fc.property(
        message,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        (given, sizes) => {
          const text = spelled(given);
          const { scan, parts } = scanned(Buffer.from(text), sizes);
          expect(scan.valid).toBe(true);
          expect(scan.isError).toBe(given.isError);
          expect(Buffer.from(rebuilt(parts), 'latin1').toString()).toBe(text);
          const texts = scan.blocks.map((one) =>
            one.kind === 'text' ? (parts.get(one.part) ?? Buffer.alloc(0)).toString() : null,
          );
          const expected = given.blocks.map((one) =>
            one.text === null ? null : Buffer.from(JSON.parse(one.text) as string).toString(),
          );
          // Lone surrogates are three bytes here and one sign in a string: they are compared
          // elsewhere.
          if (!text.includes('\\ud800')) expect(texts).toEqual(expected);
          const frame = JSON.parse(scan.frame().toString());
          expect(frame.result.content).toEqual([]);
          expect(frame.result.future).toEqual({ content: [1], text: 'no' });
        },
      ),
    );
  });

  it.each([
    ['Python', '\\u00e9\\u4e2d \\ud83d\\ude00 plain\\n'],
    ['PHP', 'a\\/b \\u00e9\\n'],
    ['Go', '\\u003ca\\u003e \\u0026 é\\n'],
  ])('is kept once, also where it was written by %s', (_by, piece) => {
    const text = `{"result":{"content":[{"type":"text","text":"${piece.repeat(10_000)}"}]},"id":7}`;
    const { parts } = scanned(Buffer.from(text), [10_000]);
    expect(rebuilt(parts)).toBe(Buffer.from(text).toString('latin1'));
    expect(parts.get(ENVELOPE)?.length).toBeLessThan(200);
  });

  it('is not valid if it breaks off or is no JSON', () => {
    for (const text of [
      '{"result":{"content":[{"type":"text","text":"a',
      '{"result":{"content":[{"text":"\\x"}]},"id":1}',
      '{"result":}',
    ])
      expect(scanned(Buffer.from(text), [5]).scan.valid, text).toBe(false);
  });
});
