/**
 * Writers that store results without a pause while something happens to their server, and what
 * must hold of each answer: it names a handle and the output is there byte by byte, or it says that
 * the output was not stored. Times do not matter: whoever makes things happen waits for answers.
 */
import type { Store } from '@spillway/core';
import { textOf } from '@spillway/core/testing';
import { expect } from 'vitest';
import { openSpillway } from '../../../core/test/opening.ts';

interface Answered {
  readonly id: string | null;
  readonly shown: string;
  readonly text: string;
}

/** Larger than what is shown whole; the last is written in steps before its seal. */
const LINES = [3_000, 12_000, 250_000];
const WRITERS = 3;
/** What is shown of them is not what is tested. */
const PLAIN = { policy: { strategy: 'head_tail' } } as const;

export class Writers {
  readonly #store: Store;
  readonly #answered: Answered[] = [];
  readonly #running: Promise<unknown>;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(store: Store) {
    this.#store = store;
    const spillway = openSpillway({ store });
    const write = async (writer: number) => {
      const call = { tool: 't', session: `s${writer}`, scope: 'p' };
      for (let i = 0; !this.#isOver; i++) {
        const text = `${writer}.${i}\n`.repeat(LINES[i % LINES.length] ?? 0);
        const { projection } = await spillway.process(call, { kind: 'text', text }, PLAIN);
        this.#answered.push({ id: projection.metadata.artifact_id, shown: projection.text, text });
        this.#wake();
      }
    };
    this.#running = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    this.#running.catch(() => undefined);
  }

  /** Waits for so many more answers that name a handle, or that say that there is none. */
  async more(kind: 'stored' | 'not stored', count: number): Promise<void> {
    const known = () => this.#answered.filter(({ id }) => (id !== null) === (kind === 'stored')).length;
    const wanted = known() + count;
    while (known() < wanted)
      await Promise.race([this.#running, new Promise<void>((wake) => (this.#wake = wake))]);
  }

  /** Ends the writers, and reads through another store what was answered. */
  async check(reader: Store): Promise<{ readonly stored: number; readonly notStored: number }> {
    this.#isOver = true;
    await this.#running;
    await this.#store.close();
    const stored = this.#answered.filter(({ id }) => id !== null);
    for (const { id, text } of stored)
      expect((await textOf(reader, id as Parameters<typeof textOf>[1])) === text, `${id} as it was`).toBe(
        true,
      );
    const notStored = this.#answered.filter(({ id }) => id === null);
    for (const { shown } of notStored) expect(shown).toContain('not stored');
    return { stored: stored.length, notStored: notStored.length };
  }
}
