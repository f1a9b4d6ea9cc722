/**
 * What stores refuse, in one wording. Messages say what to do next and never quote content, names
 * or arguments.
 */
import { type ErrorCode, invalidArgument, SpillwayError } from '../model/errors.ts';
import type { RetireRequest } from '../model/store.ts';

const refusal = (code: ErrorCode, message: string) => (options?: ErrorOptions) =>
  new SpillwayError(code, message, options);

/** No output under that id, or no more. */
export const noSuchOutput = refusal(
  'not_found',
  'There is no such output in the store; list the outputs to see which there are.',
);

/** An id is used once. */
export const idTaken = refusal('invalid_argument', 'An output with this id exists already; mint a new id.');

/** A message id is used once. */
export const messageTaken = refusal(
  'conflict',
  'Another message has this id, and messages are never changed: add this one under an id of its own.',
);

/** Any use after `close`. */
export const closed = refusal('store_unavailable', 'The store was closed; open it again.');

/** Pieces are appended in the background; one that failed must not be missing in silence. */
export const notWhole = refusal(
  'store_unavailable',
  'Not every piece of this output could be stored; discard it and store it again.',
);

/** The output is there, the part is not. */
export function noSuchPart(part: number): SpillwayError {
  return invalidArgument(`The output has no part ${part}; its record lists the parts there are.`);
}

/** No room, and nothing that may be evicted. */
export function overLimit(maxBytes: number): SpillwayError {
  return new SpillwayError(
    'store_full',
    `The store may hold ${maxBytes} bytes, and what is in it belongs to sessions that have not ended. End or purge some, or raise the limit.`,
  );
}

/** Another summary was added after the `parent` of this one. */
export function summaryOutdated(version: number): SpillwayError {
  return new SpillwayError(
    'conflict',
    `Version ${version} of the summary was made meanwhile: read it, and go on from there.`,
  );
}

/** A record that cannot be read. What it said is never repeated. */
export function damaged(what: string): SpillwayError {
  return new SpillwayError('corrupt', `${what} is damaged: restore the store from a copy.`);
}

/** Refuses a request to end a session that does not say which. */
export function checkRetireRequest(request: RetireRequest): void {
  if (request.endSession && request.session === undefined && request.idleSince === undefined) {
    throw invalidArgument('Which session is to end? Give `session`, or `idleSince` for every idle one.');
  }
}
