/**
 * What the two threads say to each other. A request names what it is for (the store, one of its
 * writers, one of its readings), a method and its arguments; each gets one reply. Everything is
 * plain data; an error travels as code and message.
 */
import { type ErrorCode, type Remedy, SpillwayError } from '../../../model/errors.ts';
import { isAbort } from '../../waiting.ts';

/** 0 is the store itself; writers and readings get numbers of their own. */
export type Target = number;
export const STORE: Target = 0;

export interface Request {
  readonly id: number;
  readonly target: Target;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface Abort {
  readonly abort: number;
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError };

export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy?: Remedy;
  readonly cause?: string;
  readonly aborted?: true;
}

export function sendable(error: unknown, signal: AbortSignal): SentError {
  if (isAbort(error, signal)) return { code: 'store_unavailable', message: 'Aborted.', aborted: true };
  if (!(error instanceof SpillwayError)) {
    return {
      code: 'store_unavailable',
      message: 'The store failed in a way it does not know.',
      cause: String(error),
    };
  }
  const { code, message, remedy, cause } = error;
  return {
    code,
    message,
    ...(remedy === undefined ? {} : { remedy }),
    ...(cause === undefined ? {} : { cause: String(cause) }),
  };
}

export function received({ code, message, remedy, cause }: SentError): SpillwayError {
  return new SpillwayError(code, message, {
    ...(remedy === undefined ? {} : { remedy }),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  });
}
