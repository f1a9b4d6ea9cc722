/** What several servers agreed to, as if one had said it. */
import { REFUSED } from '../wording.ts';

interface Introduction {
  readonly name: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** From this revision on there is no handshake. */
const WITHOUT_HANDSHAKE = '2026-07-28';

/**
 * The revision that all of them speak: the oldest one answered. Those with and without a handshake
 * cannot be mixed.
 */
export function mergedRevision(introductions: readonly Introduction[]): string | { readonly why: string } {
  const revisions = introductions.map(({ result }) => String(result.protocolVersion ?? ''));
  const named = revisions.filter((revision) => revision !== '');
  const late = named.filter((revision) => revision >= WITHOUT_HANDSHAKE);
  if (late.length > 0 && late.length < named.length) {
    const list = introductions.map(({ name }, i) => `${name} (${revisions[i]})`).join(', ');
    return {
      why: REFUSED.noRevision(list),
    };
  }
  return [...named].sort()[0] ?? '';
}

/** What any of them can do. */
export function mergedCapabilities(all: readonly unknown[]): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = {};
  for (const one of all)
    for (const [key, value] of Object.entries((one ?? {}) as Record<string, unknown>)) {
      const before = merged[key];
      merged[key] =
        isObject(before) && isObject(value) ? mergedCapabilities([before, value]) : before || value;
    }
  return merged;
}

/** Each under the name of who said it. */
export function mergedInstructions(introductions: readonly Introduction[]): string {
  return introductions
    .flatMap(({ name, result }) =>
      typeof result.instructions === 'string' ? [`## ${name}\n\n${result.instructions}`] : [],
    )
    .join('\n\n');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
