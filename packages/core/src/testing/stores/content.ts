/**
 * Bytes are read as they were written, from the last checkpoint at or before a position.
 */
import assert from 'node:assert/strict';
import type { Extent } from '../../model/extent.ts';
import { PIECE_BYTES } from '../../model/piece.ts';
import type { OutputStore, ReadFrom } from '../../model/store.ts';
import {
  bytesOf,
  type Checks,
  draft,
  piecesOf,
  type SamplePart,
  SEAL,
  storeOutput,
  textOf,
} from './samples.ts';

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

const LINES: Readonly<Record<string, string>> = {
  'lines of ASCII': 'a line of a log, neither short nor long\n'.repeat(8_000),
  'CJK text': '数据处理完成，共有三百二十条记录。\n'.repeat(6_000),
  emoji: 'ok 😀👩‍👩‍👧 '.repeat(12_000),
  'CRLF line ends': 'x\r\n\r\n'.repeat(60_000),
  'one giant line, then short ones': `${'0123456789'.repeat(25_000)}\n${'short\n'.repeat(1_000)}`,
};

export const contentChecks: Checks<OutputStore> = {
  ...checkEach(CONTENTS, 'a part with … is read back byte for byte', async (store, part) => {
    const { record } = await storeOutput(store, { parts: [part] });
    const content = typeof part === 'object' && 'content' in part ? part.content : part;
    const expected = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    assert.deepEqual(await bytesOf(store, record.id), new Uint8Array(expected));
  }),
  async 'a record comes back as it was sealed'(store) {
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
  async 'an output without any part exists like any other'(store) {
    const { record } = await storeOutput(store, { parts: [] });
    assert.deepEqual(await store.find({ scope: 'scope-1', id: record.id }), record);
    await assert.rejects(store.read(record.id, 0, { bytes: 0 }), { code: 'invalid_argument' });
  },
  async 'two parts written in turns are kept apart, each whole'(store) {
    const made = draft();
    const writer = await store.create(made);
    const first = piecesOf('first '.repeat(30_000));
    const second = piecesOf('second\n'.repeat(30_000));
    const [a, b] = ['stdout', 'stderr'].map((name) => writer.part({ role: 'content', kind: 'text', name }));
    for (let i = 0; i < Math.max(first.pieces.length, second.pieces.length); i++) {
      const [left, right] = [first.pieces[i], second.pieces[i]];
      if (left !== undefined) await writer.append(a ?? -1, left);
      if (right !== undefined) await writer.append(b ?? -1, right);
    }
    await writer.seal({ ...SEAL, parts: [first.totals, second.totals] });
    assert.equal(await textOf(store, made.id, 0), 'first '.repeat(30_000));
    assert.equal(await textOf(store, made.id, 1), 'second\n'.repeat(30_000));
  },
  async 'ten outputs written at the same time stay distinct and whole'(store) {
    const texts = Array.from({ length: 10 }, (_, i) => `output ${i} `.repeat(20_000 + i));
    const sealed = await Promise.all(texts.map((text) => storeOutput(store, { parts: [text] })));
    for (const [i, { record }] of sealed.entries()) assert.equal(await textOf(store, record.id), texts[i]);
  },
  ...checkEach(LINES, 'a reading of … starts at the nearest checkpoint', checkCheckpoints),
  async 'a place beyond the end is opened at the last checkpoint, one before the beginning at the first'(
    store,
  ) {
    const { record } = await storeOutput(store, { parts: ['x'.repeat(PIECE_BYTES + 10), ''] });
    assert.equal((await store.read(record.id, 0, { bytes: 1e12 })).at.bytes, PIECE_BYTES);
    assert.equal((await store.read(record.id, 0, { bytes: -5 })).at.bytes, 0);
    assert.equal((await store.read(record.id, 0, { breaks: 0 })).at.bytes, 0);
    assert.deepEqual((await store.read(record.id, 1, { chars: 7 })).at, { bytes: 0, chars: 0, breaks: 0 });
  },
  async 'a reading can be left before its end, and another begun'(store) {
    const { record } = await storeOutput(store, { parts: ['y'.repeat(5 * PIECE_BYTES)] });
    for await (const piece of (await store.read(record.id, 0, { bytes: 0 })).pieces) {
      assert.equal(piece.length, PIECE_BYTES);
      break;
    }
    assert.equal((await bytesOf(store, record.id)).length, 5 * PIECE_BYTES);
  },
};

/** One check for each of several things; `…` in the sentence stands for its name. */
function checkEach<T>(
  things: Readonly<Record<string, T>>,
  sentence: string,
  check: (store: OutputStore, thing: T) => Promise<void>,
): Checks<OutputStore> {
  const named = Object.entries(things).map(([what, thing]) => [
    sentence.replace('…', what),
    (store: OutputStore) => check(store, thing),
  ]);
  return Object.fromEntries(named);
}

/**
 * Each reading starts at a piece, not after the place asked for, less than a piece before it, and goes
 * on to the end.
 */
async function checkCheckpoints(store: OutputStore, text: string): Promise<void> {
  const { pieces, totals } = piecesOf(text);
  const { record } = await storeOutput(store, { parts: [text] });
  const whole = new TextEncoder().encode(text);
  const lengths: number[] = [];
  for await (const piece of (await store.read(record.id, 0, { bytes: 0 })).pieces) lengths.push(piece.length);
  const appended = pieces.map(({ bytes }) => bytes.length);
  assert.deepEqual(lengths, appended, 'a part is read in the pieces in which it was appended');
  for (let i = 0; i <= 20; i++) {
    const part = (total: number) => Math.floor((total * i) / 20);
    const positions: ReadFrom[] = [
      { bytes: part(totals.bytes) },
      { chars: part(totals.chars) },
      { breaks: part(totals.lines) },
    ];
    for (const from of positions) {
      const { at } = await store.read(record.id, 0, from);
      assert.deepEqual(at, expected(pieces, from), `for ${JSON.stringify(from)}`);
      assert.deepEqual(await bytesOf(store, record.id, 0, from), whole.slice(at.bytes));
    }
  }
}

/** What the contract says, by looking at every piece. */
function expected(pieces: readonly { readonly start: Extent }[], from: ReadFrom): Extent {
  const starts = pieces.map((piece) => piece.start);
  const found = starts.findLast((start) => {
    if ('bytes' in from) return start.bytes <= from.bytes;
    return 'chars' in from ? start.chars <= from.chars : start.breaks < from.breaks;
  });
  return found ?? { bytes: 0, chars: 0, breaks: 0 };
}
