/**
 * A connection for as long as one piece of work needs it. A connection that breaks between two
 * statements ends no process, and a server that stops answering ends the wait: the statement fails
 * after its time and the connection is thrown away. Whatever else fails, a connection is only
 * given back if its last statement was answered.
 */
import type { PgClient, PgPool, PgQueryable, PgValue } from './driver.ts';

/** A failure of the way to the server, with a code as those of the system have. */
class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Milliseconds that the server may take. */
export interface Patience {
  /** For a connection, and for what costs it nothing. */
  readonly answerMs: number;
  /** For any other statement. */
  readonly statementMs: number;
}

export class Lease implements PgQueryable {
  readonly #client: PgClient;
  readonly #patience: Patience;
  #isBroken = false;

  private constructor(client: PgClient, patience: Patience) {
    this.#client = client;
    this.#patience = patience;
    client.on?.('error', this.#broke);
  }

  static async from(pool: PgPool, patience: Patience): Promise<Lease> {
    const connecting = pool.connect();
    const client = await inTime(connecting, patience.answerMs).catch((error: unknown) => {
      // It may still come: then nobody waits for it.
      connecting.then((late) => late.release(true)).catch(() => undefined);
      throw error;
    });
    return new Lease(client, patience);
  }

  query(text: string, values?: PgValue[]): ReturnType<PgQueryable['query']> {
    return this.#query(text, values, this.#patience.statementMs);
  }

  /** A statement that is answered at once by a server that is well. */
  async ask(text: string): Promise<void> {
    await this.#query(text, undefined, this.#patience.answerMs);
  }

  async #query(text: string, values: PgValue[] | undefined, ms: number): ReturnType<PgQueryable['query']> {
    try {
      return await inTime(this.#client.query(text, values), ms);
    } catch (error) {
      if (error instanceof NoAnswer || !isAnswer(error)) this.#isBroken = true;
      throw error;
    }
  }

  /** Undoes what was begun. Where the connection is gone, the server does so by itself. */
  async rollBack(): Promise<void> {
    if (this.#isBroken) return;
    await this.ask('ROLLBACK').catch(this.#broke);
  }

  end(): void {
    // A listener stays on a connection that is thrown away: it may tell of its end later.
    if (!this.#isBroken) this.#client.off?.('error', this.#broke);
    this.#client.release(this.#isBroken);
  }

  readonly #broke = (): void => {
    this.#isBroken = true;
  };
}

/** Whether it is the server that says no (SQLSTATE), rather than the connection that failed. */
function isAnswer(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  // Classes 57P and 08: the server ends the connection. 25006: it is a standby, and the next
  // connection may lead to the primary.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(57P|08|25006)/.test(code);
}

/** What `work` comes to, unless that takes too long. */
export async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new NoAnswer('the server does not answer'));
    // Answers that came while this process was busy are read first.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
