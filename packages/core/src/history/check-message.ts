/**
 * Checks what is about to be said, before anything of it is stored: what passes can be read back,
 * projected and sent. An error names the field by its path (`parts[1].input`) and never its value.
 */
import { isArtifactId } from '../model/artifact.ts';
import { invalidArgument, type SpillwayError } from '../model/errors.ts';
import { isWithin } from '../model/fields.ts';
import type { MessageResult, Role, ShapeExtras } from '../model/message.ts';
import type { Outcome, OutcomeStatus } from '../model/outcome.ts';
import { didYouMean } from '../text/nearest.ts';
import type { MessageInput, PartInput, ResultOf } from './message.ts';
import { type Fields, isRecord, parsed } from './shapes/json.ts';
import type { ImportedMessage } from './shapes/shape.ts';

/** Who can speak. */
export const ROLES: readonly Role[] = ['system', 'user', 'assistant', 'tool'];
const STATUSES: readonly OutcomeStatus[] = ['ok', 'error', 'timeout', 'cancelled', 'crashed'];
const STAGES: readonly NonNullable<MessageResult['stage']>[] = ['preliminary', 'backfilled'];
/** Fields of a kept message. They are allowed, so that it can be said in another session. */
const OF_A_RECORD = ['scope', 'session', 'ordinal', 'place'];
/** The latest time that a `Date` can hold. */
const LATEST = 8.64e15;
/** Levels of nesting in `foreign`: what is deeper cannot be copied safely. */
const DEEPEST = 500;

const PART_FIELDS: Readonly<Record<PartInput['type'], readonly string[]>> = {
  text: ['text'],
  media: ['mediaType', 'data', 'source'],
  data: ['name', 'json'],
  call: ['callId', 'tool', 'input'],
  result: ['callId', 'tool', 'output', 'status', 'stage', 'unstored', 'unsaid', 'legacy'],
};

/** A new message, or an `invalid_argument` error. `at` is the path to it. */
export function checkMessage(given: unknown, at = ''): MessageInput {
  const path = at === '' ? '' : `${at}.`;
  const message = checkKeptMessage(given, at);
  known(message as unknown as Fields, path, ['id', 'at', 'role', 'parts', 'foreign', ...OF_A_RECORD]);
  filled(message as unknown as Fields, path, ['id']);
  if (message.at !== undefined) within(message.at, `${path}at`, 0, LATEST);
  checkJson(message.foreign, `${path}foreign`);
  for (const [i, part] of message.parts.entries()) {
    checkNewPart(part, `${path}parts[${i}].`);
    if (part.type === 'call' && message.role !== 'assistant')
      throw wrong(`${path}parts[${i}]`, 'is a call: only a message with the role assistant can hold one');
  }
  return message;
}

/** What every reader needs of a message, whoever stored it. */
export function checkKeptMessage(given: unknown, at = ''): MessageInput {
  const path = at === '' ? '' : `${at}.`;
  const message = record(given, at === '' ? 'The message' : at);
  if (message.id !== undefined) text(message.id, `${path}id`);
  oneOf(message.role, `${path}role`, ROLES);
  if (message.foreign !== undefined) record(message.foreign, `${path}foreign`);
  if (!Array.isArray(message.parts)) throw wrong(`${path}parts`, 'must be a list of parts');
  for (let i = 0; i < message.parts.length; i++) checkKeptPart(message.parts[i], `${path}parts[${i}]`);
  return given as MessageInput;
}

/** What every reader needs of a part. */
export function checkKeptPart(given: unknown, path: string): PartInput {
  const part = record(given, path);
  oneOf(part.type, `${path}.type`, Object.keys(PART_FIELDS));
  if (part.foreign !== undefined) record(part.foreign, `${path}.foreign`);
  CHECKS[part.type as PartInput['type']](part, `${path}.`);
  return given as PartInput;
}

function checkNewPart(part: PartInput, path: string): void {
  known(part as unknown as Fields, path, ['type', 'foreign', ...PART_FIELDS[part.type]]);
  filled(part as unknown as Fields, path, ['callId', 'tool', 'mediaType']);
  checkJson(part.foreign, `${path}foreign`);
}

/** Which call a result belongs to, or an `invalid_argument` error. */
export function checkResultOf(given: unknown, at = ''): ResultOf {
  const of = record(given, 'The call of a result');
  text(of.callId, `${at}callId`);
  text(of.tool, `${at}tool`);
  if (of.messageId !== undefined) text(of.messageId, `${at}messageId`);
  filled(of, at, ['callId', 'tool', 'messageId']);
  if (of.stage !== undefined) oneOf(of.stage, `${at}stage`, STAGES);
  if (of.origin !== undefined) oneOf(of.origin, `${at}origin`, ['live', 'imported']);
  if (of.sourceTruncated !== undefined && typeof of.sourceTruncated !== 'boolean')
    throw wrong(`${at}sourceTruncated`, 'must be true or false');
  if (of.outcome !== undefined) checkOutcome(of.outcome, `${at}outcome`);
  if (of.foreign !== undefined) record(of.foreign, `${at}foreign`);
  checkJson(of.foreign as ShapeExtras | undefined, `${at}foreign`);
  return given as ResultOf;
}

/** Messages of a framework, as its shape read them: all are checked before the first is stored. */
export function checkImported(messages: readonly ImportedMessage[]): void {
  for (const [i, message] of messages.entries()) {
    const path = `messages[${i}]`;
    const others = message.parts.filter((part) => part.type !== 'result');
    checkMessage({ ...message, parts: others }, path);
    for (const part of message.parts) if (part.type === 'result') checkResultOf(part, `${path}: `);
  }
}

/** A number of tokens or chars, if it is given: finite, and at least `least`. */
export function checkAmount(value: unknown, path: string, least: 0 | 1): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= least)) return;
  throw wrong(path, least === 0 ? 'must be a number of at least 0' : 'must be a number of at least 1');
}

/** Only the options that there are: an error names the nearest one. */
export function checkOptions(options: object, names: readonly string[]): void {
  known(options as Fields, '', names);
}

/** One of a few words. */
export function oneOf(value: unknown, path: string, words: readonly string[]): void {
  if (typeof value === 'string' && words.includes(value)) return;
  throw wrong(path, `must be one of ${words.join(', ')}`, didYouMean(value, words));
}

const CHECKS: Readonly<Record<PartInput['type'], (part: Fields, path: string) => void>> = {
  text: (part, path) => text(part.text, `${path}text`),
  data: (part, path) => {
    text(part.name, `${path}name`);
    text(part.json, `${path}json`);
    if (parsed(String(part.json), () => undefined) === undefined)
      throw wrong(`${path}json`, 'must be JSON text');
  },
  call: (part, path) => {
    text(part.callId, `${path}callId`);
    text(part.tool, `${path}tool`);
    if (typeof part.input !== 'string')
      throw wrong(`${path}input`, 'must be a text: the arguments as JSON, e.g. JSON.stringify(input)');
  },
  result: (part, path) => {
    text(part.callId, `${path}callId`);
    text(part.tool, `${path}tool`);
    if (!isArtifactId(part.output)) throw wrong(`${path}output`, 'must be the id of a stored output');
    oneOf(part.status, `${path}status`, STATUSES);
    if (part.stage !== undefined) oneOf(part.stage, `${path}stage`, STAGES);
    for (const name of ['unstored', 'unsaid'])
      if (part[name] !== undefined && part[name] !== true) throw wrong(`${path}${name}`, 'must be true');
    if (part.legacy !== undefined) checkLegacy(part.legacy, `${path}legacy`);
  },
  media: (part, path) => {
    text(part.mediaType, `${path}mediaType`);
    if (part.data !== undefined) {
      if (typeof part.data !== 'string' && !(part.data instanceof Uint8Array))
        throw wrong(`${path}data`, 'must be base64 text or a Uint8Array');
      return;
    }
    const source = record(part.source, `${path}source`);
    if (source.url !== undefined) return text(source.url, `${path}source.url`);
    if (!isArtifactId(source.output))
      throw wrong(`${path}source`, 'must name a url, or an output and its part');
    within(source.part, `${path}source.part`, 0, Number.MAX_SAFE_INTEGER);
    if (!Number.isInteger(source.part)) throw wrong(`${path}source.part`, 'must be a whole number');
  },
};

function checkOutcome(given: unknown, path: string): asserts given is Outcome {
  const outcome = record(given, path);
  oneOf(outcome.status, `${path}.status`, STATUSES);
  if (outcome.exitCode !== undefined && !Number.isInteger(outcome.exitCode))
    throw wrong(`${path}.exitCode`, 'must be a whole number');
  if (outcome.signal !== undefined) text(outcome.signal, `${path}.signal`);
  for (const time of ['durationMs', 'timeoutMs'] as const)
    if (outcome[time] !== undefined) within(outcome[time], `${path}.${time}`, 0, Number.MAX_SAFE_INTEGER);
}

function checkLegacy(given: unknown, path: string): void {
  const legacy = record(given, path);
  within(legacy.confidence, `${path}.confidence`, 0, 1);
  if (!Array.isArray(legacy.signs) || !legacy.signs.every((sign) => typeof sign === 'string'))
    throw wrong(`${path}.signs`, 'must be a list of texts');
}

function record(value: unknown, path: string): Fields {
  if (!isRecord(value)) throw wrong(path, 'must be an object');
  return value;
}

function known(fields: Fields, path: string, names: readonly string[]): void {
  const other = Object.keys(fields).find((name) => !names.includes(name) && fields[name] !== undefined);
  if (other === undefined) return;
  const others = other.length > 40 ? `${other.slice(0, 40)}…` : other;
  throw wrong(`${path}${others}`, 'is not known', didYouMean(other, names));
}

function text(value: unknown, path: string): void {
  if (typeof value !== 'string') throw wrong(path, 'must be a text');
}

function filled(fields: Fields, path: string, names: readonly string[]): void {
  const empty = names.find((name) => fields[name] === '');
  if (empty !== undefined) throw wrong(`${path}${empty}`, 'must not be empty');
}

function within(value: unknown, path: string, least: number, most: number): void {
  if (typeof value === 'number' && value >= least && value <= most) return;
  throw wrong(path, `must be a number from ${least} to ${most}`);
}

/** What a framework keeps beside a message: JSON, and not too deep. */
function checkJson(value: ShapeExtras | undefined, path: string): void {
  if (value === undefined) return;
  if (!hasJson(value) || !isWithin(value, DEEPEST))
    throw wrong(path, `must be JSON of at most ${DEEPEST} levels`);
}

function hasJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    // A cycle, a big number, or too deep.
    return false;
  }
}

function wrong(path: string, rule: string, hint = ''): SpillwayError {
  const field = /^[A-Z]/.test(path) ? path : `\`${path}\``;
  return invalidArgument(`${field} ${rule}.${hint} Nothing was stored.`);
}
