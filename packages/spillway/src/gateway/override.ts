/**
 * Settings that a client gives for one call: `_meta["spillway/truncation"]`, or an argument
 * `truncation` of a tool that surely has none itself. They are taken out of the message before it
 * is passed on.
 */
import { type Policy, parseSettings, type SettingsInput, SpillwayError } from '@spillway/core';
import { refuseLifted } from '@spillway/core/plugin';
import { edited, membersOf, valueIn, withoutMember } from './json-edit.ts';
import { type Message, metaOf, readMessage, TRUNCATION_KEY } from './message.ts';

export interface Override {
  /** The message as the upstream gets it. */
  readonly bytes: Buffer;
  readonly policy: SettingsInput | undefined;
}

/** Whether a call brings an argument `truncation`. */
export function hasArgument(message: Message): boolean {
  return argumentOf(message) !== undefined;
}

export function takeOverride(message: Message, mayBeTheTools: boolean): Override {
  const meta = metaOf(message, TRUNCATION_KEY);
  const argument = mayBeTheTools ? undefined : argumentOf(message);
  if (meta === undefined && argument === undefined) return { bytes: message.bytes, policy: undefined };
  return {
    bytes: withoutSettings(message, mayBeTheTools),
    policy: {
      ...settingsIn(meta?.value, `_meta["${TRUNCATION_KEY}"]`),
      ...settingsIn(
        argument === undefined ? undefined : valueIn(message.bytes, argument.value),
        'truncation',
      ),
    },
  };
}

/** A key may be there twice: what is in front of the last one must not reach the server either. */
function withoutSettings(message: Message, mayBeTheTools: boolean): Buffer {
  const found = message.meta.get(TRUNCATION_KEY) ?? (mayBeTheTools ? undefined : argumentOf(message));
  if (found === undefined) return message.bytes;
  const rest = readMessage(edited(message.bytes, [withoutMember(message.bytes, found)]));
  return rest === null ? message.bytes : withoutSettings(rest, mayBeTheTools);
}

function argumentOf(message: Message) {
  const given = message.params.get('arguments');
  return given === undefined ? undefined : membersOf(message.bytes, given.value)?.get('truncation');
}

function settingsIn(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new SpillwayError(
      'invalid_policy',
      `${where} must be an object of settings, such as {"max_chars": 20000} or {"strategy": "tail"}.`,
    );
  return value as Readonly<Record<string, unknown>>;
}

/** A client shapes what it reads; it does not lift the bound, nor decide what is kept. */
export function refusePeer(policy: SettingsInput, effective: Policy): void {
  const patch = parseSettings(policy);
  refuseLifted(patch, effective, () => 'the client');
  if ((patch.failingFactor ?? 1) > 1)
    throw new SpillwayError(
      'invalid_policy',
      'failing_factor must not be set by a client: set inline_limit.',
    );
}

/** `none` shows everything: a gateway needs to be told that it may. */
export function unboundedRefused(): SpillwayError {
  return new SpillwayError(
    'invalid_policy',
    'strategy none would pass on everything, which this gateway does not allow. Choose another strategy, or start it with --allow-unbounded.',
  );
}
