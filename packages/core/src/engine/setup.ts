/**
 * What the parts of a Spillway share: store, standby, ledger, and the host's options with their
 * defaults.
 */
import { randomFillSync } from 'node:crypto';
import type { ArtifactId } from '../model/artifact.ts';
import type { Dialect } from '../model/dialect.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import type { EventType, LedgerEvent } from '../model/events.ts';
import type { FetchHint } from '../model/fetch.ts';
import type { Call, PlainCopyFolder } from '../model/output.ts';
import type { PathEngine } from '../model/path.ts';
import type { PatternEngine } from '../model/pattern.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import type { SpillwayOptions } from '../options.ts';
import { completeStore, hasUpkeep } from '../stores/assembling.ts';
import type { StandbyStore } from '../stores/standby.ts';
import { withSignal } from '../stores/waiting.ts';
import { estimateTokens } from '../text/tokens.ts';
import type { OwnPatterns } from '../vocabulary/vocabulary.ts';
import { DIALECTS } from '../wording/dialects/index.ts';
import { REFUSED_OUTPUT } from '../wording/refused-fetches.ts';

const MAX_CAPTURE = 2 * 1024 ** 3;

export interface Setup
  extends Required<
    Pick<
      SpillwayOptions,
      'strategies' | 'formats' | 'tokens' | 'strict' | 'retention' | 'maxCapture' | 'clock' | 'random'
    >
  > {
  store: Store | null;
  /** Set where a conversation is held that the store does not take (holding.ts). */
  standby: StandbyStore | null;
  readonly hasUpkeep: boolean;
  readonly hint: FetchHint;
  /** Loaded when first asked for; null where the host has none. */
  readonly patterns: (() => Promise<PatternEngine>) | null;
  readonly paths: PathEngine | null;
  readonly dialects: readonly Dialect[];
  readonly ownPatterns: OwnPatterns | undefined;
  readonly maxAgeDays: number | undefined;
  readonly copies: PlainCopyFolder | null;
  readonly ledger: Ledger;
}

export function setUp(options: SpillwayOptions): Setup {
  const { strict = false, clock = Date.now, strategies = [], formats = [], patterns } = options;
  if (typeof options.store !== 'object')
    throw invalidArgument(
      'A `store` is one that was opened, such as memoryStore() or sqliteStore({ file }), or null.',
    );
  const store = options.store === null ? null : completeStore(options.store);
  return {
    store,
    standby: null,
    hasUpkeep: store !== null && hasUpkeep(store),
    hint: options.hint ?? { kind: 'tool', name: 'get_artifact' },
    patterns:
      patterns === undefined || typeof patterns === 'function' ? (patterns ?? null) : async () => patterns,
    paths: options.paths ?? null,
    dialects: [...DIALECTS, ...(options.dialects ?? [])],
    copies: options.plainCopies ?? null,
    ledger: new Ledger(store, clock, options.onEvent ?? (() => {})),
    strategies,
    formats,
    ownPatterns: options.ownPatterns,
    tokens: options.tokens ?? estimateTokens,
    strict,
    retention: options.retention ?? 'durable',
    maxAgeDays: options.maxAgeDays,
    maxCapture: options.maxCapture ?? MAX_CAPTURE,
    clock,
    random: options.random ?? randomPool(),
  };
}

/** Reads end with the signal of the call. */
export function storeFor({ store }: Pick<Setup, 'store'>, { signal }: WaitOptions = {}): Store {
  if (store === null) throw noStore();
  return withSignal(store, signal);
}

function noStore(): SpillwayError {
  return new SpillwayError('store_unavailable', REFUSED_OUTPUT.noStore);
}

/** Adds events to the ledger, and tells observers. An answer never depends on it. */
export class Ledger {
  readonly #store: Store | null;
  readonly #clock: () => number;
  readonly #onEvent: (event: LedgerEvent) => void;

  constructor(store: Store | null, clock: () => number, onEvent: (event: LedgerEvent) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  event(
    type: EventType,
    { tool, session, scope }: Pick<Call, 'tool' | 'session' | 'scope'>,
    output: ArtifactId | undefined,
    data: NonNullable<LedgerEvent['data']>,
  ): LedgerEvent {
    const event = { type, at: this.#clock(), tool, session, scope, data };
    return output === undefined ? event : { ...event, output };
  }

  /** A store that cannot take it is ignored. */
  async note(event: LedgerEvent, wait: WaitOptions = {}): Promise<void> {
    wait.signal?.throwIfAborted();
    this.tell([event]);
    await this.#store?.note([event], wait).catch(() => wait.signal?.throwIfAborted());
  }

  tell(events: readonly LedgerEvent[]): void {
    for (const event of events) this.#onEvent(event);
  }
}

const POOL_BYTES = 1_024;

/**
 * Small numbers of random bytes from a pool, since a system call per request is slow. Each byte is
 * used once.
 */
export function randomPool(): (count: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.slice(used - count, used);
  };
}
