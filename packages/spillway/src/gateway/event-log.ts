/**
 * The events that a client was sent in a session over HTTP, numbered, so that one whose connection
 * broke can be sent the rest. Ids read STREAM-NUMBER. What is remembered is bounded: the newest
 * events up to a count and a size; a client that asks for more is told of none.
 */

export interface LoggedEvent {
  readonly id: string;
  readonly bytes: Buffer;
}

const MOST_EVENTS = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;

export class EventLog {
  #events: { readonly stream: number; readonly number: number; readonly bytes: Buffer }[] = [];
  #bytes = 0;
  #last = 0;

  /**
   * The id under which the event can be asked for; `bytes` is null for one that cannot be sent
   * again.
   */
  add(stream: number, bytes: Buffer | null): string {
    const number = ++this.#last;
    if (bytes !== null) {
      this.#events.push({ stream, number, bytes: ownCopy(bytes) });
      this.#bytes += bytes.length;
    }
    while (this.#events.length > MOST_EVENTS || this.#bytes > MOST_BYTES)
      this.#bytes -= this.#events.shift()?.bytes.length ?? 0;
    return `${stream}-${number}`;
  }

  after(id: string): { readonly stream: number; readonly events: readonly LoggedEvent[] } | null {
    const [, stream, last] = /^(\d{1,9})-(\d{1,9})$/.exec(id) ?? [];
    if (stream === undefined) return null;
    const events = this.#events
      .filter((event) => event.stream === Number(stream) && event.number > Number(last))
      .map(({ number, bytes }) => ({ id: `${stream}-${number}`, bytes }));
    return { stream: Number(stream), events };
  }
}

/**
 * Memory of its own: a message is a view of a chunk, or of a pool, of 64 KB, and all of that would
 * stay as long as the message does.
 */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
