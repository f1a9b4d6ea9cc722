/** The public surface of `spillway`: everything of the core, and the batteries. */
export * from '@spillway/core';
export { sqliteStore } from '@spillway/core/store/sqlite';
export { type Config, type LoadOptions, loadConfig, type PassedOver } from './config/load.ts';
export type { ConfigFile, ConfigSources, Trust } from './config/locations.ts';
export type { StorageSettings } from './config/storage.ts';
export type { StoreFolder, Workspace } from './find-workspace.ts';
export { originalMessage } from './gateway/original.ts';
export { type ConnectableServer, type WithSpillwayOptions, withSpillway } from './middleware.ts';
export type { LimitAdvice, ReplayAdvice } from './observe/advice.ts';
export type { ShadowCounts } from './observe/ledger.ts';
export type { SuspectedLoss } from './observe/losses.ts';
export {
  type HistoryStats,
  type Recommendation,
  type Stats,
  type StatsQuery,
  statsOf,
  type ToolStats,
} from './observe/stats.ts';
export { type OpenAgentOptions, type Opened, type OpenOptions, open, openAgent } from './open.ts';
export { re2Patterns } from './patterns.ts';
export type { CopyLimits, PlainCopies } from './plain-copies.ts';
export type { SharedStore } from './shared-store.ts';
