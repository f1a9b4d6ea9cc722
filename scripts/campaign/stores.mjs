// The stores that the campaign runs on. A scenario asks for one, by the name of a workspace: it gets
// the variables that lead the program there, and opens it directly to check what is stored.
import { join } from 'node:path';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { postgresStore } from 'spillway/store/postgres';
import { Cluster, programs } from './server/cluster.mjs';

export const STORES = ['sqlite', 'postgres', 'files'];

/**
 * How many bytes an output has. `files` is the embedded store with outputs that are all so large
 * that they go on in files beside the database.
 */
export function someBytes(store, random) {
  return 64 * Math.floor(store === 'files' ? 16_500 * 3 ** random() : 200 * 300 ** random());
}

/** Why there is none here; null where there is. */
export function missing(store) {
  return store === 'postgres' && programs === undefined ? 'no PostgreSQL server is installed' : null;
}

let shared;

/** The server that scenarios share which leave it as it is; each has a database of its own. */
function sharedCluster() {
  shared ??= Cluster.make();
  return shared;
}

/** `onServer`, `url`, `tablespace`: another server than the shared one, the way there, its disk. */
export async function storeOf(name, workspace, { onServer, url, tablespace = 'pg_default' } = {}) {
  if (name !== 'postgres') {
    const file = join(workspace, '.acode', 'artifacts', 'store.db');
    const large = name === 'files' ? { largePartBytes: 4_096 } : {};
    const open = (options) => sqliteStore({ file, ...large, ...options });
    return { name, env: {}, scope: 'workspace', open };
  }
  const cluster = onServer ?? (await sharedCluster());
  const label = workspace.split('/').at(-1);
  const database = label.replaceAll(/\W/g, '_');
  await cluster.query(`CREATE DATABASE ${database} TABLESPACE ${tablespace}`);
  const reached = url?.(database) ?? cluster.url(database);
  return {
    name,
    database,
    env: { SPILLWAY_STORE: reached, SPILLWAY_WORKSPACE: label },
    scope: `workspace:${label}`,
    open: (options) => postgresStore({ connectionString: reached, ...options }),
    query: (sql, values) => cluster.query(sql, values, database),
  };
}

/** Ends what they need. */
export async function endStores() {
  await (await shared)?.remove();
}
