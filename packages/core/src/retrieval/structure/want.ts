/**
 * What may be asked for by structure, and where a page of it goes on: after so many things found,
 * at a byte of the next one if that was cut. A cursor comes back from a model, so nothing in it is
 * trusted: it can only move the reading within the part.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { FormatAddress } from '../../model/format.ts';
import { REFUSED_ARGUMENT } from '../../wording/refused-fetches.ts';

export interface StructureWant {
  readonly kind: 'structure';
  readonly address: FormatAddress;
  /** The argument as it was given. */
  readonly value: string;
  /** From 1 and inclusive; everything, where the argument is no range. */
  readonly first: number;
  readonly last: number;
  readonly cursor: StructureCursor | null;
}

export interface StructureCursor {
  readonly part: number;
  /** How many things the pages before have shown whole. */
  readonly done: number;
  /** Bytes of the next one that were shown as well. */
  readonly offset: number;
  /** How many there are in all. */
  readonly total: number;
  /** A byte at which scanning may begin; 0 where it has to begin at the start. */
  readonly from: number;
}

export function formatStructureCursor({ part, done, offset, total, from }: StructureCursor): string {
  return `s${part}.${done}.${offset}.${total}.${from}`;
}

export function parseStructureCursor(text: string): StructureCursor {
  const match = /^s(\d{1,9})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text);
  const [part, done, offset, total, from] = (match ?? []).slice(1).map(Number);
  const known = part !== undefined && done !== undefined && offset !== undefined;
  if (!known || total === undefined || from === undefined)
    throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.cursorOfQuestion);
  return { part, done, offset, total, from };
}

export function isStructureCursor(text: string): boolean {
  return text.startsWith('s');
}
