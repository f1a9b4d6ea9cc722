/**
 * Opens an agent's run: store, scope and session are named here and nowhere else. The package
 * `spillway` has an `openAgent` that finds the store of the workspace; this one is given a store.
 */
import { Spillway } from '../engine.ts';
import { History } from '../history/history.ts';
import { shapeOf } from '../history/shapes/index.ts';
import type { Shape, ShapeName } from '../history/shapes/shape.ts';
import type { About } from '../model/about.ts';
import { invalidArgument, type SpillwayError } from '../model/errors.ts';
import type { SettingsInput } from '../model/policy.ts';
import type { Store } from '../model/store.ts';
import type { SpillwayOptions } from '../options.ts';
import { didYouMean } from '../text/nearest.ts';
import { Agent, type AgentParts } from './agent.ts';

/** What an agent is opened with: a session, and a store or a Spillway that is open already. */
export type AgentOptions<S extends ShapeName = 'openai_chat'> = {
  /** The name of the agent's run. The same name in the same store goes on where it stopped. */
  readonly session: string;
  /** Who may fetch what it stores, or that by session. Default: the session alone. */
  readonly scope?: string | ((session: string) => string);
  /** Whose messages go in and out. Default: `openai_chat`. */
  readonly shape?: S | Shape;
  /** Settings of this session, above those of its tools. */
  readonly settings?: SettingsInput;
  /** What the agent is after. */
  readonly about?: About;
} & (
  | (Omit<SpillwayOptions, 'store'> & {
      /** Where everything is kept. `memoryStore()` keeps it until the process ends. */
      readonly store: Store;
      readonly spillway?: never;
      readonly closes?: never;
    })
  | {
      /** A Spillway that is open already. */
      readonly spillway: Spillway;
      readonly store?: never;
      /** Whether `close` closes the Spillway that was given. Default: it stays open. */
      readonly closes?: 'spillway' | 'nothing';
    }
);

/** Every option, to tell a typing error from an option. */
const OPTIONS: readonly string[] = `session scope shape settings about store spillway closes hint patterns
  paths tokens strategies formats dialects ownPatterns plainCopies strict retention maxAgeDays maxCapture
  clock random onEvent`.split(/\s+/);

/** Opens an agent's run. An option that is not known is an error. */
export async function openAgent<S extends ShapeName = 'openai_chat'>(
  options: AgentOptions<S>,
): Promise<Agent<S>> {
  const { session, scope, shape, settings, about = {}, closes, ...rest } = options ?? {};
  refuseUnknown(options ?? {});
  if (rest.spillway === undefined && rest.store === undefined) throw noStore();
  const spillway = rest.spillway ?? new Spillway(rest as SpillwayOptions);
  const partsOf = (name: string): AgentParts => {
    if (settings !== undefined) spillway.configureSession(name, settings);
    const scoped = typeof scope === 'function' ? scope(name) : (scope ?? name);
    return {
      spillway,
      session: new History({ spillway }).session({ scope: scoped, session: name }),
      shape: shapeOf(shape ?? 'openai_chat'),
      about,
      close: async () => {},
      inSession: partsOf,
    };
  };
  const close = async () => {
    if (rest.spillway === undefined || closes === 'spillway') await spillway.close();
  };
  return new Agent<S>({ ...partsOf(session), close });
}

function refuseUnknown(options: object): void {
  if (typeof options !== 'object') throw invalidArgument('Give the options of openAgent as an object.');
  const name = Object.keys(options).find((each) => !OPTIONS.includes(each));
  if (name === undefined) return;
  const meant = didYouMean(name, OPTIONS);
  throw invalidArgument(`\`${name}\` is not an option of openAgent.${meant}`);
}

function noStore(): SpillwayError {
  return invalidArgument(
    'Which store? Give `store: memoryStore()`, which keeps everything until the process ends, or a store ' +
      'such as sqliteStore({ file }). The openAgent of the package `spillway` uses the store of the workspace.',
  );
}
