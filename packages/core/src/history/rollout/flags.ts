/**
 * Which sessions a history is switched on for: named ones, or a share of all. The choice follows
 * from the session's name alone, so every process makes the same one, and a share that grows never
 * switches a session off again.
 */
import { createHash } from 'node:crypto';
import { SpillwayError } from '../../model/errors.ts';
import type { SessionName } from '../../model/session.ts';

/** `off`: the host's old path. `shadow`: both, and the old one answers. `on`: ours. */
export type RolloutMode = 'off' | 'shadow' | 'on';

/** Who gets what. */
export interface RolloutOptions {
  /** Share of sessions that are on, from 0 to 1. Default: 0. */
  readonly on?: number;
  /** Share of sessions that run both, next to those that are on. Default: 0. */
  readonly shadow?: number;
  /** Sessions by name, whatever their share says. */
  readonly sessions?: Readonly<Record<string, RolloutMode>>;
}

/** What a session gets. */
export function rolloutMode({ scope, session }: SessionName, options: RolloutOptions): RolloutMode {
  const { on = 0, shadow = 0, sessions = {} } = options;
  for (const [name, share] of Object.entries({ on, shadow })) {
    if (!(share >= 0 && share <= 1))
      throw new SpillwayError('invalid_argument', `The share \`${name}\` must be a number from 0 to 1.`);
  }
  if (Object.hasOwn(sessions, session)) return sessions[session] ?? 'off';
  const bucket = bucketOf(JSON.stringify(['', scope, session]));
  if (bucket < on) return 'on';
  // Shadows come from the other end, so that growing `on` takes sessions out of `off` first.
  return bucket >= 1 - shadow ? 'shadow' : 'off';
}

function bucketOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
