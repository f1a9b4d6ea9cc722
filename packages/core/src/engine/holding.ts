/**
 * For a conversation that has to go on while the store cannot be written: what cannot be stored is
 * held in memory, told as not stored, and stored under the same handle as soon as that is possible.
 * A result is read twice then: once into the store, and again into memory. What is here as a whole
 * is simply given again; of what streams in, the first `MOST_BYTES` are kept while it is read.
 */
import {
  type Chunk,
  type ContentBlock,
  checkedResult,
  type NotProjected,
  type Streamed,
  type TextResult,
  type ToolResult,
  withStreams,
} from '../capture/result.ts';
import { partsOf, type Spillway } from '../engine.ts';
import type { Call, OutputRecord } from '../model/output.ts';
import type { ProcessOptions, RecordedOutput } from '../options.ts';
import { StandbyStore } from '../stores/standby.ts';
import type { Projector } from './project.ts';
import { Recorder } from './record.ts';
import { Ledger } from './setup.ts';

export interface Holding {
  /** A message as it is stored, or as a model reads it. */
  readonly withoutSecrets: Projector['withoutSecrets'];
  /** Null where failures are errors (`strict`), or nothing is stored. */
  readonly standby: StandbyStore | null;
  /** As `Spillway.record`, but what cannot be stored is held. */
  recordOrHold<R extends ToolResult>(
    call: Call,
    result: R & NotProjected<R>,
    options?: HoldOptions,
  ): Promise<RecordedOutput>;
}

type HoldOptions = Pick<ProcessOptions, 'outcome' | 'sourceTruncated' | 'signal'>;

/** From its first use on, the Spillway also reads what is held. */
export function holdingOf(spillway: Spillway): Holding {
  const { setup, projector } = partsOf(spillway);
  if (setup.standby === null && setup.store !== null && !setup.strict) {
    setup.standby = new StandbyStore(setup.store);
    setup.store = setup.standby.store;
  }
  const { standby } = setup;
  return {
    withoutSecrets: (...of) => projector.withoutSecrets(...of),
    standby,
    recordOrHold: (call, result, options = {}) =>
      standby === null
        ? spillway.record(call, result as unknown as TextResult, options)
        : keepOrHold(spillway, standby, call, result, options),
  };
}

async function keepOrHold(
  spillway: Spillway,
  standby: StandbyStore,
  call: Call,
  given: ToolResult,
  options: HoldOptions,
): Promise<RecordedOutput> {
  const { setup, projector, recorder } = partsOf(spillway);
  await standby.restore();
  const reading = holdable(given);
  const closed = await recorder.take(call, reading.result, options, null);
  const kept = await recorder.keepIfPossible(closed);
  const failed = 'failure' in closed ? { failure: closed.failure } : {};
  if ('record' in kept) return { ...kept, ...failed };
  const { result, whole } = reading.again();
  const { outcome, sourceTruncated } = closed.facts;
  const again = {
    outcome,
    sourceTruncated: sourceTruncated || !whole,
    policy: { onOverMax: 'store' } as const,
  };
  // The first attempt already noted that it is not stored.
  const ledger = new Ledger(standby.memory, setup.clock, () => {});
  const memory = new Recorder({ ...setup, store: standby.memory, ledger }, projector);
  const held = await memory.keep(await memory.take(call, result, again, null));
  const earlier = await sameStored(standby, held.record);
  if (earlier !== null) return { record: earlier, existing: true, ...failed };
  if (!held.existing)
    await standby.hold(held.record, kept.why, kept.cause !== undefined, async (record) => {
      await projector.first(record, {});
    });
  return { ...held, ...failed, notStored: kept.why };
}

/** The stored output of the same call with the same content: the result was said before. */
async function sameStored(
  standby: StandbyStore,
  { scope, session, callId, parts }: OutputRecord,
): Promise<OutputRecord | null> {
  if (callId === undefined) return null;
  const found = await standby.store.find({ scope, session, callId }).catch(() => undefined);
  if (found === undefined || 'purgedAt' in found || standby.whyNotStored(found.id) != null) return null;
  const isSame =
    found.parts.length === parts.length && found.parts.every((part, i) => part.hash === parts[i]?.hash);
  return isSame ? found : null;
}

const MOST_BYTES = 8 * 1024 * 1024;

interface HoldableResult {
  readonly result: ToolResult;
  /** `whole`: nothing is missing. */
  again(): { readonly result: ToolResult; readonly whole: boolean };
}

function holdable(given: ToolResult): HoldableResult {
  const checked = checkedResult(given);
  const held: unknown[][] = [];
  let left = MOST_BYTES;
  let whole = true;
  async function* read<T>(items: Streamed<T>, kept: unknown[]): AsyncGenerator<T> {
    for await (const item of items) {
      const bytes = sizeOf(item as Chunk | ContentBlock);
      if (bytes > left) whole = false;
      left = Math.max(0, left - bytes);
      // A copy: the host may reuse its buffer.
      if (whole) kept.push(item instanceof Uint8Array ? item.slice() : item);
      yield item;
    }
  }
  const result = withStreams(checked, (items) => {
    const kept: unknown[] = [];
    held.push(kept);
    return read(items, kept);
  });
  const again = () => {
    const each = held.values();
    return { result: withStreams(checked, () => each.next().value ?? []), whole };
  };
  return { result, again };
}

function sizeOf(item: Chunk | ContentBlock): number {
  if (typeof item === 'string') return item.length * 2;
  if (item instanceof Uint8Array) return item.length;
  if (item?.type === 'text') return item.text.length * 2;
  if (item?.type === 'other') return item.json.length * 2;
  return item?.type === 'image' || item?.type === 'audio' ? item.data.length : 1_024;
}
