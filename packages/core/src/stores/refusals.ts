/** What stores refuse, in one wording. Messages say what to do next and never quote content, names or arguments. */
import { SpillwayError } from '../model/errors.ts';
import type { RetireOrder } from '../model/store.ts';

export function noSuchOutput(): SpillwayError {
  return new SpillwayError(
    'not_found',
    'There is no such output in the store; list the outputs to see which there are.',
  );
}

export function noSuchPart(part: number): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `The output has no part ${part}; its record lists the parts there are.`,
  );
}

export function idTaken(options?: ErrorOptions): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    'An output with this id exists already; mint a new id.',
    options,
  );
}

export function overLimit(maxBytes: number): SpillwayError {
  return new SpillwayError(
    'store_full',
    `The store may hold ${maxBytes} bytes, and what is in it belongs to sessions that have not ended. End or purge some, or raise the limit.`,
  );
}

export function closed(): SpillwayError {
  return new SpillwayError('store_unavailable', 'The store was closed; open it again.');
}

export function checkRetireOrder(order: RetireOrder): void {
  if (order.endSession && order.session === undefined && order.idleSince === undefined) {
    throw new SpillwayError(
      'invalid_argument',
      'Which session is to end? Give `session`, or `idleSince` for every idle one.',
    );
  }
}
