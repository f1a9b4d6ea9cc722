/**
 * Outputs that the store did not take, in memory. Invariant: their content takes at most
 * `HELD_BYTES`; past it the oldest lose theirs, and keep their record.
 * Units: bytes.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { OutputKey, ReadFrom, Reading, RetireRequest, Store, WaitOptions } from '../../model/store.ts';

const HELD_BYTES = 32 * 1024 * 1024;
const MOST_HELD = 10_000;

export interface HeldOutput {
  readonly record: OutputRecord;
  readonly why: string;
  /** False if the store refused it for good. */
  storable: boolean;
  readonly bytes: number;
  hasContent: boolean;
}

export class HeldOutputs {
  readonly #memory: Store;
  readonly #held = new Map<ArtifactId, HeldOutput>();
  #bytes = 0;

  constructor(memory: Store) {
    this.#memory = memory;
  }

  get size(): number {
    return this.#held.size;
  }

  async add(
    record: OutputRecord,
    why: string,
    storable: boolean,
    beforeDrop: (record: OutputRecord) => Promise<void>,
  ): Promise<void> {
    const bytes = record.parts.reduce((sum, part) => sum + part.bytes, 0);
    this.#held.set(record.id, { record, why, storable, bytes, hasContent: true });
    this.#bytes += bytes;
    for (const held of this.#held.values()) {
      if (this.#bytes <= HELD_BYTES) break;
      if (!held.hasContent) continue;
      await beforeDrop(held.record);
      await this.#dropContent(held);
    }
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_HELD && oldest !== undefined) await this.release(oldest);
  }

  find(id: ArtifactId): HeldOutput | undefined {
    return this.#held.get(id);
  }

  match(key: OutputKey): OutputRecord | undefined {
    const isMeant = ({ record }: HeldOutput): boolean =>
      record.scope === key.scope &&
      ('id' in key ? record.id === key.id : record.session === key.session && record.callId === key.callId);
    if ('id' in key) {
      const held = this.#held.get(key.id);
      return held !== undefined && isMeant(held) ? held.record : undefined;
    }
    return [...this.#held.values()].findLast(isMeant)?.record;
  }

  ofSession({ scope, session }: { readonly scope: string; readonly session: string }): readonly HeldOutput[] {
    return [...this.#held.values()].filter(
      ({ record }) => record.scope === scope && record.session === session,
    );
  }

  storable(): readonly HeldOutput[] {
    return [...this.#held.values()].filter(({ storable, hasContent }) => storable && hasContent);
  }

  giveUp(id: ArtifactId): void {
    const held = this.#held.get(id);
    if (held !== undefined) held.storable = false;
  }

  async read(id: ArtifactId, part: number, from: ReadFrom, wait?: WaitOptions): Promise<Reading> {
    if (this.#held.get(id)?.hasContent === true) return this.#memory.read(id, part, from, wait);
    throw new SpillwayError('corrupt', `The output ${id} was not stored, and there was no room to hold it.`);
  }

  async release(id: ArtifactId): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    await this.#dropContent(held);
    this.#held.delete(id);
  }

  /** Forgets those that a request means, as far as it names them by session or handle; which they were. */
  async retire({ scope, session, ids, how }: RetireRequest): Promise<readonly ArtifactId[]> {
    if (session === undefined && (how !== 'purge' || ids === undefined)) return [];
    const meant = [...this.#held.values()].filter(
      ({ record }) =>
        record.scope === scope &&
        (session === undefined || record.session === session) &&
        (ids === undefined || ids.includes(record.id)),
    );
    for (const { record } of meant) await this.release(record.id);
    return meant.map(({ record }) => record.id);
  }

  async #dropContent(held: HeldOutput): Promise<void> {
    if (!held.hasContent) return;
    held.hasContent = false;
    this.#bytes -= held.bytes;
    const { scope, id } = held.record;
    await this.#memory.retire({ how: 'purge', scope, ids: [id], at: Date.now() });
  }
}
