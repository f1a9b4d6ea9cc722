/**
 * Sessions with their messages. A history is put together from a Spillway and its store; everything
 * durable is in the store, so any number of histories in any number of processes may work on the
 * same sessions. What is sent to a model is made by `prepare`, when it is sent.
 */

import { randomBytes } from 'node:crypto';
import { holdingOf } from '../engine/holding.ts';
import type { Spillway } from '../engine.ts';
import { type SessionName, sessionKey } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { CanonicalWriter, checkName } from './canonical.ts';
import { type Counters, SessionLedger } from './context.ts';
import { Session } from './session.ts';
import { Calibration, TokenCounts } from './token-counts.ts';

const MOST_CALIBRATIONS = 1_000;

/** What a history is put together from. */
export interface HistoryOptions {
  /** Stores and projects results. */
  readonly spillway: Spillway;
  /** Default: the store of that Spillway. */
  readonly store?: Store;
  /** If a promise is about to be broken. Default: `count` in production, else `throw`. */
  readonly invariants?: 'throw' | 'count';
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Bytes for ids. Default: those of `node:crypto`. */
  readonly random?: (count: number) => Uint8Array;
}

/** Opens sessions, and counts what happens in them. */
export class History {
  readonly #options: HistoryOptions;
  readonly #ledger: SessionLedger;
  readonly #counts: TokenCounts;
  /** How the models of sessions count; learned anew where too many were opened. */
  readonly #calibrations = new Map<string, Calibration>();

  constructor(options: HistoryOptions) {
    this.#options = options;
    const mode = options.invariants ?? (process.env.NODE_ENV === 'production' ? 'count' : 'throw');
    const { spillway, clock = Date.now } = options;
    this.#ledger = new SessionLedger(spillway, mode, clock);
    this.#counts = new TokenCounts((text) => spillway.countTokens(text));
  }

  /** A session, new or known. Nothing is written before something is said. */
  session(name: SessionName): Session {
    checkName(name);
    const { spillway, clock = Date.now, random = randomBytes } = this.#options;
    const holding = holdingOf(spillway);
    const { standby } = holding;
    const given = this.#options.store ?? spillway.store;
    // Through it, what could not be stored is read like everything else.
    const store = standby?.standsFor(given) === true ? standby.store : given;
    const mint = () => `msg_${Buffer.from(random(12)).toString('hex')}`;
    const counts = this.#counts.calibratedBy(this.#calibrationOf(name));
    const context = {
      name,
      spillway,
      holding,
      store,
      ledger: this.#ledger,
      counts,
      clock,
      wait: {},
    };
    return new Session(new CanonicalWriter(context, mint), context);
  }

  #calibrationOf(name: SessionName): Calibration {
    const key = sessionKey(name);
    const known = this.#calibrations.get(key) ?? new Calibration();
    if (this.#calibrations.size >= MOST_CALIBRATIONS) this.#calibrations.clear();
    this.#calibrations.set(key, known);
    return known;
  }

  /** What was counted since this history was opened. */
  get counters(): Counters {
    return this.#ledger.counters;
  }
}
