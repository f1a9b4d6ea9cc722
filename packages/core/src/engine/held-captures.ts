/**
 * Captures results of a conversation that has to go on while its store cannot be written: what
 * cannot be stored is held in memory, told as not stored, and stored under the same handle as soon
 * as the store can be written again.
 */
import { holdable } from '../capture/holding.ts';
import type { ToolResult } from '../capture/result.ts';
import type { Call, OutputRecord } from '../model/output.ts';
import type { ProcessOptions, RecordedOutput } from '../options.ts';
import type { StandbyStore } from '../stores/standby.ts';
import type { Captures } from './captures.ts';

export interface HeldCapturesOptions {
  readonly standby: StandbyStore;
  /** Captures into the store. */
  readonly captures: Captures;
  /** Captures into memory. */
  readonly held: Captures;
  /** Freezes the projection of an output whose content has to go while it is held. */
  readonly project: (record: OutputRecord) => Promise<void>;
}

export class HeldCaptures {
  readonly #options: HeldCapturesOptions;

  constructor(options: HeldCapturesOptions) {
    this.#options = options;
  }

  async take(
    call: Call,
    result: ToolResult,
    options: Pick<ProcessOptions, 'outcome' | 'sourceTruncated'>,
  ): Promise<RecordedOutput> {
    const { standby, captures, held, project } = this.#options;
    await standby.restore();
    const reading = holdable(result);
    const closed = await captures.take(call, reading.result, options, null);
    const kept = await captures.keepIfPossible(closed);
    const failed = 'failure' in closed ? { failure: closed.failure } : {};
    if ('record' in kept) return { ...kept, ...failed };
    const again = reading.again();
    const { outcome, sourceTruncated } = closed.facts;
    const facts = { outcome, sourceTruncated: sourceTruncated || !again.whole };
    const policy = { onOverMax: 'store' } as const;
    const sealed = await held.keep(await held.take(call, again.result, { ...facts, policy }, null));
    const earlier = await this.#sameStored(sealed.record);
    if (earlier !== null) return { record: earlier, existing: true, ...failed };
    if (!sealed.existing) await standby.hold(sealed.record, kept.why, kept.cause !== undefined, project);
    return { ...sealed, ...failed, notStored: kept.why };
  }

  /**
   * The output that is stored for the same call with the same content: the result was said before.
   */
  async #sameStored({ scope, session, callId, parts }: OutputRecord): Promise<OutputRecord | null> {
    if (callId === undefined) return null;
    const { standby } = this.#options;
    const found = await standby.find({ scope, session, callId }).catch(() => undefined);
    if (found === undefined || 'purgedAt' in found || standby.whyNotStored(found.id) != null) return null;
    const isSame =
      found.parts.length === parts.length && found.parts.every((part, i) => part.hash === parts[i]?.hash);
    return isSame ? found : null;
  }
}
