/** The interfaces between a relay and its connections to a client and an upstream. */
import type { Incoming } from './framing.ts';
import type { Message } from './message.ts';
import type { Spooled } from './spool.ts';

export interface ClientPort {
  /** Resolves when more can be taken. `about`: the id of the request it belongs to, if known. */
  send(message: Buffer | Spooled, about: string | null): Promise<void>;
}

export interface Upstream {
  /**
   * Rejects with a sentence if the upstream cannot be reached. `message`: the parsed bytes, if they
   * were read.
   */
  send(bytes: Buffer | Spooled, message: Message | null): Promise<void>;
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
