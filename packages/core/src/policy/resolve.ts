/**
 * Merges levels into one policy, field by field, the strongest last, and checks what must hold between fields. The hash names the
 * effective policy: equal policies have equal hashes.
 */
import { createHash } from 'node:crypto';
import { SpillwayError } from '../model/errors.ts';
import { FIELD_NAMES, FIELDS, type Policy, type PolicyPatch } from '../model/policy.ts';

export const DEFAULT_POLICY = Object.freeze(
  Object.fromEntries(FIELD_NAMES.map((name) => [name, FIELDS[name].default])),
) as Policy;

export interface KnownNames {
  readonly strategies: readonly string[];
  readonly dialects: readonly string[];
}

export function resolvePolicy(levels: readonly PolicyPatch[], known: KnownNames): Policy {
  const policy: Record<string, unknown> = { ...DEFAULT_POLICY };
  for (const level of levels) {
    for (const name of FIELD_NAMES) if (level[name] !== undefined) policy[name] = level[name];
  }
  check(policy as unknown as Policy, known);
  return policy as unknown as Policy;
}

export function policyHash(policy: Policy): string {
  return createHash('sha256')
    .update(JSON.stringify(FIELD_NAMES.map((name) => policy[name])))
    .digest('hex')
    .slice(0, 12);
}

function check(policy: Policy, known: KnownNames): void {
  const { strategy, dialect, inlineLimit, artifactThreshold, headLines, tailLines, maxLines } = policy;
  if (!known.strategies.includes(strategy))
    refuse(
      `strategy ${JSON.stringify(strategy.slice(0, 40))} is not known. Known: ${known.strategies.join(', ')}.`,
    );
  if (!known.dialects.includes(dialect))
    refuse(
      `dialect ${JSON.stringify(dialect.slice(0, 40))} is not known. Known: ${known.dialects.join(', ')}.`,
    );
  if (inlineLimit > artifactThreshold) {
    refuse(
      `inline_limit (${inlineLimit}) must not be above artifact_threshold (${artifactThreshold}); lower the first or raise the second.`,
    );
  }
  if (maxLines !== null && (headLines ?? 0) + (tailLines ?? 0) > maxLines) {
    refuse(
      `head_lines (${headLines ?? 0}) and tail_lines (${tailLines ?? 0}) together must not be above max_lines (${maxLines}).`,
    );
  }
}

function refuse(message: string): never {
  throw new SpillwayError('invalid_policy', message);
}
