/**
 * What an interpreter did, bounded: what it printed, the value it returned, the error it stopped
 * with, each within a limit of its own and all together within one. For hosts that answer a tool
 * call with it, and for those that put it into the conversation as a message of the user, between
 * tags.
 */
import type { ReplResult } from './capture/result.ts';
import type { Spillway } from './engine.ts';
import { SpillwayError } from './model/errors.ts';
import type { Call } from './model/output.ts';
import { MIN_CHARS, type PolicyPatch } from './model/policy.ts';
import type { Processed, ProcessOptions } from './options.ts';
import { PROFILES } from './policy/profiles.ts';
import { parseSettings } from './policy/settings.ts';

/** How a result of an interpreter is to be shown. */
export interface ReplOptions extends ProcessOptions {
  /** The tag to put around it, e.g. `python_result`; counted in the limit. Default: none. */
  readonly tag?: string;
}

/** What came of it. */
export interface ReplProcessed extends Processed {
  /** The projection, between its tags where some were asked for. */
  readonly text: string;
}

/** Records what an interpreter did, and bounds it by the profile `repl` unless told. */
export async function processRepl(
  spillway: Spillway,
  call: Call,
  result: Omit<ReplResult, 'kind'>,
  { tag, policy, ...options }: ReplOptions = {},
): Promise<ReplProcessed> {
  const settings: PolicyPatch = { ...PROFILES.repl, ...parseSettings(policy ?? {}) };
  const frame = tag === undefined ? 0 : frameOf(tag, LONGEST_SUFFIX).join('').length;
  const inlineLimit = (settings.inlineLimit ?? MIN_CHARS) - frame;
  if (tag !== undefined && inlineLimit < MIN_CHARS)
    throw new SpillwayError(
      'invalid_policy',
      `inline_limit must be at least ${MIN_CHARS + frame} with the tag ${tag.slice(0, 60)}.`,
    );
  const processed = await spillway.process(
    call,
    { ...result, kind: 'repl' as const },
    { ...options, policy: { ...settings, inlineLimit } },
  );
  const { text } = processed.projection;
  if (tag === undefined) return { ...processed, text };
  const [open, close] = frameOf(tag, suffixFor(tag, text));
  return { ...processed, text: `${open}${text}${close}` };
}

const LONGEST_SUFFIX = '_9999';

function frameOf(tag: string, suffix: string): readonly [string, string] {
  return [`<${tag}${suffix}>\n`, `\n</${tag}${suffix}>`];
}

/**
 * A text that holds the closing tag must not end the frame: the frame then gets a number that the
 * text does not have.
 */
function suffixFor(tag: string, text: string): string {
  for (let i = 1; i <= 9_999; i++) {
    const suffix = i === 1 ? '' : `_${i}`;
    if (!text.includes(`</${tag}${suffix}>`)) return suffix;
  }
  return LONGEST_SUFFIX;
}
