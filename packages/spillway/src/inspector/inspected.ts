/**
 * The workspace that is looked at: its settings, its store and its ledger, and the texts that were
 * given to the preview. Looking makes no store where there is none: until one is there, everything
 * is empty. Outputs of all scopes of the workspace are seen, also those of its gateways.
 */
import {
  type ArtifactId,
  isArtifactId,
  type LedgerEvent,
  memoryStore,
  type OutputRecord,
  Spillway,
  SpillwayError,
  type Store,
} from '@spillway/core';
import { randomBytes } from '@spillway/core/store';
import { commandHint } from '../commands/command-hint.ts';
import { hasStore, type Workspace } from '../find-workspace.ts';
import { type Opened, open } from '../open.ts';
import { re2Patterns } from '../patterns.ts';
import { Problem } from './answer.ts';
import { LedgerIndex } from './ledger-index.ts';
import { keepLast } from './rows.ts';
import { SettingChanges } from './setting-changes.ts';
import { Threads } from './thread.ts';

/** Numbers and names only; for anything else ask the routes. */
export type LiveEvents = ReturnType<typeof liveEvents>;
export type LiveEvent = LiveEvents['items'][number];

/**
 * What `GET /api/live?after=CURSOR` sends as server-sent events: first from where on events follow,
 * then events, changes of files with settings, and what is being captured.
 */
export type LiveMessage =
  | { readonly event: 'hello'; readonly data: { readonly cursor: string } }
  | { readonly event: 'events'; readonly data: LiveEvents }
  | { readonly event: 'settings'; readonly data: { readonly problem: string | null } }
  | { readonly event: 'running'; readonly data: readonly RunningRow[] };

/** An output that is being captured; it can be opened once it has ended. */
export interface RunningRow {
  readonly id: string;
  readonly session: string;
  readonly tool: string;
  readonly started_at: number;
  readonly bytes: number;
}

/** How often outputs that are being captured are looked for. */
const RUNNING_MS = 1_000;
/** Texts that were given to the preview and are kept. */
const MOST_TEXTS = 8;
/** Events that a page which was away for a while is told. */
const MOST_MISSED = 1_000;

interface GivenText {
  readonly name: string;
  readonly tool: string;
  readonly bytes: Uint8Array;
}

export interface InspectedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

export interface FoundOutput {
  readonly record: OutputRecord;
  readonly spillway: Spillway;
  readonly store: Store;
  readonly isPreview: boolean;
}

export class Inspected {
  readonly options: InspectedOptions;
  readonly threads = new Threads();
  readonly changes: SettingChanges;
  onMessage: (message: LiveMessage) => void = () => {};
  /** What is wrong with files of settings now. */
  settingsProblem: string | null = null;
  /** Goes up when settings may be others than before. */
  settingsVersion = 0;
  opened: Opened;
  hasStore: boolean;
  /** Why the store cannot be read now. */
  storeProblem: string | null = null;
  index: LedgerIndex;
  running: readonly RunningRow[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #texts = new Map<string, FoundOutput>();

  static async open(options: InspectedOptions): Promise<Inspected> {
    let inspected: Inspected | null = null;
    const onProblem = (problem: string | null) => inspected?.tellSettings(problem);
    inspected = new Inspected(options, await openWorkspace(options, onProblem));
    return inspected;
  }

  private constructor(options: InspectedOptions, { opened, hasStore }: OpenedWorkspace) {
    this.options = options;
    this.opened = opened;
    this.hasStore = hasStore;
    this.index = new LedgerIndex(scopeTest(opened.workspace));
    this.changes = new SettingChanges(options);
    opened.spillway.settings.onChange(() => this.tellSettings(null));
  }

  get workspace(): Workspace {
    return this.opened.workspace;
  }

  get spillway(): Spillway {
    return this.opened.spillway;
  }

  get store(): Store {
    return this.opened.spillway.store;
  }

  tellSettings(problem: string | null): void {
    this.settingsProblem = problem;
    this.settingsVersion++;
    this.onMessage({ event: 'settings', data: { problem } });
  }

  /** Looks for what is new; pages that listen are told. */
  async catchUp(): Promise<void> {
    if (!this.hasStore && hasStore(this.workspace)) await this.#reopen();
    try {
      const fresh = await this.index.catchUp(this.store);
      this.storeProblem = null;
      if (fresh.length > 0) this.onMessage({ event: 'events', data: liveEvents(this.index.cursor, fresh) });
      await this.#lookForRunning();
    } catch (error) {
      if (!(error instanceof SpillwayError)) throw error;
      this.storeProblem = error.message;
    }
  }

  async #lookForRunning(): Promise<void> {
    if (!this.hasStore || performance.now() - this.#lookedAt < RUNNING_MS) return;
    this.#lookedAt = performance.now();
    const { running = [] } = await this.store.usage();
    const rows = running
      .filter(({ scope }) => this.owns(scope))
      .map(({ id, session, tool, startedAt, bytes }) => ({
        id,
        session,
        tool,
        started_at: startedAt,
        bytes,
      }));
    if (JSON.stringify(rows) === JSON.stringify(this.running)) return;
    this.running = rows;
    this.onMessage({ event: 'running', data: rows });
  }

  /** What was noted behind a cursor, for a page that was away. */
  async since(after: string): Promise<LiveEvents> {
    // A cursor of another store tells nothing: the page reads everything anew.
    const { items } = await this.store.events({ after, limit: MOST_MISSED }).catch(() => ({ items: [] }));
    return liveEvents(
      this.index.cursor,
      items.filter(({ scope }) => this.owns(scope)),
    );
  }

  owns(scope: string): boolean {
    return scopeTest(this.workspace)(scope);
  }

  /** The scopes of the workspace that something was noted in. */
  get scopes(): readonly string[] {
    return [...new Set([this.workspace.scope, ...this.index.scopes])];
  }

  /** The output under a handle, whichever scope it is of. */
  async find(typed: string): Promise<FoundOutput> {
    if (!isArtifactId(typed)) throw new Problem('invalid_argument', 'That is not the handle of an output.');
    const text = this.#texts.get(typed);
    if (text !== undefined) return text;
    const { spillway, store } = this;
    for (const scope of this.#scopesFor(typed)) {
      const found = await store.find({ scope, id: typed });
      if (found === undefined) continue;
      if ('purgedAt' in found) throw new Problem('gone', 'This output is no longer kept.', found.purgedAt);
      return { record: found, spillway, store, isPreview: false };
    }
    throw new Problem('not_found', 'There is no such output here.');
  }

  /**
   * Takes a text in that a person gave to the preview. It is recorded in a memory store of its own,
   * so that it can be read like an output, and goes when the inspector ends.
   */
  async takeText({ name, tool, bytes }: GivenText): Promise<FoundOutput> {
    const spillway = new Spillway({
      store: memoryStore(),
      patterns: re2Patterns,
      ownPatterns: this.opened.config.own,
      random: randomBytes,
    });
    const call = { tool, session: 'preview', scope: 'preview', input: { name } };
    const { record } = await spillway.record(call, { kind: 'text', text: bytes });
    if (record.parts.length === 0) throw new Problem('invalid_argument', 'The text is empty.');
    const found = { record, spillway, store: spillway.store, isPreview: true };
    return keepLast(this.#texts, record.id, found, MOST_TEXTS);
  }

  #scopesFor(id: ArtifactId): readonly string[] {
    const known = this.index.trail(id)?.scope;
    return known === undefined ? this.scopes : [known, ...this.scopes.filter((scope) => scope !== known)];
  }

  async close(): Promise<void> {
    await this.opened.spillway.close();
  }

  async #reopen(): Promise<void> {
    const { opened, hasStore } = await openWorkspace(this.options, (problem) => this.tellSettings(problem));
    const former = this.opened;
    this.opened = opened;
    this.hasStore = hasStore;
    this.index = new LedgerIndex(scopeTest(opened.workspace));
    opened.spillway.settings.onChange(() => this.tellSettings(null));
    await former.spillway.close();
  }
}

interface OpenedWorkspace {
  readonly opened: Opened;
  readonly hasStore: boolean;
}

async function openWorkspace(
  { cwd, env }: InspectedOptions,
  onProblem: (problem: string) => void,
): Promise<OpenedWorkspace> {
  const options = {
    workspace: cwd,
    env,
    hint: commandHint(),
    watch: true,
    onConfigError: (error: Error) => onProblem(error.message),
  };
  const found = await open(options);
  if (found.store !== null && hasStore(found.workspace)) return { opened: found, hasStore: true };
  await found.spillway.close();
  return { opened: await open({ ...options, store: memoryStore() }), hasStore: false };
}

/** A store inside the workspace belongs to it whole; another may serve several workspaces. */
function scopeTest({ inside, scope: own }: Workspace): (scope: string) => boolean {
  return (scope) => inside || scope === own || scope.startsWith(`${own}:`);
}

function liveEvents(cursor: string, events: readonly LedgerEvent[]) {
  const items = events.map(({ type, at, session, tool, output, data = {} }) => {
    const { input: _hash, ...shown } = data;
    return { type, at, session: session ?? null, tool: tool ?? null, output: output ?? null, data: shown };
  });
  return { cursor, items };
}
