/**
 * What every adapter is asked to do, and what must hold afterwards. An adapter's test plays each
 * scenario on its framework, from the packed package, and tells what its model read; the rules
 * in rules.ts are the same for all. What a framework cannot do is declared with the reason. Sizes
 * are in chars.
 */
import { expect } from 'vitest';
import type { Agent, OutputRecord } from '../../src/index.ts';
import type { PackedApp } from '../agents/packed.ts';

/** The scenarios in the order of the table, with the head of their column. */
export const SCENARIOS = {
  longResult: '200,000 chars',
  thrownError: 'thrown error',
  parallelCalls: 'parallel calls',
  image: 'image',
  streamingTool: 'streaming tool',
  abort: 'abort',
  secondProcess: 'second process',
  fortyTurns: '40 turns',
  retrieval: 'retrieval',
} as const;

/** What was planted in the long conversation. */
export const FACTS = 40;

export type Scenario = keyof typeof SCENARIOS;

/** A turn of the long conversation; `conversation.mjs` makes them. */
export interface Turn {
  readonly user: string;
  readonly thought: string;
  readonly calls: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly input: object;
    readonly output: string;
  }[];
  readonly answer: string;
}

/** What a scenario is given. */
export interface Given {
  readonly app: PackedApp;
  /** An agent of the packed library, with a store and a session of its own. */
  readonly agent: Agent;
  /** A log of 200,000 chars; `other(n)` are as long and different. */
  readonly text: string;
  readonly other: (number: number) => string;
  /** The message of an error, 50,000 chars. */
  readonly error: string;
  /** A picture, as base64. */
  readonly image: string;
  /** A window that is small for what is in it, in tokens. */
  readonly window: number;
  readonly plan: readonly Turn[];
}

/** What the model read, or what else became of a scenario. */
export interface Facts {
  /** The tool returns `text`. `again`: what the next request shows of the same call. */
  longResult: { readonly shown: string; readonly again: string };
  /** The tool throws `error`. `isError`: the framework told the model that it is one. */
  thrownError: { readonly shown: string; readonly isError: boolean };
  /** Three calls at once, of which each returns `other(0…2)`, in `window`. */
  parallelCalls: { readonly shown: readonly string[] };
  /** The tool returns `text` and `image`: texts and pictures that the model got. */
  image: { readonly shown: string; readonly images: readonly string[] };
  /**
   * The tool gives its result piece by piece, `text` in the end. `early`: what the framework passed
   * on while the tool was still running.
   */
  streamingTool: { readonly shown: string; readonly early: number };
  /** The run is given up while a tool hangs. */
  abort: { readonly rejected: boolean };
  /** The messages of the last request of a process, and of the next one of another process. */
  secondProcess: { readonly first: readonly string[]; readonly second: readonly string[] };
  /** `plan` in `window`: the messages of every request, as JSON. */
  fortyTurns: { readonly prompts: readonly (readonly string[])[] };
  /** A model that reads `text` page by page: what it had read in the end, and how many pages. */
  retrieval: { readonly text: string; readonly pages: number };
}

/** How a scenario is played, or why it cannot be. */
export type Proof<S extends Scenario> = ((given: Given) => Promise<Facts[S]>) | { readonly cannot: string };

/** An adapter, and how each scenario is played on it. */
export interface AdapterProof {
  /** As people call the framework. */
  readonly name: string;
  /** The npm package that is adapted; null for none. */
  readonly framework: string | null;
  readonly subpath: string;
  /** The page in docs/guides/, without `.md`. */
  readonly guide: string;
  readonly scenarios: { readonly [S in Scenario]: Proof<S> };
  /** Other ways into the same framework, by name: held to the same rules, without a row. */
  readonly variants?: Readonly<Record<string, { readonly [S in Scenario]?: Proof<S> }>>;
}

/** Every output of a session, and its exact text. */
export async function storedTexts(agent: Agent): Promise<readonly { record: OutputRecord; text: string }[]> {
  const { spillway, session } = agent;
  const found: { record: OutputRecord; text: string }[] = [];
  const { items } = await spillway.store.list({ ...session.name, show: 'all', limit: 1_000 });
  for (const record of items) {
    const chunks: Uint8Array[] = [];
    for await (const { part, bytes } of spillway.contents(record))
      if (part.kind !== 'binary') for await (const piece of bytes) chunks.push(piece);
    found.push({ record, text: Buffer.concat(chunks).toString('utf8') });
  }
  return found;
}

/**
 * A model that reads an output to its end: it knows the results that it was shown, and calls what
 * the hint in the last one says.
 */
export class ReadingModel {
  text = '';
  pages = 0;

  /** The arguments of its next call of `get_artifact`; null when there is nothing left to read. */
  next(shown: string): Readonly<Record<string, unknown>> | null {
    if (this.pages === 0) {
      const [id] = /art_\d+_\w+/.exec(shown) ?? [];
      expect(id, 'the model was told a handle').toBeDefined();
      this.pages++;
      return { artifact_id: id };
    }
    this.text += shown.slice(shown.indexOf('\n') + 1);
    const args = argumentsIn(shown.slice(0, shown.indexOf('\n')));
    if (args !== null) this.pages++;
    return args;
  }
}

/** The arguments of the first call of `get_artifact` that a text names; null if it names none. */
export function argumentsIn(text: string): Readonly<Record<string, unknown>> | null {
  const spelled = /get_artifact\((artifact_id=[^\n]*?)\)/.exec(text)?.[1];
  if (spelled === undefined) return null;
  const pairs = [...spelled.matchAll(/(\w+)=("[^"]*"|\d+)/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, JSON.parse(value)]));
}
