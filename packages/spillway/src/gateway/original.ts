/** The exact message that a stored result came in, from its envelope (result-parts.ts) and parts. */
import {
  type OutputRecord,
  type Spillway,
  SpillwayError,
  type Store,
  type WaitOptions,
} from '@spillway/core';
import type { ContentPart } from '@spillway/core/plugin';
import { type Spelling, spellBody } from './json-body.ts';

const OPEN = 0x01;
const CLOSE = 0x02;

/** The message that brought a result through the gateway, byte for byte. */
export async function* originalMessage(
  opened: { readonly spillway: Spillway; readonly store: Store | null },
  output: OutputRecord,
  wait: WaitOptions = {},
): AsyncGenerator<Uint8Array> {
  const envelope = output.parts.find((part) => part.role === 'envelope');
  if (envelope === undefined || opened.store === null)
    throw new SpillwayError(
      'not_found',
      'This output did not come in a message. Read it with retrieve or readRaw.',
    );
  const parts = new PartsInOrder(opened.spillway.contents(output, undefined, wait));
  let held = Buffer.alloc(0);
  const { pieces } = await opened.store.read(output.id, envelope.index, { bytes: 0 }, wait);
  for await (const piece of pieces) {
    held = Buffer.concat([held, piece]);
    for (let open = held.indexOf(OPEN); open !== -1; open = held.indexOf(OPEN)) {
      const close = held.indexOf(CLOSE, open);
      if (close === -1) break;
      yield held.subarray(0, open);
      yield* referredTo(held.toString('latin1', open + 1, close), parts);
      held = held.subarray(close + 1);
    }
    const open = held.indexOf(OPEN);
    const ready = open === -1 ? held.length : open;
    yield held.subarray(0, ready);
    held = held.subarray(ready);
  }
}

async function* referredTo(reference: string, parts: PartsInOrder): AsyncGenerator<Uint8Array> {
  const [, how, part = '', bytes = ''] = /^(.)(\d+):(\d+)$/.exec(reference) ?? [];
  const content = parts.bytes(Number(part), Number(bytes));
  if (how === 'r') return yield* content;
  let text = '';
  for await (const chunk of content) text += Buffer.from(chunk).toString('latin1');
  if (how !== 's') yield Buffer.from(spellBody(text, how as Spelling), 'latin1');
}

class PartsInOrder {
  readonly #parts: AsyncGenerator<ContentPart>;
  #next = 0;
  #pieces: AsyncIterator<Uint8Array> | null = null;
  #left: Uint8Array = Buffer.alloc(0);

  constructor(parts: AsyncGenerator<ContentPart>) {
    this.#parts = parts;
  }

  async *bytes(wanted: number, count: number): AsyncGenerator<Uint8Array> {
    while (this.#next <= wanted) {
      const next = await this.#parts.next();
      if (next.done === true) return;
      this.#pieces = next.value.bytes[Symbol.asyncIterator]();
      this.#left = Buffer.alloc(0);
      this.#next++;
    }
    for (let missing = count; missing > 0; ) {
      if (this.#left.length === 0) {
        const next = await this.#pieces?.next();
        if (next === undefined || next.done === true) return;
        this.#left = next.value;
      }
      const taken = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(taken.length);
      missing -= taken.length;
      yield taken;
    }
  }
}
