/** The interfaces between a relay and its connections to a client and an upstream. */
import type { Incoming } from './incoming.ts';
import type { Message } from './message.ts';

export interface ClientPort {
  /** Resolves when more can be taken. `about`: the id of the request it belongs to, if known. */
  send(message: Incoming, about: string | null): Promise<void>;
}

export interface Upstream {
  /**
   * Rejects with a sentence if the upstream cannot be reached. `message`: the parsed bytes, if they
   * were read.
   */
  send(bytes: Incoming, message: Message | null): Promise<void>;
  /** When bytes of a message came last that is not complete; null between messages. */
  readonly arriving: number | null;
  /** Drops a connection on which a message never ends. */
  restart(): void;
  /** `hurry` settles when a server has no more time to end by itself. */
  close(hurry?: Promise<unknown>): Promise<void>;
}

export interface UpstreamEvents {
  /** Resolves when the next message can be taken. */
  received(incoming: Incoming, about: string | null): Promise<void>;
  /** The connection is gone, and with it every pending answer except those to unsent requests. */
  lost(why: string, unsent: ReadonlySet<string>): Promise<void>;
  refused(id: string, why: string): Promise<void>;
  waits(id: string): boolean;
  /** Introduces the client to a new connection. */
  renewed(send: (bytes: Buffer) => Promise<void>): Promise<void>;
}

/** The result, or `late` after so long. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
