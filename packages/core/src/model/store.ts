/**
 * What a store does, in three parts: outputs, which every store has; history; and upkeep. No idea
 * of SQL, files or processes is in it. `stores/README.md` says what each method promises, and
 * `@spillway/core/testing` holds a suite for each part.
 */
import type { HistoryStore } from './history-store.ts';
import type { OutputStore } from './output-store.ts';
import type { UpkeepStore } from './upkeep-store.ts';

export type * from './history-store.ts';
export type * from './output-store.ts';
export type * from './page.ts';
export type * from './upkeep-store.ts';

/** A store with all three parts, as those that Spillway brings are. */
export interface Store extends OutputStore, HistoryStore, UpkeepStore {}
