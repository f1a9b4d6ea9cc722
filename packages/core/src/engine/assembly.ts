/** Puts together what a Spillway is made of, from its options. */

import { randomFillSync } from 'node:crypto';
import { SpillwayError } from '../model/errors.ts';
import type { Store } from '../model/store.ts';
import type { SpillwayOptions } from '../options.ts';
import { completeStore, hasUpkeep } from '../stores/assembling.ts';
import { StandbyStore } from '../stores/standby.ts';
import { estimateTokens } from '../text/tokens.ts';
import { DIALECTS } from '../wording/dialects/index.ts';
import { getArtifactTool } from '../wording/get-artifact.ts';
import { Answers } from './answers.ts';
import { Captures, type CapturesOptions } from './captures.ts';
import { HeldCaptures } from './held-captures.ts';
import { Ledger } from './ledger.ts';
import { OutputReader } from './output-reader.ts';
import { Pages } from './pages.ts';
import { Policies } from './policies.ts';
import { Projector } from './projector.ts';
import { StoredOutputs } from './stored-outputs.ts';
import { StoredProjections } from './stored-projections.ts';
import { Upkeep } from './upkeep.ts';

const MAX_CAPTURE = 2 * 1024 ** 3;

export type Assembly = ReturnType<typeof assemble>;

export function assemble(options: SpillwayOptions) {
  const { strict = false, clock = Date.now, plainCopies = null, formats = [] } = options;
  const { hint = { kind: 'tool', name: 'get_artifact' }, patterns = null, paths = null } = options;
  if (typeof options.store !== 'object')
    throw new SpillwayError(
      'invalid_argument',
      'A `store` is one that was opened, such as memoryStore() or sqliteStore({ file }), or null.',
    );
  const complete = options.store === null ? null : completeStore(options.store);
  const standby = complete === null || strict ? null : new StandbyStore(complete);
  const store = standby ?? complete;
  const dialects = [...DIALECTS, ...(options.dialects ?? [])];
  const tokens = options.tokens ?? estimateTokens;
  const projector = new Projector({
    strategies: options.strategies ?? [],
    formats,
    own: options.ownPatterns,
    dialects,
    hint,
    answers: (argument) => argument !== 'json_path' || paths !== null,
    tokens,
    clock,
    whyNotStored: (id) => standby?.whyNotStored(id) ?? null,
  });
  const policies = new Policies({ store, projector, hint });
  const ledger = new Ledger({ store, clock, onEvent: options.onEvent ?? (() => {}) });
  const upkeep = store === null ? null : upkeepOf(options, store, ledger);
  const looksAfter = complete !== null && hasUpkeep(complete);
  const capturing: CapturesOptions = {
    store,
    projector,
    policies,
    ledger,
    maxCapture: options.maxCapture ?? MAX_CAPTURE,
    clock,
    random: options.random ?? randomPool(),
    onStored: (scope) => (looksAfter ? upkeep?.lookAfter(scope) : undefined),
  };
  const captures = new Captures(capturing);
  const pages = new Pages({ projector, hint, patterns, paths, formats });
  const outputs = new StoredOutputs({ store, policies, pages, ledger, formats, hint });
  const projections = new StoredProjections({ projector, policies, pages, ledger, outputs });
  return {
    store,
    standby,
    dialects,
    tokens,
    projector,
    policies,
    ledger,
    upkeep,
    captures,
    held: standby === null ? null : heldCaptures(standby, capturing, captures, projections),
    answers: new Answers({ store, projector, policies, captures, ledger, plainCopies, strict }),
    outputs,
    projections,
    plainCopies,
    reader: new OutputReader({ store, projector, policies, patterns }),
    tool: getArtifactTool(formats.flatMap(({ address }) => address ?? [])),
  };
}

function upkeepOf(options: SpillwayOptions, store: Store, ledger: Ledger): Upkeep {
  return new Upkeep({
    store,
    copies: options.plainCopies ?? null,
    retention: options.retention ?? 'durable',
    maxAgeDays: options.maxAgeDays,
    clock: options.clock ?? Date.now,
    note: (event) => ledger.note(event),
  });
}

/** What is only held is told as not stored, which the first attempt has done. */
function heldCaptures(
  standby: StandbyStore,
  capturing: CapturesOptions,
  captures: Captures,
  projections: StoredProjections,
): HeldCaptures {
  const ledger = new Ledger({ store: standby.memory, clock: capturing.clock, onEvent: () => {} });
  const held = new Captures({ ...capturing, store: standby.memory, ledger, onStored: () => undefined });
  return new HeldCaptures({
    standby,
    captures,
    held,
    project: async ({ scope, id }) => {
      await projections.first({ scope, id }, {});
    },
  });
}

const POOL_BYTES = 1_024;

/** Gives as many random bytes as asked for, at most a pool of them. */
/**
 * Random bytes in small numbers: the system is asked for many at once, since asking costs more than
 * what it gives. Each byte is given once.
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
