/**
 * The exact message that a stored result came in, put together from its envelope and its parts. In the envelope `\x01t3:120\x02` stands for the
 * first 120 bytes of content part 3, written as a JSON string; with `r` for the bytes themselves (see result-scan.ts).
 */
import {
  type ContentPart,
  type OutputRecord,
  type Spillway,
  SpillwayError,
  type Store,
} from '@spillway/core';
import { written } from './json-strings.ts';

const OPEN = 0x01;
const CLOSE = 0x02;

/** The message that brought a result through the gateway, byte for byte. */
export async function* originalMessage(
  opened: { readonly spillway: Spillway; readonly store: Store | null },
  output: OutputRecord,
): AsyncGenerator<Uint8Array> {
  const envelope = output.parts.find((part) => part.role === 'envelope');
  if (envelope === undefined || opened.store === null)
    throw new SpillwayError(
      'not_found',
      'This output did not come in a message. Read it with retrieve or readRaw.',
    );
  const parts = new PartsInOrder(opened.spillway.contents(output));
  let held = Buffer.alloc(0);
  for await (const piece of (await opened.store.read(output.id, envelope.index, { bytes: 0 })).pieces) {
    held = Buffer.concat([held, piece]);
    for (let open = held.indexOf(OPEN); open !== -1; open = held.indexOf(OPEN)) {
      const close = held.indexOf(CLOSE, open);
      if (close === -1) break;
      yield held.subarray(0, open);
      const [, how, part = '', bytes = ''] =
        /^(.)(\d+):(\d+)$/.exec(held.toString('latin1', open + 1, close)) ?? [];
      for await (const chunk of parts.bytes(Number(part), Number(bytes)))
        yield how === 't' ? written(chunk) : chunk;
      held = held.subarray(close + 1);
    }
    const open = held.indexOf(OPEN);
    const ready = open === -1 ? held.length : open;
    yield held.subarray(0, ready);
    held = held.subarray(ready);
  }
}

/** References follow each other as the parts do. */
class PartsInOrder {
  readonly #parts: AsyncGenerator<ContentPart>;
  #next = 0;

  constructor(parts: AsyncGenerator<ContentPart>) {
    this.#parts = parts;
  }

  /** The first bytes of a part; those before it are passed over. */
  async *bytes(wanted: number, count: number): AsyncGenerator<Uint8Array> {
    let found: ContentPart | undefined;
    while (this.#next <= wanted) {
      const next = await this.#parts.next();
      if (next.done === true) return;
      found = next.value;
      this.#next++;
    }
    let left = count;
    for await (const piece of found?.bytes ?? []) {
      if (left === 0) return;
      yield piece.subarray(0, left);
      left -= Math.min(left, piece.length);
    }
  }
}
