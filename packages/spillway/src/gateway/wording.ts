/**
 * Every sentence of the gateway: what models read in place of a result, what clients get when a
 * request is refused, and log lines. None quotes a tool. Tests pin those that models read.
 */

import { SpillwayError } from '@spillway/core';
import { formatCount } from '@spillway/core/plugin';

/** Under which key of `_meta` a result tells what was done to it. */
export const PROJECTION_KEY = 'spillway/projection';

/** Resources and links, as a client shows them. */
export const ARTIFACT_WORDS = {
  title: 'Stored tool output',
  description:
    'The full output of an earlier tool call, or a part of it, by the artifact id named in its notice.',
  link: 'full output',
} as const;

/** In place of a result, or of a part of it. Read by models. */
export const RESULT = {
  tooLarge: 'The result was larger than what is captured; what had come by then is kept.',
  notJson: 'The server sent a result that is not valid JSON.',
  brokeOff: 'The server ended before its result was complete.',
  noResult: 'The server answered without a result.',
  endedEarly: 'The server ended its answer before the result.',
  partNotPassedOn: (bytes: number) =>
    `[A part of ${formatCount(bytes)} bytes was too large to be passed on; it is stored.]`,
  stopped: (seconds: number) =>
    `The server stopped in the middle of its result and gave no sign for ${seconds} s.`,
  gaveNoSign: (seconds: number) => `The server gave no sign for ${seconds} s and was told to stop.`,
  ended: (how: string) => `The server ended (${how}) before it answered.`,
  refused: (status: number) => `The server refused (HTTP ${status}).`,
  unauthorized: (status: number) =>
    `The server refused (HTTP ${status}). Give what it wants with --header, e.g. --header "Authorization: Bearer …".`,
  wantsLogin: (status: number) =>
    `The server refused (HTTP ${status}): it wants a login by OAuth, which the gateway does not do. Put mcp-remote in between, which does: spillway mcp -- npx -y mcp-remote URL. Or give a token with --header "Authorization: Bearer …".`,
  unreachable: (why: string) => `The server cannot be reached (${why}).`,
} as const;

/** Why a request is refused. Read by clients. */
export const REFUSED = {
  methodNotFound: 'Method not found',
  resourceNotFound: 'Resource not found',
  noServer: 'No server has that name.',
  noAnswer: 'None of the servers answered.',
  notPassedOn: 'The message could not be passed on.',
  tooLargeForSeveral: 'The message is too large to be passed on to one of several servers.',
  needsHandshake: (names: string) => `Method not found: ${names} cannot do without a handshake.`,
  noRevision: (list: string) =>
    `These servers have no revision of the protocol in common: ${list}. Start a gateway for each.`,
  wentWrong: 'Something went wrong.',
  notHere: (path: string) => `The gateway is at ${path}.`,
  noSession: 'There is no such session.',
  sessionEnded: 'The session has ended.',
  tooManySessions: 'Too many sessions are in use. End one, or try again later.',
  shuttingDown: 'The gateway is shutting down.',
  idInUse: 'Another request of this session with that id is not answered yet.',
  post: 'Send messages with POST.',
  json: 'Content-Type must be application/json.',
  tooLarge: 'The message is too large.',
  notAMessage: 'Not a message.',
  initialize: 'Begin with initialize.',
  meta: (missing: string) => `_meta must hold ${missing}.`,
  host: 'This host is not served here.',
  origin: 'This origin is not allowed.',
  token: 'A bearer token is needed.',
  headerMissing: (name: string) => `The header ${name} is missing.`,
  headerDiffers: (name: string) => `The header ${name} says something else than the message.`,
  clientGone: 'The client has gone.',
  noAnswerFor: (seconds: number) => `No answer for ${seconds} s.`,
} as const;

/** Lines of the log. Read by people. */
export const LOG = {
  notStored: 'A result that was passed on could not be stored. Check the store: spillway doctor.',
  storeClosed:
    'The store cannot be opened. Results up to 1 MB are passed on whole; larger ones are cut, and what is cut is lost. Run: spillway doctor.',
  notKept: (why: string) => `A message could not be kept: ${why}`,
  notJson: (bytes: number) =>
    `The server sent a message of ${formatCount(bytes)} bytes that is not valid JSON; it is stored.`,
  printed: (bytes: number) => `The server printed ${bytes} bytes that are no message; they were left out.`,
  printedMore: (bytes: number) =>
    `The server printed more than ${bytes} bytes that are no message; they were left out.`,
  requestFailed: (name: string) => `A request failed (${name}).`,
  sessionEnded: (name: string) => `A session did not end well (${name}).`,
  givenUp: (method: string, why: string) => `A ${method} was given up: ${why}`,
  streamBroke: (name: string) => `A stream of the server broke off (${name}).`,
  silent: (name: string) => `The server stopped talking by itself (${name}); asking again.`,
  endsAtOnce: 'The server ends as soon as it is started. Look at what it prints on standard error.',
  restarting: 'The server is stopped and started again: a message of it never ended.',
  readingEnded: (why: string) => `Reading from the server ended: ${why}.`,
  endedUnheard: (how: string) => `The server ended (${how}) before it said anything.`,
  startingAgain: (ms: number) => `The server ended; it is started again in ${ms} ms.`,
  unanswered: 'The server was started again and does not answer.',
  noneUsable: 'None of the servers can be used.',
  refusedHandshake: 'It refused the handshake.',
  late: 'It has not answered yet.',
  goesOnWithoutLate: (name: string, ms: number) =>
    `${name} did not answer for ${ms / 1_000} s; the others go on without it until it does.`,
  listIsLate: (name: string, method: string) =>
    `${name} did not answer ${method} in time; the others go on without it.`,
  skipped: (name: string, why: string) => `${name} is left out: ${why}`,
  isBack: (name: string) => `${name} can be used now.`,
  goesOnWithout: (name: string) => `${name} refused the handshake; the others go on without it.`,
} as const;

/** Our errors say what to do; others may quote content, so they are not repeated. */
export function sentence(error: unknown): string {
  if (error instanceof SpillwayError) return error.message;
  return `Something went wrong in the gateway (${error instanceof Error ? error.name : typeof error}). Do not retry.`;
}
