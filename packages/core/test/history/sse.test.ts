// Server-sent events as bytes: the same frames however they were chunked.
import { describe, expect, it } from 'vitest';
import { decodeData, encodeData, FrameSplitter } from '../../src/history/transport/stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (frame: Uint8Array): string => Buffer.from(frame).toString('utf8');

function split(given: string, chunkBytes: number, maxBytes = 1_000): string[] {
  const splitter = new FrameSplitter(maxBytes);
  const all = bytes(given);
  const frames: string[] = [];
  for (let at = 0; at < all.length; at += chunkBytes)
    frames.push(...[...splitter.push(all.slice(at, at + chunkBytes))].map(text));
  return [...frames, ...[...splitter.finish()].map(text)];
}

describe('frames', () => {
  const streams: readonly (readonly string[])[] = [
    ['data: a\n\n', 'data: b\ndata: c\n\n'],
    ['data: a\r\n\r\n', 'data: b\r\ndata: c\r\n\r\n'],
    ['data: a\r\r', 'data: b\rdata: c\r\r'],
    ['data: a\n\n', 'data: b\r\n\r\n', 'data: c\r\r', 'data: d\n\n'],
    ['data: a\n\r\n', 'data: b\r\n\n', 'data: c\r\r\n', 'x'],
    ['\n', 'data: a\n\n', '\r\n', '\r', 'data: ü😀\n\n'],
    ['data: a\n\n', 'data: not finished\n'],
    [': comment\n\n', 'event: e\nid: 1\nretry: 5\ndata\n\n'],
  ];
  it.each(streams.map((frames) => [frames] as const))('of %j are the same for every chunking', (frames) => {
    const whole = frames.join('');
    for (let size = 1; size <= bytes(whole).length; size++) expect(split(whole, size)).toEqual(frames);
  });

  it('that are too large are left out whole, say how large they were, and leave the next ones alone', () => {
    const large = `data: ${'x'.repeat(20)}\n\n`;
    const words = ': an event of 28 bytes was too large for this stream and was left out\n\n';
    for (const size of [1, 3, 8, 100]) {
      expect(split(`${large}data: a\n\n${large}data: b\n\n`, size, 27)).toEqual([
        words,
        'data: a\n\n',
        words,
        'data: b\n\n',
      ]);
      expect(split(`${large}data: a\n\n`, size, 28)).toEqual([large, 'data: a\n\n']);
      expect(split(large.trimEnd(), size, 10)).toEqual([words.replace('28', '26')]);
    }
    expect(split('', 1)).toEqual([]);
  });

  it('do not hold on to the chunks they came in', () => {
    const splitter = new FrameSplitter(1_000);
    const chunk = bytes('data: a');
    expect([...splitter.push(chunk)]).toEqual([]);
    chunk.fill(120);
    expect([...splitter.push(bytes('\n\n'))].map(text)).toEqual(['data: a\n\n']);
  });
});

describe('data', () => {
  it('is read as JSON from one line or several, with the other fields beside it; what is none is left alone', () => {
    expect(decodeData(bytes('id: 1\nevent: x\ndata: {"a":\ndata: 1}\n\n'))).toEqual({
      value: { a: 1 },
      fields: ['id: 1', 'event: x'],
    });
    expect(decodeData(bytes('data:[1,2]\r\n\r\n'))).toEqual({ value: [1, 2], fields: [] });
    for (const none of [
      ': c\n\n',
      'data: [DONE]\n\n',
      'data: text\n\n',
      'data: "x"\n\n',
      'data\n\n',
      'dataset: {}\n\n',
      '\n',
    ])
      expect(decodeData(bytes(none))).toBeNull();
    expect(text(encodeData(['id: 1'], { a: 'b\n' }))).toBe('id: 1\ndata: {"a":"b\\n"}\n\n');
  });
});
