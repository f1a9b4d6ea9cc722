/**
 * Spillway with its batteries: the embedded store of the workspace, RE2 patterns and plain copies. What `@spillway/core` takes as
 * interfaces is chosen here.
 */
import { type FetchHint, Spillway, type Store } from '@spillway/core';
import { sqliteStore } from '@spillway/core/stores/sqlite';
import { re2Patterns } from './patterns.ts';
import { PlainCopies } from './plain-copies.ts';
import { findWorkspace, storeFile, type Workspace } from './workspace.ts';

export interface OpenOptions {
  /** A folder of the workspace. Default: the current one. */
  readonly workspace?: string;
  /** Another store than the embedded one; null stores nothing. */
  readonly store?: Store | null;
  /** How the reader fetches more. Default: the model's tool `get_artifact`. */
  readonly hint?: FetchHint;
  /** Whether plain copies are written for readers that have file tools. Default: true. */
  readonly plainCopies?: boolean;
  readonly strict?: boolean;
}

export interface Opened {
  readonly spillway: Spillway;
  readonly store: Store | null;
  readonly workspace: Workspace;
  readonly copies: PlainCopies;
}

/** Opens Spillway for a workspace. Nothing is written before the first output is. */
export async function open(options: OpenOptions = {}): Promise<Opened> {
  const workspace = findWorkspace(options.workspace ?? process.cwd(), process.env);
  const store = options.store === undefined ? sqliteStore({ file: storeFile(workspace) }) : options.store;
  const copies = new PlainCopies(workspace.artifacts);
  const spillway = new Spillway({
    store,
    patterns: await re2Patterns(),
    ...(options.hint === undefined ? {} : { hint: options.hint }),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    ...(options.plainCopies === false ? {} : { plainCopies: copies }),
  });
  return { spillway, store, workspace, copies };
}
