/**
 * Calls of a model, run and bounded. Everything a tool returns or throws is stored under the id of
 * its call; the model reads it within its limits, in the words of its API, with pictures in place.
 * Calls that begin together share what the window has left. An error stays an error.
 */
import { SHAPES, type ShapeName } from '../../history/index.ts';
import type { Agent, ToolCall, ToolResult } from '../../index.ts';

/** Calls that began in one turn of the event loop: they are bounded together and share the window. */
interface Group<E, A> {
  readonly ended: E[];
  waiting: number;
  closed: boolean;
  readonly ready: PromiseWithResolvers<void>;
  answers?: Promise<readonly A[]>;
}

class CallGroups<E, A> {
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

/** How a call ended, in the words of an API. */
export interface Ended<C> {
  readonly call: ToolCall;
  readonly content: C;
  readonly isError?: boolean;
}

/** How an API spells calls and results. */
export interface CallWords<C> {
  readonly shape: ShapeName & keyof typeof SHAPES;
  /** The message with the calls, and the one with their results. */
  readonly messages: (ended: readonly Ended<C>[]) => readonly [object, object];
  /** The contents in the second of these. */
  readonly contents: (results: unknown) => readonly C[];
  /** The content of an error. */
  readonly failure: (text: string) => C;
}

/** The window and what is used of it; undefined where neither is known. */
export type Room = () => { readonly tokens: number; readonly used: number } | undefined;

/** Runs calls. */
export class BoundedCalls<C> {
  readonly #agent: Agent<ShapeName>;
  readonly #words: CallWords<C>;
  readonly #groups: CallGroups<Ended<C>, Ended<C>>;

  constructor(agent: Agent<ShapeName>, words: CallWords<C>, room: Room) {
    this.#agent = agent;
    this.#words = words;
    this.#groups = new CallGroups((ended) => this.#bound(ended, room()));
  }

  /** What the model reads of a call. Rejects only where nothing can be stored. */
  run(
    call: ToolCall,
    run: () => Promise<Omit<Ended<C>, 'call'>>,
    signal?: AbortSignal | null,
  ): Promise<Ended<C>> {
    return this.#groups.answer(() => this.#end(call, run, signal));
  }

  async #end(
    call: ToolCall,
    run: () => Promise<Omit<Ended<C>, 'call'>>,
    signal?: AbortSignal | null,
  ): Promise<Ended<C>> {
    try {
      const end = await this.#agent.answer(call, run, {
        result: ({ content }) => this.#resultOf(content),
        outcome: ({ isError }) => (isError === true ? { status: 'error' } : undefined),
        signal: signal ?? undefined,
      });
      return { call, ...end };
    } catch (error) {
      const { failure } = this.#words;
      return { call, content: failure((error as Error).message), isError: true };
    }
  }

  /** Content as it is stored: as it would be taken out of a message. */
  #resultOf(content: C): ToolResult {
    const { shape, messages } = this.#words;
    const [, results] = messages([{ call: { callId: 'call', tool: 'tool', input: {} }, content }]);
    const parts = SHAPES[shape].read([results]).messages.flatMap((message) => message.parts);
    const [result] = parts.flatMap((part) => (part.type === 'result' ? [part.result] : []));
    return result ?? { kind: 'value', value: content };
  }

  async #bound(ended: readonly Ended<C>[], room: ReturnType<Room>): Promise<readonly Ended<C>[]> {
    const { session, about } = this.#agent;
    const { shape, messages, contents } = this.#words;
    const given = room === undefined ? {} : { room };
    const [, results] = await session.project(shape, messages(ended), { about, ...given });
    const bounded = contents(results);
    return ended.map((end, i) => ({ ...end, content: bounded[i] ?? end.content }));
  }
}
