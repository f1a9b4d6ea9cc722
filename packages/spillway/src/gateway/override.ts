/**
 * Settings that a client gives for one call: `_meta["spillway/truncation"]`, or an argument `truncation` where the tool declares none itself.
 * They are taken out of the message before it is passed on.
 */
import { type CallSettings, SpillwayError } from '@spillway/core';
import { type Edit, edited, membersOf, valueIn, withoutMember } from './json-edit.ts';
import { type Message, metaOf, TRUNCATION_KEY } from './message.ts';

export interface Override {
  /** The message as the upstream gets it. */
  readonly bytes: Buffer;
  readonly policy: CallSettings | undefined;
}

/** Whether a call brings an argument `truncation`. */
export function hasArgument(message: Message): boolean {
  return argumentOf(message) !== undefined;
}

export function takeOverride(message: Message, toolDeclaresIt: boolean): Override {
  const meta = metaOf(message, TRUNCATION_KEY);
  const argument = toolDeclaresIt ? undefined : argumentOf(message);
  if (meta === undefined && argument === undefined) return { bytes: message.bytes, policy: undefined };
  const edits: Edit[] = [];
  if (meta !== undefined) edits.push(withoutMember(message.bytes, meta.member));
  if (argument !== undefined) edits.push(withoutMember(message.bytes, argument));
  return {
    bytes: edited(message.bytes, edits),
    policy: {
      ...settingsIn(meta?.value, `_meta["${TRUNCATION_KEY}"]`),
      ...settingsIn(
        argument === undefined ? undefined : valueIn(message.bytes, argument.value),
        'truncation',
      ),
    },
  };
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

/** `none` shows everything: a gateway needs to be told that it may. */
export function unboundedRefused(): SpillwayError {
  return new SpillwayError(
    'invalid_policy',
    'strategy none would pass on everything, which this gateway does not allow. Choose another strategy, or start it with --allow-unbounded.',
  );
}
