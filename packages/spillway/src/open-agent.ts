/**
 * `openAgent` with batteries: the workspace's store and scope, its settings, RE2 patterns and
 * JSONPath.
 */
import {
  type About,
  type Agent,
  memoryStore,
  openAgent as openCoreAgent,
  type SettingsInput,
} from '@spillway/core';
import type { Shape, ShapeName } from '@spillway/core/history';
import { type OpenOptions, open } from './open.ts';

/** What an agent is opened with. */
export interface OpenAgentOptions<S extends ShapeName = 'openai_chat'> extends OpenOptions {
  /** The name of the agent's run. The same name in the same workspace goes on where it stopped. */
  readonly session: string;
  /** Who may fetch what the agent stores. Default: the workspace. */
  readonly scope?: string;
  /** Whose messages go in and out. Default: `openai_chat`. */
  readonly shape?: S | Shape;
  /** Settings of this session, above those of its tools. */
  readonly settings?: SettingsInput;
  /** What the agent is after. */
  readonly about?: About;
}

/**
 * Opens an agent's run in a workspace. Everything is kept in the workspace's store; where that
 * cannot be used, in memory. Plain copies are written only if asked for: the model reads through
 * `get_artifact`.
 */
export async function openAgent<S extends ShapeName = 'openai_chat'>(
  options: OpenAgentOptions<S>,
): Promise<Agent<S>> {
  const { session, scope, shape, settings, about, ...rest } = options ?? {};
  const opened = await open({ plainCopies: false, ...rest });
  const { spillway, workspace } =
    opened.store === null ? await open({ plainCopies: false, ...rest, store: memoryStore() }) : opened;
  return openCoreAgent<S>({
    spillway,
    session,
    scope: scope ?? workspace.scope,
    closes: 'spillway',
    ...(shape === undefined ? {} : { shape }),
    ...(settings === undefined ? {} : { settings }),
    ...(about === undefined ? {} : { about }),
  });
}
