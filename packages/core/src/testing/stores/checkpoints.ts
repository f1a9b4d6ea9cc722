/**
 * A part is opened at the last checkpoint at or before a place. Whatever the content, each reading
 * must start at a piece, not after the place asked for, less than a piece before it, and go on to
 * the end.
 */
import assert from 'node:assert/strict';
import type { Extent } from '../../model/extent.ts';
import { PIECE_BYTES } from '../../model/piece.ts';
import type { OutputStore, ReadFrom } from '../../model/store.ts';
import type { OpenStore, OutputCase } from './contract-case.ts';
import { bytesOf, piecesOf, storeOutput } from './samples.ts';

const CONTENTS: Readonly<Record<string, string>> = {
  'lines of ASCII': 'a line of a log, neither short nor long\n'.repeat(8_000),
  'CJK text': '数据处理完成，共有三百二十条记录。\n'.repeat(6_000),
  emoji: 'ok 😀👩‍👩‍👧 '.repeat(12_000),
  'CRLF line ends': 'x\r\n\r\n'.repeat(60_000),
  'one giant line, then short ones': `${'0123456789'.repeat(25_000)}\n${'short\n'.repeat(1_000)}`,
};

export const checkpointCases: readonly OutputCase[] = [
  ...Object.entries(CONTENTS).map(([what, text]): OutputCase => {
    return {
      name: `a reading of ${what} starts at the nearest checkpoint`,
      run: (open) => checkAll(open, text),
    };
  }),
  {
    name: 'a place beyond the end is opened at the last checkpoint, one before the beginning at the first',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['x'.repeat(PIECE_BYTES + 10), ''] });
      assert.equal((await store.read(record.id, 0, { bytes: 1e12 })).at.bytes, PIECE_BYTES);
      assert.equal((await store.read(record.id, 0, { bytes: -5 })).at.bytes, 0);
      assert.equal((await store.read(record.id, 0, { breaks: 0 })).at.bytes, 0);
      assert.deepEqual((await store.read(record.id, 1, { chars: 7 })).at, { bytes: 0, chars: 0, breaks: 0 });
    },
  },
  {
    name: 'a reading can be left before its end, and another begun',
    async run(open) {
      const store = await open();
      const { record } = await storeOutput(store, { parts: ['y'.repeat(5 * PIECE_BYTES)] });
      for await (const piece of (await store.read(record.id, 0, { bytes: 0 })).pieces) {
        assert.equal(piece.length, PIECE_BYTES);
        break;
      }
      assert.equal((await bytesOf(store, record.id)).length, 5 * PIECE_BYTES);
    },
  },
];

async function checkAll(open: OpenStore<OutputStore>, text: string): Promise<void> {
  const store = await open();
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
