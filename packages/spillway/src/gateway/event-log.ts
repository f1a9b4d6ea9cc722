/**
 * The numbered events of an HTTP session, so that a client whose connection broke can get the rest.
 * Ids are STREAM-NUMBER. Bounded by count and size; older events are unknown.
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

  /** `bytes` is null for an event that cannot be sent again. */
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

/** A message is a view of a 64 KB chunk or pool, which it would keep alive: copy it. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
