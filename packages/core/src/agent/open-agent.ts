/**
 * The one-import start for people who build agents: store, scope and session are named here and
 * nowhere else.
 */

import { Spillway } from '../engine.ts';
import { History } from '../history/history.ts';
import { shapeOf } from '../history/shapes/index.ts';
import type { Shape, ShapeName } from '../history/shapes/shape.ts';
import type { About } from '../model/about.ts';
import type { SettingsInput } from '../model/policy.ts';
import type { Store } from '../model/store.ts';
import type { SpillwayOptions } from '../options.ts';
import { memoryStore } from '../stores/memory.ts';
import { Agent, type AgentParts } from './agent.ts';

/** What an agent is opened with. */
export interface AgentOptions<S extends ShapeName = 'openai_chat'> extends Omit<SpillwayOptions, 'store'> {
  /** The name of the agent's run. The same name in the same store goes on where it stopped. */
  readonly session: string;
  /** Who may fetch what the agent stores. Default: the session alone. */
  readonly scope?: string;
  /** Default: a store in memory, which ends with the process. */
  readonly store?: Store;
  /** A Spillway that is open already, in place of one with this store and these options. */
  readonly spillway?: Spillway;
  /** Whether `close` closes a Spillway that was given. Default: it stays open. */
  readonly closes?: 'spillway' | 'nothing';
  /** Whose messages go in and out. Default: `openai_chat`. */
  readonly shape?: S | Shape;
  /** Settings of this session, above those of its tools. */
  readonly settings?: SettingsInput;
  /** What the agent is after. */
  readonly about?: About;
}

/**
 * Opens an agent's run: `tool` adds tools, `say` and `take` record, `request` makes the next
 * request.
 */
export async function openAgent<S extends ShapeName = 'openai_chat'>(
  options: AgentOptions<S>,
): Promise<Agent<S>> {
  const {
    session,
    scope,
    store,
    spillway: given,
    shape,
    settings,
    about = {},
    closes,
    ...rest
  } = options ?? {};
  const spillway = given ?? new Spillway({ ...rest, store: store ?? memoryStore() });
  const partsOf = (name: string): AgentParts => {
    if (settings !== undefined) spillway.configureSession(name, settings);
    return {
      spillway,
      session: new History({ spillway }).session({ scope: scope ?? name, session: name }),
      shape: shapeOf(shape ?? 'openai_chat'),
      about,
      close: async () => {},
      inSession: partsOf,
    };
  };
  const close = async () => {
    if (given === undefined || closes === 'spillway') await spillway.close();
  };
  return new Agent<S>({ ...partsOf(session), close });
}
