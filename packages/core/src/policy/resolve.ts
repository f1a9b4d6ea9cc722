/**
 * Merges layers into one policy, field by field, the strongest last, and checks what must hold
 * between fields. Every effective field knows the layer it came from. The hash names the effective
 * policy: equal policies have equal hashes.
 */
import { SpillwayError } from '../model/errors.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  type Policy,
  type PolicyLayer,
  settingName,
} from '../model/policy.ts';
import { Sha256 } from '../text/digest.ts';
import { didYouMean } from '../text/nearest.ts';
import { boundedFactor, refuseLifted, strictestRedaction } from './trust.ts';

/** The built-in policy: every field at its default. */
export const DEFAULT_POLICY = Object.freeze(
  Object.fromEntries(FIELD_NAMES.map((name) => [name, FIELDS[name].default])),
) as Policy;

/** The names of strategies and dialects that settings may use. */
export interface KnownNames {
  /** Built-in ones and those of plug-ins. */
  readonly strategies: readonly string[];
  /** Built-in ones and those of plug-ins. */
  readonly dialects: readonly string[];
}

/** A policy, and for each field which level and source it has its value from. */
export interface Effective {
  /** The settings. */
  readonly policy: Policy;
  /** Names the settings: equal ones have the same. */
  readonly hash: string;
  /** Where each field has its value from. */
  readonly origins: { readonly [K in FieldName]: Origin };
}

/** Where the value of a field came from. */
export interface Origin {
  /** The level that gave it. */
  readonly level: PolicyLayer['level'];
  /** A file and its line, a variable, `built-in` … */
  readonly source: string;
}

const BUILT_IN: Origin = { level: 'system', source: 'built-in' };

/** The fields to which somebody gave another value than the built-in one. */
export function changedFields({ policy, origins }: Effective): readonly FieldName[] {
  return FIELD_NAMES.filter(
    (name) => origins[name].level !== 'system' && policy[name] !== DEFAULT_POLICY[name],
  );
}

/** `layers`: weakest first. */
export function resolveLayers(layers: readonly PolicyLayer[], known: KnownNames): Effective {
  const values: Record<string, unknown> = { ...DEFAULT_POLICY };
  const origins: Record<string, Origin> = Object.fromEntries(FIELD_NAMES.map((name) => [name, BUILT_IN]));
  for (const { level, source, patch, at } of layers) {
    for (const name of FIELD_NAMES) {
      if (patch[name] === undefined) continue;
      values[name] = patch[name];
      origins[name] = { level, source: at?.[name] ?? source };
    }
  }
  letBuiltInYield(values, origins);
  if (values.exclude === 'everything') {
    values.strategy = 'none';
    origins.strategy = { ...(origins.exclude ?? BUILT_IN) };
  }
  const merged = values as unknown as Policy;
  const untrusted = layers.filter((layer) => layer.untrusted === true);
  for (const { patch, at, source } of untrusted)
    refuseLifted(patch, merged, (field) => at?.[field] ?? source);
  // A limit given for the call is exact.
  const slack = origins.inlineLimit?.source === 'call' && origins.slack?.source !== 'call' ? 0 : merged.slack;
  const policy = {
    ...merged,
    slack,
    failingFactor: boundedFactor(merged, layers),
    redact: strictestRedaction(merged, layers),
  };
  const effective = effectiveOf(policy, origins as Effective['origins']);
  check(effective, known);
  return effective;
}

/**
 * `inline_limit` must not be above `artifact_threshold`. If a person set only one of the two, the
 * built-in other one moves to it. If a person set both, `check` refuses what does not fit together.
 */
function letBuiltInYield(values: Record<string, unknown>, origins: Record<string, Origin>): void {
  if (Number(values.inlineLimit) <= Number(values.artifactThreshold)) return;
  if (origins.artifactThreshold?.level === 'system') {
    values.artifactThreshold = values.inlineLimit;
    origins.artifactThreshold = { level: 'system', source: 'built-in, raised to inline_limit' };
  } else if (origins.inlineLimit?.level === 'system') {
    values.inlineLimit = values.artifactThreshold;
    origins.inlineLimit = { level: 'system', source: 'built-in, lowered to artifact_threshold' };
  }
}

export function withInlineLimit(effective: Effective, inlineLimit: number, source: string): Effective {
  if (inlineLimit === effective.policy.inlineLimit) return effective;
  const policy = { ...effective.policy, inlineLimit, slack: 0 };
  const origins = { ...effective.origins, inlineLimit: { level: 'task' as const, source } };
  return effectiveOf(policy, origins);
}

/** The limit of a page, which no other cap lowers. */
export function withPageLimit(effective: Effective, chars: number): Effective {
  const { maxLines: _, maxTokens: __, ...rest } = effective.policy;
  const policy = { ...rest, inlineLimit: Math.max(rest.inlineLimit, chars), slack: 0 };
  const origins = {
    ...effective.origins,
    inlineLimit: { level: 'task' as const, source: 'fetched page' },
  };
  return effectiveOf(policy as Policy, origins);
}

/** For a result that is a requested range: its beginning, and no line from further behind. */
export function forRange(effective: Effective): Effective {
  const own = { strategy: 'head', preserveErrors: false, preserveWarnings: false };
  const strategy = { level: 'task' as const, source: 'requested range' };
  return effectiveOf({ ...effective.policy, ...own }, { ...effective.origins, strategy });
}

/** Hashed on demand: most policies are only checked. */
function effectiveOf(policy: Policy, origins: Effective['origins']): Effective {
  let hash: string | undefined;
  return {
    policy,
    origins,
    get hash() {
      hash ??= policyHash(policy);
      return hash;
    },
  };
}

function policyHash(policy: Policy): string {
  return new Sha256()
    .update(JSON.stringify(FIELD_NAMES.map((name) => policy[name])))
    .digest()
    .slice(0, 12);
}

/** Refuses unknown strategies and dialects, even if a stronger layer hides them. */
export function checkNames({ patch, at, source }: PolicyLayer, known: KnownNames): void {
  if (patch.strategy !== undefined)
    oneOf('strategy', patch.strategy, at?.strategy ?? source, known.strategies);
  if (patch.dialect !== undefined) oneOf('dialect', patch.dialect, at?.dialect ?? source, known.dialects);
}

function oneOf(name: 'strategy' | 'dialect', given: string, source: string, names: readonly string[]): void {
  if (names.includes(given)) return;
  refuse(
    `${name} ${JSON.stringify(given.slice(0, 40))} (from ${source}) is not known.${didYouMean(given, names)} Known: ${names.join(', ')}.`,
  );
}

function check({ policy, origins }: Effective, known: KnownNames): void {
  const named = (name: FieldName) =>
    `${settingName(name)} (${policy[name] ?? 'off'}, from ${origins[name].source})`;
  oneOf('strategy', policy.strategy, origins.strategy.source, known.strategies);
  oneOf('dialect', policy.dialect, origins.dialect.source, known.dialects);
  if (policy.inlineLimit > policy.artifactThreshold) {
    refuse(
      `${named('inlineLimit')} must not be above ${named('artifactThreshold')}; lower the first or raise the second.`,
    );
  }
  const { maxLines, headLines, tailLines } = policy;
  if (maxLines !== null && (headLines ?? 0) + (tailLines ?? 0) > maxLines) {
    refuse(
      `${named('headLines')} and ${named('tailLines')} together must not be above ${named('maxLines')}.`,
    );
  }
}

function refuse(message: string): never {
  throw new SpillwayError('invalid_policy', message);
}
