/** Opens an agent's run in a workspace: its store, its settings, RE2 patterns and JSONPath. */

import {
  type Agent,
  type AgentOptions,
  memoryStore,
  openAgent as openCoreAgent,
  type Spillway,
} from '@spillway/core';
import type { ShapeName } from '@spillway/core/history';
import { defined } from './fields.ts';
import { type OpenOptions, open, refuseUnknown } from './open.ts';

/** What an agent is opened with. */
export interface OpenAgentOptions<S extends ShapeName = 'openai_chat'>
  extends OpenOptions,
    Pick<AgentOptions<S>, 'session' | 'scope' | 'shape' | 'settings' | 'about'> {
  /** The Spillway of another agent, for two that share a store. It stays open; nothing else is opened. */
  readonly spillway?: Spillway;
}

/**
 * Opens an agent's run in a workspace. Everything is kept in the workspace's store; if that cannot
 * be used, in memory. Only the session fetches what it stores, unless a `scope` is named. Plain
 * copies are written only if asked for: the model reads through `get_artifact`.
 */
export async function openAgent<S extends ShapeName = 'openai_chat'>(
  options: OpenAgentOptions<S>,
): Promise<Agent<S>> {
  const { session, scope, shape, settings, about, spillway, ...rest } = options ?? {};
  refuseUnknown(options ?? {}, ['session', 'scope', 'shape', 'settings', 'about', 'spillway']);
  const agent = { session, ...defined({ shape, settings, about }) };
  if (spillway !== undefined)
    return openCoreAgent<S>({ ...agent, ...defined({ scope }), ...rest, spillway } as AgentOptions<S>);
  const opened = await open({ plainCopies: false, ...rest });
  const used =
    opened.store === null ? await open({ plainCopies: false, ...rest, store: memoryStore() }) : opened;
  // Scopes below that of the workspace are its owner's: `spillway artifacts list` shows them.
  const ownScope = (name: string): string => `${used.workspace.scope}:${name}`;
  return openCoreAgent<S>({
    ...agent,
    scope: scope ?? ownScope,
    spillway: used.spillway,
    closes: 'spillway',
  });
}
