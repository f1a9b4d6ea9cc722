/**
 * The two ends of a relay: what the gateway expects of whatever connects it to a client and to an
 * upstream.
 */
import type { Incoming } from './framing.ts';
import type { Message } from './message.ts';
import type { Spooled } from './spool.ts';

export interface ClientPort {
  /**
   * Sends one message; resolves when more can be taken. `about` is the id of the request that it
   * belongs to, where that is known.
   */
  send(message: Buffer | Spooled, about: string | null): Promise<void>;
}

export interface Upstream {
  /**
   * Sends one message; rejects with a sentence if the upstream cannot be reached. `message` is what
   * it says, where it was read.
   */
  send(bytes: Buffer | Spooled, message: Message | null): Promise<void>;
  /** Gives up a connection on which a message never ends. */
  restart(): void;
  /** `hurry` settles when there is no time left for a server to end by itself. */
  close(hurry?: Promise<unknown>): Promise<void>;
}

export interface UpstreamEvents {
  /** A message arrived; resolves when the next one can be taken. */
  received(incoming: Incoming, about: string | null): Promise<void>;
  /**
   * The connection is gone, and with it every answer that was waited for, but for requests that
   * were not sent yet.
   */
  lost(why: string, unsent: ReadonlySet<string>): Promise<void>;
  refused(id: string, why: string): Promise<void>;
  waits(id: string): boolean;
  /** A new connection is there: introduces the client to it. */
  renewed(send: (bytes: Buffer) => Promise<void>): Promise<void>;
}
