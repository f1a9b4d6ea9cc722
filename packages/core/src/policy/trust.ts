/**
 * What settings from a source that is not trusted may not do: a file of the workspace, or a peer
 * that gives settings with a call. They shape projections. They do not lift the bound on what a
 * model reads, and they do not decide what is kept.
 */
import { SpillwayError } from '../model/errors.ts';
import {
  FIELDS,
  type FieldName,
  type Policy,
  type PolicyLayer,
  type PolicyPatch,
  settingName,
} from '../model/policy.ts';

const BOUNDED = ['inlineLimit', 'pageLimit'] as const satisfies readonly FieldName[];
const RESERVED = ['maxInlineLimit', 'maxArtifactSize'] as const satisfies readonly FieldName[];

/** Refuses settings that lift a bound. `at` says where a field was set. */
export function refuseLifted(
  patch: PolicyPatch,
  { maxInlineLimit }: Pick<Policy, 'maxInlineLimit'>,
  at: (field: FieldName) => string,
): void {
  for (const field of BOUNDED)
    if ((patch[field] ?? 0) > maxInlineLimit)
      refuse(
        `${settingName(field)} (${patch[field]}, from ${at(field)}) must not be above max_inline_limit (${maxInlineLimit}) there.`,
      );
  for (const field of RESERVED)
    if (patch[field] !== undefined)
      refuse(`${settingName(field)} (from ${at(field)}) must not be set there.`);
  if (patch.exclude === 'everything')
    refuse(`exclude (from ${at('exclude')}) must not be everything there: results would be unbounded.`);
  if (patch.onOverMax === 'reject')
    refuse(`on_over_max (from ${at('onOverMax')}) must not be reject there: nothing would be kept.`);
}

/** An untrusted layer may ask for more redaction than the trusted ones, never for less. */
export function strictestRedaction(
  { redact }: Pick<Policy, 'redact'>,
  layers: readonly PolicyLayer[],
): Policy['redact'] {
  const { values } = FIELDS.redact;
  const trusted = layers.findLast(({ patch, untrusted }) => untrusted !== true && patch.redact !== undefined);
  const least = trusted?.patch.redact ?? FIELDS.redact.default;
  return values.indexOf(redact) < values.indexOf(least) ? least : redact;
}

/** An untrusted `failing_factor` raises a limit to `max_inline_limit` at most. */
export function boundedFactor(
  { inlineLimit, maxInlineLimit, failingFactor }: Policy,
  layers: readonly PolicyLayer[],
): number {
  const from = layers.findLast(({ patch }) => patch.failingFactor !== undefined);
  return from?.untrusted === true
    ? Math.min(failingFactor, Math.max(1, maxInlineLimit / inlineLimit))
    : failingFactor;
}

function refuse(message: string): never {
  throw new SpillwayError(
    'invalid_policy',
    `${message} Set it in your own file, in the environment or on the command line.`,
  );
}
