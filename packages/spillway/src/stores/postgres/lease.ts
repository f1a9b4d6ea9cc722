/**
 * A connection for as long as one piece of work needs it. A connection that breaks between two
 * statements ends no process, and a server that stops answering ends the wait: after `timeoutMs`
 * the statement fails and the connection is thrown away. Whatever else fails, a connection is only
 * given back if its last statement was answered.
 */
import type { PgClient, PgPool, PgQueryable, PgValue } from './driver.ts';

/** A failure of the way to the server, with a code as those of the system have. */
class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}

export class Lease implements PgQueryable {
  readonly #client: PgClient;
  readonly #timeoutMs: number;
  #isBroken = false;

  private constructor(client: PgClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    client.on?.('error', this.#broke);
  }

  static async from(pool: PgPool, timeoutMs: number): Promise<Lease> {
    const connecting = pool.connect();
    const client = await inTime(connecting, timeoutMs).catch((error: unknown) => {
      // It may still come: then nobody waits for it.
      connecting.then((late) => late.release(true)).catch(() => undefined);
      throw error;
    });
    return new Lease(client, timeoutMs);
  }

  async query(text: string, values?: PgValue[]): ReturnType<PgQueryable['query']> {
    try {
      return await inTime(this.#client.query(text, values), this.#timeoutMs);
    } catch (error) {
      if (error instanceof NoAnswer || !isAnswer(error)) this.#isBroken = true;
      throw error;
    }
  }

  /** Undoes what was begun. Where the connection is gone, the server does so by itself. */
  async rollBack(): Promise<void> {
    if (this.#isBroken) return;
    await this.query('ROLLBACK').catch(this.#broke);
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
    timer = setTimeout(() => reject(new NoAnswer('the server does not answer')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
