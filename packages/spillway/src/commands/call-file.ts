/**
 * A file that tells what a host knows of a call:
 * `{ "tool", "call_id", "input", "exit_code", "is_error",
 * "about": { "task", "user_message", "last_message" } }`, every field optional. Its text is never
 * quoted in an error.
 */
import { type About, type Outcome, SpillwayError } from '@spillway/core';
import { readNamedFile } from '../named-file.ts';

export interface CallFile {
  readonly tool?: string;
  readonly callId?: string;
  readonly input?: unknown;
  readonly outcome?: Outcome;
  readonly about?: About;
}

const FIELDS = ['tool', 'call_id', 'input', 'exit_code', 'is_error', 'about'];
const ABOUT_FIELDS = { task: 'task', user_message: 'userMessage', last_message: 'lastMessage' };

export function readCallFile(path: string): CallFile {
  const fields = objectIn(path, parse(path), 'it', FIELDS);
  const { tool, call_id: callId, input, exit_code: exitCode, is_error: isError } = fields;
  if (tool !== undefined && (typeof tool !== 'string' || tool === ''))
    throw refusal(path, '"tool" must be the name of a tool');
  if (callId !== undefined && typeof callId !== 'string') throw refusal(path, '"call_id" must be a text');
  if (exitCode !== undefined && exitCode !== null && !Number.isSafeInteger(exitCode))
    throw refusal(path, '"exit_code" must be a whole number');
  if (isError !== undefined && isError !== null && typeof isError !== 'boolean')
    throw refusal(path, '"is_error" must be true or false');
  const code = typeof exitCode === 'number' ? exitCode : undefined;
  const failed = isError === true || (code ?? 0) !== 0;
  const about = aboutIn(path, fields.about);
  return {
    ...(tool === undefined ? {} : { tool }),
    ...(callId === undefined ? {} : { callId }),
    ...(input === undefined || input === null ? {} : { input }),
    ...(failed || code !== undefined
      ? { outcome: { status: failed ? 'error' : 'ok', ...(code === undefined ? {} : { exitCode: code }) } }
      : {}),
    ...(about === undefined ? {} : { about }),
  };
}

function aboutIn(path: string, value: unknown): About | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = objectIn(path, value, '"about"', Object.keys(ABOUT_FIELDS));
  const given = Object.entries(ABOUT_FIELDS).flatMap(([name, field]) => {
    const text = fields[name] ?? undefined;
    if (text !== undefined && typeof text !== 'string') throw refusal(path, `"about.${name}" must be a text`);
    return text === undefined ? [] : [[field, text]];
  });
  return Object.fromEntries(given);
}

function objectIn(
  path: string,
  value: unknown,
  what: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal(path, `${what} must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw refusal(
      path,
      `${JSON.stringify(unknown.slice(0, 40))} is not a field of ${what}; fields: ${known.join(', ')}`,
    );
  return value as Readonly<Record<string, unknown>>;
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readNamedFile(path));
  } catch (error) {
    throw error instanceof SpillwayError ? error : refusal(path, 'it is not JSON');
  }
}

function refusal(path: string, why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `The call in ${JSON.stringify(path.slice(0, 300))} cannot be used: ${why}.`,
  );
}
