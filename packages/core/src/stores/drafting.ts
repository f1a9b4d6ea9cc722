/**
 * What every writer checks and every store computes the same way: the order of calls on a writer,
 * that pieces follow each other without gaps, and how a draft becomes a record. Sizes are bytes.
 */

import type { ArtifactId } from '../model/artifact.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import type { MessageDraft, MessageRecord } from '../model/message.ts';
import type { OutputDraft, OutputRecord } from '../model/output.ts';
import type { PartRecord, PartSpec } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { AddMessagesRequest, CallFingerprint, Seal } from '../model/store.ts';
import { Sha256 } from '../text/digest.ts';
import { messageTaken } from './refusals.ts';

/** The declared parts of one unsealed output and how far each has come. */
export class Drafting {
  /** What the output was begun with. */
  readonly draft: OutputDraft;
  readonly #specs: PartSpec[] = [];
  readonly #ends: number[] = [];
  #over = false;

  constructor(draft: OutputDraft) {
    this.draft = draft;
  }

  /** The parts that were declared, in order. */
  get specs(): readonly PartSpec[] {
    return this.#specs;
  }

  /** Whether it was sealed or discarded. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Adds a part, and gives its index. */
  declare(spec: PartSpec): number {
    this.#mustBeOpen();
    this.#ends.push(0);
    return this.#specs.push(spec) - 1;
  }

  /** Checks that a piece begins where its part ended. */
  accept(part: number, piece: Piece): void {
    this.#mustBeOpen();
    if (this.#ends[part] !== piece.start.bytes) {
      throw invalidArgument(
        `Part ${part} cannot take this piece: declare the part first, and append its pieces in order and without gaps.`,
      );
    }
    this.#ends[part] = piece.start.bytes + piece.extent.bytes;
  }

  /** Ends the writer; a seal that does not fit what was appended leaves it as it was. */
  finish(seal?: Seal): void {
    this.#mustBeOpen();
    const fits =
      seal === undefined ||
      (seal.parts.length === this.#ends.length &&
        seal.parts.every((part, i) => part.bytes === this.#ends[i]));
    if (!fits) {
      throw invalidArgument(
        'The totals of the seal are not those of the appended pieces: give one entry a declared part, in order, with its bytes.',
      );
    }
    this.#over = true;
  }

  /** After a seal or discard that could not be stored: it may be tried again. */
  reopen(): void {
    this.#over = false;
  }

  #mustBeOpen(): void {
    if (this.#over) {
      throw new SpillwayError(
        'sealed',
        'This output was sealed or discarded before; create a new one to write again.',
      );
    }
  }
}

/** The record of an output that is being sealed. */
export function sealedRecord(
  draft: OutputDraft,
  specs: readonly PartSpec[],
  seal: Seal,
  version: number,
): OutputRecord {
  return {
    ...draft,
    version,
    outcome: seal.outcome,
    complete: seal.complete,
    sourceTruncated: seal.sourceTruncated,
    endedAt: seal.endedAt,
    summary: seal.summary,
    disclosed: seal.projection?.disclosed ?? false,
    parts: partRecords(specs, seal),
  };
}

function partRecords(specs: readonly PartSpec[], seal: Seal): readonly PartRecord[] {
  return seal.parts.flatMap((totals, index) => {
    const spec = specs[index];
    return spec === undefined ? [] : [{ ...spec, ...totals, index }];
  });
}

/**
 * Outputs of one call id are the same if this is equal: parts, content, outcome. Empty without a call
 * id, because then nothing is compared.
 */
export function fingerprint({ callId }: OutputDraft, specs: readonly PartSpec[], seal: Seal): string {
  if (callId === undefined) return '';
  const { status, exitCode, signal } = seal.outcome;
  // As one JSON text, but put together while it is hashed: there may be very many parts.
  const hash = new Sha256().update(
    JSON.stringify([status, exitCode ?? null, signal ?? null, []]).slice(0, -2),
  );
  for (const [index, { hash: content }] of seal.parts.entries()) {
    const spec = specs[index];
    if (spec === undefined) continue;
    const { role, kind, name, labelled, mediaType, valueKind } = spec;
    const part = [role, kind, name, labelled ?? null, mediaType ?? null, valueKind ?? null, content];
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify(part)}`);
  }
  return hash.update(']]').digest();
}

/** What the call was given, by its hash; undefined where that was not recorded. */
export function inputHash(parts: readonly PartRecord[]): string | undefined {
  return parts.find(({ role }) => role === 'input')?.hash;
}

/** Whether an output came from a call like this one. */
export function isAlike({ tool, outcome, parts }: OutputRecord, call: CallFingerprint | undefined): boolean {
  if (call === undefined) return true;
  const ended = call.status === undefined || call.status === outcome.status;
  return ended && call.tool === tool && call.input === inputHash(parts);
}

/** An event that shows its session to be alive. */
export function showsLife(type: string): boolean {
  return type !== 'session_ended' && type !== 'revoked' && type !== 'purged';
}

interface KnownMessages {
  readonly last: number;
  find(id: string): MessageRecord | undefined;
}

/**
 * The records of a request, old ones as they are kept and new ones with their numbers; `added` are
 * the new ones.
 */
export function numberMessages(
  { scope, session, messages }: AddMessagesRequest,
  known: KnownMessages,
): { readonly records: readonly MessageRecord[]; readonly added: readonly MessageRecord[] } {
  const added: MessageRecord[] = [];
  const records = messages.map((draft) => {
    const kept = known.find(draft.id) ?? added.find(({ id }) => id === draft.id);
    if (kept !== undefined) {
      if (fingerprintOf(kept) !== fingerprintOf(draft)) throw messageTaken();
      return kept;
    }
    const { id, role, at, parts, foreign } = draft;
    const ordinal = known.last + added.length + 1;
    const record: MessageRecord = {
      id,
      role,
      at,
      parts,
      ...(foreign === undefined ? {} : { foreign }),
      scope,
      session,
      ordinal: ordinal,
    };
    added.push(record);
    return record;
  });
  return { records, added };
}

/** The outputs that a message refers to. */
export function citedBy({ parts }: Pick<MessageRecord, 'parts'>): ArtifactId[] {
  return parts.flatMap((part) => {
    if (part.type === 'result') return [part.output];
    return part.type === 'media' && 'output' in part.source ? [part.source.output] : [];
  });
}

/** A message that is added again at another time is still the same message. */
function fingerprintOf({ role, parts, foreign }: MessageDraft): string {
  return JSON.stringify([role, parts, foreign ?? null]);
}
