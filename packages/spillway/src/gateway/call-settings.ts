/**
 * Settings for one call: `_meta["spillway/truncation"]`, or an argument `truncation` if the tool
 * has none itself. They are removed before the message is passed on. A client can shape what it
 * reads, but can neither lift the bound nor decide what is stored.
 */
import { type Policy, parseSettings, type SettingsInput, SpillwayError } from '@spillway/core';
import { refuseLifted } from '@spillway/core/plugin';
import { edited, type Member, withoutMember } from './json-edit.ts';
import { type Message, readMessage, TRUNCATION_KEY } from './message.ts';

interface CallSettings {
  readonly bytes: Buffer;
  readonly policy: SettingsInput | undefined;
}

/** `mayBeTheTools`: whether an argument `truncation` may be the tool's own. */
export function takeSettings(message: Message, mayBeTheTools: boolean): CallSettings {
  const meta = message.meta.get(TRUNCATION_KEY);
  const argument = mayBeTheTools ? undefined : truncationArgument(message);
  if (meta === undefined && argument === undefined) return { bytes: message.bytes, policy: undefined };
  return {
    bytes: withoutSettings(message, mayBeTheTools),
    policy: {
      ...settingsIn(message.value(meta), `_meta["${TRUNCATION_KEY}"]`),
      ...settingsIn(message.value(argument), 'truncation'),
    },
  };
}

export function truncationArgument(message: Message): Member | undefined {
  return message.inside(message.params.get('arguments')).get('truncation');
}

/** A key may occur twice; none of them may reach the server. */
function withoutSettings(message: Message, mayBeTheTools: boolean): Buffer {
  const found = message.meta.get(TRUNCATION_KEY) ?? (mayBeTheTools ? undefined : truncationArgument(message));
  if (found === undefined) return message.bytes;
  const rest = readMessage(edited(message.bytes, [withoutMember(message.bytes, found)]));
  return rest === null ? message.bytes : withoutSettings(rest, mayBeTheTools);
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

export function refusePeer(policy: SettingsInput, effective: Policy): void {
  const patch = parseSettings(policy);
  refuseLifted(patch, effective, () => 'the client');
  if ((patch.failingFactor ?? 1) > 1)
    throw new SpillwayError(
      'invalid_policy',
      'failing_factor must not be set by a client: set inline_limit.',
    );
}

/** Unbounded results need permission, except for excluded tools. */
export function refuseUnbounded({ strategy, exclude }: Policy): void {
  if (strategy === 'none' && exclude !== 'everything')
    throw new SpillwayError(
      'invalid_policy',
      'strategy none would pass on everything, which this gateway does not allow. Choose another strategy, or start it with --allow-unbounded.',
    );
}
