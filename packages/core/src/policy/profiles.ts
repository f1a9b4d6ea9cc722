/** Named sets of settings. */
import { SpillwayError } from '../model/errors.ts';
import type { PolicyPatch } from '../model/policy.ts';
import { didYouMean } from '../text/nearest.ts';

/** Sets of settings with a name, each as other products do it. */
export const PROFILES = {
  /** Both ends, for every tool; all else as built in. */
  standard: { strategy: 'head_tail', slack: 0 },
  /** Rarely cuts, but then shows only both ends and names the file with the rest. */
  spill: {
    strategy: 'head_tail',
    inlineLimit: 40_000,
    slack: 0,
    maxLines: 2_000,
    shown: 20_000,
    headRatio: 0.5,
    snap: 'exact',
    preserveErrors: false,
    preserveWarnings: false,
    contentDetection: false,
    dialect: 'spill',
  },
  /** The end, for every tool. */
  tail: { strategy: 'tail', inlineLimit: 8_000, slack: 0, contentDetection: false, dialect: 'plain' },
  /** What a command did: the end of each stream. */
  exec: {
    strategy: 'tail',
    inlineLimit: 16_000,
    slack: 0,
    perPartLimit: 8_000,
    contentDetection: false,
    dialect: 'plain',
  },
  /** What an interpreter printed and returned: both ends of each. */
  repl: {
    strategy: 'head_tail',
    headRatio: 0.5,
    inlineLimit: 16_000,
    slack: 0,
    perPartLimit: 8_000,
    contentDetection: false,
    dialect: 'plain',
  },
  /** Generous limits in chars and lines, a hundred lines from each end. */
  mcp: {
    strategy: 'head_tail',
    inlineLimit: 50_000,
    slack: 0,
    maxLines: 1_000,
    headLines: 100,
    tailLines: 100,
  },
} as const satisfies Record<string, PolicyPatch>;

/** The name of a profile. */
export type ProfileName = keyof typeof PROFILES;

/** The settings of a profile; `where` says in an error where the name was found. */
export function profileOf(name: string, where = ''): PolicyPatch {
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name as ProfileName];
  throw new SpillwayError(
    'invalid_policy',
    `${where}${JSON.stringify(name.slice(0, 40))} is not a profile.${didYouMean(name, Object.keys(PROFILES))} Profiles: ${Object.keys(PROFILES).join(', ')}.`,
  );
}
