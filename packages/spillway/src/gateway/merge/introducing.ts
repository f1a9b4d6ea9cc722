/** The client's introduction to several servers at once, and what they answer as if one had. */

import { within } from '../framing.ts';
import { valueIn } from '../json-edit.ts';
import type { Message } from '../message.ts';
import { REFUSED } from '../wording.ts';
import type { Child } from './child.ts';

export type Introduced =
  | {
      readonly kind: 'agreed';
      readonly result: Readonly<Record<string, unknown>>;
      readonly refusing: readonly Child[];
      /** Those that have not answered yet, and their answers once they come. */
      readonly late: readonly LateAnswer[];
    }
  /** They have no revision in common with the client and each other. */
  | { readonly kind: 'refused'; readonly how: 'method' | 'server'; readonly why: string };

interface LateAnswer {
  readonly child: Child;
  readonly answer: Promise<Message | null>;
}

export async function introduce(
  message: Message,
  method: string,
  children: readonly Child[],
  patienceMs: number,
): Promise<Introduced> {
  const late: LateAnswer[] = [];
  const asked = await Promise.all(
    children.map(async (child) => {
      const answer = child.ask(message, null);
      const first = await within(answer, patienceMs);
      if (first !== 'late') return [{ child, answer: first }];
      late.push({ child, answer });
      return [];
    }),
  );
  const answers = asked.flat();
  const refusing = answers.filter(({ answer }) => answer?.members.has('result') !== true);
  // A revision that one of them does not speak cannot be spoken with all; asked for the older one,
  // they may have one in common.
  if (method === 'server/discover' && refusing.length > 0) {
    const names = refusing.map(({ child }) => child.name).join(', ');
    const why = REFUSED.needsHandshake(names);
    return { kind: 'refused', how: 'method', why };
  }
  const introductions = answers.flatMap(({ child, answer }) => {
    const result = resultOf(answer);
    if (result === null) return [];
    child.capabilities = (result.capabilities ?? {}) as Record<string, unknown>;
    return [{ name: child.name, result }];
  });
  if (introductions.length === 0) return { kind: 'refused', how: 'server', why: REFUSED.noAnswer };
  const revision = mergedRevision(introductions);
  if (typeof revision !== 'string') return { kind: 'refused', how: 'server', why: revision.why };
  const { instructions: _first, ...rest } = introductions[0]?.result ?? {};
  const instructions = mergedInstructions(introductions);
  const result = {
    ...rest,
    ...(method === 'initialize' ? { protocolVersion: revision } : {}),
    capabilities: mergedCapabilities([...introductions.map((one) => one.result.capabilities), MAY_CHANGE]),
    serverInfo: { name: 'spillway', version: '1', title: introductions.map(({ name }) => name).join(', ') },
    ...(instructions === '' ? {} : { instructions }),
  };
  return { kind: 'agreed', result, refusing: refusing.map(({ child }) => child), late };
}

/** A server may be late, end, or come back. */
const MAY_CHANGE = { tools: { listChanged: true } };

export function resultOf(answer: Message | null): Record<string, unknown> | null {
  const member = answer?.members.get('result');
  if (answer === null || member === undefined) return null;
  return valueIn(answer.bytes, member.value) as Record<string, unknown>;
}

// What several servers agreed to, as if one had said it.

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
function mergedRevision(introductions: readonly Introduction[]): string | { readonly why: string } {
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
function mergedCapabilities(all: readonly unknown[]): Readonly<Record<string, unknown>> {
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
function mergedInstructions(introductions: readonly Introduction[]): string {
  return introductions
    .flatMap(({ name, result }) =>
      typeof result.instructions === 'string' ? [`## ${name}\n\n${result.instructions}`] : [],
    )
    .join('\n\n');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
