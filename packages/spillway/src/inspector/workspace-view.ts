/** The workspace that is looked at. */
import type { WorkspaceAnswer } from './api.ts';
import type { Inspected } from './inspected.ts';
import { windowOf } from './window-use.ts';

export async function showWorkspace(inspected: Inspected): Promise<WorkspaceAnswer> {
  const { index, spillway, workspace, options } = inspected;
  const { outputs, sessions } =
    inspected.storeProblem === null ? await inspected.store.usage() : { outputs: 0, sessions: 0 };
  const last = index.lastPrepared;
  return {
    name: inspected.name,
    root: workspace.root,
    version: options.version,
    pid: process.pid,
    has_store: inspected.hasStore,
    store_problem: inspected.storeProblem,
    untrusted_store: workspace.foreign,
    outputs,
    sessions,
    window: last === undefined ? null : { ...windowOf(spillway, last), session: last.session ?? '' },
    cursor: index.cursor,
  };
}
