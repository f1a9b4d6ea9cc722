/**
 * Opens a Spillway or a store for tests. On a store of its own a Spillway is always the same: its
 * clock stands still and its ids count up. On a given store, which others may share, both are real.
 */

import {
  type Call,
  memoryStore,
  type Projection,
  Spillway,
  type SpillwayOptions,
  type Store,
  type ToolResult,
} from '@spillway/core';
import type { PolicyPatch } from '@spillway/core/plugin';
import { type SqliteStoreOptions, sqliteStore } from '@spillway/core/store/sqlite';
import { storeFile } from './folders.ts';

export const CALL = { tool: 'run', session: 's', scope: 's' };
export const COMMAND = { ...CALL, tool: 'execute_command' };

/** What a model is shown of an output; `call` is where it came from. */
export async function shown(
  output: string | Uint8Array | ToolResult,
  policy: PolicyPatch = {},
  { call = CALL, ...options }: Partial<SpillwayOptions> & { readonly call?: Call } = {},
): Promise<Projection> {
  const isText = typeof output === 'string' || output instanceof Uint8Array;
  const result: ToolResult = isText ? { kind: 'text', text: output } : output;
  return (await openSpillway(options).process(call, result, { policy })).projection;
}

/** A Spillway, on a store in memory unless told otherwise. */
export function openSpillway(options: Partial<SpillwayOptions> = {}): Spillway {
  if (options.store !== undefined) return new Spillway({ ...options, store: options.store });
  const clock = () => 1_700_000_000_000;
  return new Spillway({ store: memoryStore({ clock }), clock, random: countingBytes(), ...options });
}

/** A store in a new SQLite file, which need not survive a loss of power. */
export async function temporaryStore(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  return sqliteStore({ file: await storeFile(), durability: 'process', ...options });
}

function countingBytes(): (count: number) => Uint8Array {
  let made = 0;
  return (count) => {
    const bytes = Buffer.alloc(count);
    bytes.writeUInt32BE(made++, count - 4);
    return bytes;
  };
}
