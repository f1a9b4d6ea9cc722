/**
 * Calls that a framework begins at the same time, without saying so: their results are bounded
 * together, so that they share what the window has left. A group takes calls until the event loop
 * turns, and is answered when the last of them has ended.
 */

interface Group<E, A> {
  readonly ended: E[];
  waiting: number;
  closed: boolean;
  readonly ready: PromiseWithResolvers<void>;
  answers?: Promise<readonly A[]>;
}

/** Answers calls in groups. */
export class CallGroups<E, A> {
  readonly #answerAll: (ended: readonly E[]) => Promise<readonly A[]>;
  #open: Group<E, A> | null = null;

  /** `answerAll` gets how the calls of a group ended, and gives their answers in the same order. */
  constructor(answerAll: (ended: readonly E[]) => Promise<readonly A[]>) {
    this.#answerAll = answerAll;
  }

  /** The answer of one call, once all that began with it have ended. `run` never rejects. */
  async answer(run: () => Promise<E>): Promise<A> {
    const group = this.#joined();
    group.waiting++;
    const index = group.ended.push(await run()) - 1;
    group.waiting--;
    settle(group);
    await group.ready.promise;
    group.answers ??= this.#answerAll(group.ended);
    return (await group.answers)[index] as A;
  }

  #joined(): Group<E, A> {
    if (this.#open !== null) return this.#open;
    const group: Group<E, A> = { ended: [], waiting: 0, closed: false, ready: Promise.withResolvers() };
    this.#open = group;
    setImmediate(() => {
      this.#open = null;
      group.closed = true;
      settle(group);
    });
    return group;
  }
}

function settle<E, A>({ closed, waiting, ready }: Group<E, A>): void {
  if (closed && waiting === 0) ready.resolve();
}
