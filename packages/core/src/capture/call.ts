/**
 * What a host says of a call, checked once before anything is begun: names are strings, so that a
 * store can look outputs up by them.
 */
import { SpillwayError } from '../model/errors.ts';
import type { Call } from '../model/output.ts';

const NAMES = ['tool', 'session', 'scope'] as const;

/** Throws where a call cannot be recorded. */
export function checkCall(call: Call): void {
  const given = call as unknown;
  const fields = given !== null && typeof given === 'object' ? (given as Record<string, unknown>) : {};
  const missing = NAMES.find((name) => typeof fields[name] !== 'string');
  if (missing !== undefined)
    throw new SpillwayError('invalid_argument', `A call needs ${missing}: a string.`);
  if (fields.callId !== undefined && typeof fields.callId !== 'string')
    throw new SpillwayError('invalid_argument', 'The callId of a call is a string, or left out.');
}
