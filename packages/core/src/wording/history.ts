/**
 * What a model reads in a request where no tool said anything: stand-ins for results and messages,
 * and the lines above a summary, a preview and a late result. Every sentence is pinned by a test.
 *
 * None of these advises to make a call again: a call without a recorded result may be running in
 * another process, or may have paid, sent or deleted something already.
 */

import type { MessagePart, MessageRecord } from '../model/message.ts';
import { formatCount } from '../text/numbers.ts';
import { number, type Opening, RECOGNISED, template, words } from './template.ts';

interface AboutCall {
  readonly call: { readonly callId: string; readonly tool: string };
}

interface CallWords {
  readonly callId: string;
  readonly tool: string;
}

/** Marks what did not come from a tool. */
export const SYNTHETIC_MARK = '[No tool output.';

const CALL = template<CallWords>`${words('callId', '.{1,500}')} of ${words('tool', '.{1,500}')}`;
const RESULT_OF = template<CallWords>`[No tool output.${RECOGNISED} The result of the call ${CALL} `;
const MISSING = template<CallWords>`[No tool output.${RECOGNISED} No result was recorded for the call ${CALL}. The call may still be running, or may have taken effect already.]`;
const LATE = template<CallWords>`[Result of the call ${RECOGNISED}${CALL}, which arrived after the summary above.]`;
const UNSAID = template<
  CallWords & { readonly about: string }
>`[Result of the call ${RECOGNISED}${CALL}, which you made in a run that was given up: ${words('about', '.{0,200}')}]`;
const DAMAGED_MESSAGE = template<{
  ordinal: number;
}>`[Message ${number('ordinal')} of this session${RECOGNISED} is damaged in the store.]`;
const PREVIEW = template<{
  chars: number;
  whole: string;
}>`[Limited preview for display${RECOGNISED}: ${number('chars')} chars in all, ${words('whole', '.{0,400}')}.]`;
const SUMMARY = template<{
  messages: number;
}>`[Summary of the ${RECOGNISED}${number('messages')} messages before this one. They are kept in full; messages and results can be fetched by their handles.]`;

/** How every summary begins. */
export const SUMMARY_MARK = '[Summary of the ';

/** The lines of this file that a tool could imitate. */
export const HISTORY_LINES: readonly Opening[] = [
  MISSING,
  LATE,
  UNSAID,
  DAMAGED_MESSAGE,
  PREVIEW,
  SUMMARY,
  template`[A part of this message `,
];

export function missingResult({ call }: AboutCall): string {
  return MISSING.write(shown(call));
}

export function goneResult(about: AboutCall, output: string): string {
  return withoutResult(about, output, 'is no longer kept');
}

/** Not stored, and no longer in memory. */
export function unstoredResult(about: AboutCall, output: string): string {
  return withoutResult(about, output, 'could not be stored');
}

export function damagedResult(about: AboutCall, output: string): string {
  return withoutResult(about, output, 'is damaged in the store');
}

function withoutResult({ call }: AboutCall, output: string, why: string): string {
  return `${RESULT_OF.write(shown(call))}(${output}) ${why}. The call was made; only its output is missing.]`;
}

/** Whether a text is what we put in place of a result of this call. */
export function isStandIn(call: CallWords, text: string): boolean {
  const named = shown(call);
  return text === MISSING.write(named) || text.startsWith(RESULT_OF.write(named));
}

/** In place of a part that no framework is known to have, and that is too long to be passed on. */
export function unknownPart(output: string): string {
  return `[A part of this message has a type that is not known. It is stored as ${output}.]`;
}

export function goneMedia(mediaType: string): string {
  return `[A file (${mediaType}) is no longer kept.]`;
}

export function damagedMessage(ordinal: number): string {
  return `[Message ${ordinal} of this session is damaged in the store.]`;
}

export function damagedPart(): string {
  return '[A part of this message is damaged in the store.]';
}

/** Above a result that arrived after its call had been summarised. */
export function lateResult(tool: string, callId: string): string {
  return LATE.write(shown({ tool, callId }));
}

/** Above the result of a call that a run made before it was given up. */
export function unsaidResult(call: CallWords, about: string): string {
  return UNSAID.write({ ...shown(call), about: named(about).slice(0, 200) });
}

/** The id of the call whose result a text opens, where `unsaidResult` wrote it. */
export function unsaidCallIn(text: string): string | null {
  return text.includes('\n') ? null : (UNSAID.find(text)[0]?.facts.callId ?? null);
}

/** In place of a read that was dropped, because a later call read the same. */
export function supersededResult(later: CallWords, output: string): string {
  const { callId } = shown(later);
  return `[Left out to make room: the call ${callId} read the same later. This result is kept as ${output}.]`;
}

/** Whether a text opens what we say to a model on our own behalf, behind a summary. */
export function isLateResult(text: string): boolean {
  return !text.includes('\n') && LATE.find(text).length > 0;
}

export function summaryHeading(messages: number): string {
  return SUMMARY.write({ messages });
}

/** Above a preview; `artifact` is the handle of the whole, if it is known. */
export function previewHeading(chars: number, artifact: string | null): string {
  const whole = artifact === null ? 'no handle is known for the whole' : `the whole is ${artifact}`;
  return PREVIEW.write({ chars, whole });
}

/** Above what is left of a model's summary that has no room. */
export function longerSummary(rest: string): string {
  return `[The summary is longer; the whole of it is in ${rest}.]`;
}

/** At the beginning of a transcript that goes on from another one. */
export function earlierMessages(before: string): string {
  return `[Earlier messages are in ${before}.]`;
}

/** In place of a long message in a transcript, which is an output of its own. */
export function keptMessage(ordinal: number, role: string, chars: number, output: string): string {
  return `[message ${ordinal}, ${role}: ${formatCount(chars)} chars, kept in ${output}]`;
}

/** A name as it can stand in a line: ids and tools come from outside. */
export function named(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed();
}

function shown({ callId, tool }: CallWords): CallWords {
  return { callId: named(callId), tool: named(tool) };
}

/** Reasoning parts are left out; mostly they are opaque. */
const THOUGHTS = /reason|think/i;

export function messageText({ ordinal, role, parts }: MessageRecord): string {
  return [`[message ${ordinal}, ${role}]`, ...parts.flatMap(partLines)].join('\n');
}

function partLines(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type === 'data') return THOUGHTS.test(part.name) ? [] : [part.json];
  if (part.type === 'call') return [`call ${named(part.callId)} of ${named(part.tool)}: ${part.input}`];
  if (part.type === 'result')
    return [`result of ${named(part.callId)} of ${named(part.tool)}: ${part.output} ${part.status}`];
  const where = 'url' in part.source ? part.source.url : part.source.output;
  return [`${part.mediaType}: ${where}`];
}
