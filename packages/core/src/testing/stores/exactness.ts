/** Bytes come back as they went in. */
import assert from 'node:assert/strict';
import type { OutputCase } from './contract-case.ts';
import { bytesOf, draft, piecesOf, type SamplePart, SEAL, storeOutput, textOf } from './samples.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const CONTENTS: Readonly<Record<string, SamplePart>> = {
  'NUL characters': 'a\0b\0\0c',
  'CRLF, LF and CR line ends': 'one\r\ntwo\nthree\rfour\r\n',
  'a byte order mark': '\ufefftext after a byte order mark',
  'white space at both ends': '  \t\n text \n\n  ',
  'invalid UTF-8': Uint8Array.of(0x61, 0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0x62),
  'lone surrogates': Uint8Array.of(0x61, 0xed, 0xa0, 0x80, 0x62, 0xed, 0xb0, 0x80),
  'integers of twenty digits and duplicate keys': '{"n": 12345678901234567890, "a": 1, "a": 2}',
  'no byte at all': '',
  '300 KB of text in several scripts': 'a line – 漢字 – 😀\r\n'.repeat(12_000),
  '300 KB of bytes that are no text': {
    content: Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) % 256),
    spec: { kind: 'binary', name: 'image', mediaType: 'image/png' },
  },
};

export const exactnessCases: readonly OutputCase[] = [
  ...Object.entries(CONTENTS).map(([what, part]): OutputCase => {
    return {
      name: `a part with ${what} is read back byte for byte`,
      async run(open) {
        const store = await open();
        const { record } = await storeOutput(store, { parts: [part] });
        const content = typeof part === 'object' && 'content' in part ? part.content : part;
        const expected = typeof content === 'string' ? utf8(content) : content;
        assert.deepEqual(await bytesOf(store, record.id), new Uint8Array(expected));
      },
    };
  }),
  {
    name: 'a record comes back as it was sealed',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, {
        tool: 'search\0files',
        callId: 'call-1',
        parts: [
          { content: '{"q":"x"}', spec: { role: 'input', kind: 'json', name: 'input', valueKind: 'object' } },
          'out',
          { content: 'err', spec: { name: 'stderr', labelled: true } },
        ],
        outcome: { status: 'error', exitCode: 3, signal: 'SIGTERM' },
        complete: false,
        sourceTruncated: true,
        summary: 'a lone \ud800 surrogate, a NUL \0 and a "quote"',
      });
      assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), record);
      assert.equal(record.version, 1);
      assert.equal(record.disclosed, false);
      assert.equal(record.retiredAt, undefined);
      assert.deepEqual(record.outcome, { status: 'error', exitCode: 3, signal: 'SIGTERM' });
      assert.deepEqual(
        record.parts.map((part) => [part.index, part.role, part.kind, part.name, part.labelled, part.bytes]),
        [
          [0, 'input', 'json', 'input', undefined, 9],
          [1, 'content', 'text', 'stdout', undefined, 3],
          [2, 'content', 'text', 'stderr', true, 3],
        ],
      );
    },
  },
  {
    name: 'an output without any part exists like any other',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: [] });
      assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), record);
      await assert.rejects(store.read(record.id, 0, { bytes: 0 }), { code: 'invalid_argument' });
    },
  },
  {
    name: 'two parts written in turns are kept apart, each whole',
    async run(open) {
      const store = await open();
      const made = draft();
      const writer = await store.create(made);
      const first = piecesOf('first '.repeat(30_000));
      const second = piecesOf('second\n'.repeat(30_000));
      const [a, b] = [stream('stdout'), stream('stderr')].map((spec) => writer.part(spec));
      for (let i = 0; i < Math.max(first.pieces.length, second.pieces.length); i++) {
        const [left, right] = [first.pieces[i], second.pieces[i]];
        if (left !== undefined) await writer.append(a ?? -1, left);
        if (right !== undefined) await writer.append(b ?? -1, right);
      }
      await writer.seal({ ...SEAL, parts: [first.totals, second.totals] });
      assert.equal(await textOf(store, made.id, 0), 'first '.repeat(30_000));
      assert.equal(await textOf(store, made.id, 1), 'second\n'.repeat(30_000));
    },
  },
  {
    name: 'ten outputs written at the same time stay distinct and whole',
    async run(open) {
      const store = await open();
      const texts = Array.from({ length: 10 }, (_, i) => `output ${i} `.repeat(20_000 + i));
      const sealed = await Promise.all(texts.map((text) => storeOutput(store, { parts: [text] })));
      for (const [i, { record }] of sealed.entries()) assert.equal(await textOf(store, record.id), texts[i]);
    },
  },
];

function stream(name: string) {
  return { role: 'content', kind: 'text', name } as const;
}
