/** What a model reads in places where no tool said anything. Text that a model reads is an API: every sentence is pinned by a test. */

/** The call that a sentence is about. */
interface AboutCall {
  readonly call: { readonly callId: string; readonly tool: string };
}

/** Marks what did not come from a tool. */
export const SYNTHETIC_MARK = '[No tool output.';

/*
 * None of these advises to make a call again: a call without a recorded result may be running in another process, or may have paid,
 * sent or deleted something already.
 */

/** In place of a result that never came. */
export function missingResult({ call }: AboutCall): string {
  return `${SYNTHETIC_MARK} No result was recorded for the call ${named(call.callId)} of ${named(call.tool)}. The call may still be running, or may have taken effect already.]`;
}

/** In place of a result that is no longer kept. */
export function goneResult({ call }: AboutCall, output: string): string {
  return `${SYNTHETIC_MARK} The result of the call ${named(call.callId)} of ${named(call.tool)} (${output}) is no longer kept. The call was made; only its output is missing.]`;
}

/** In place of a result that could not be stored, once it is no longer in memory. */
export function unstoredResult({ call }: AboutCall, output: string): string {
  return `${SYNTHETIC_MARK} The result of the call ${named(call.callId)} of ${named(call.tool)} (${output}) could not be stored. The call was made; only its output is missing.]`;
}

/** In place of a result that cannot be read. */
export function damagedResult({ call }: AboutCall, output: string): string {
  return `${SYNTHETIC_MARK} The result of the call ${named(call.callId)} of ${named(call.tool)} (${output}) is damaged in the store. The call was made; only its output is missing.]`;
}

/** Whether a text is what we say, or said in earlier versions, in place of a result of this call. */
export function isStandIn(call: { readonly callId: string; readonly tool: string }, text: string): boolean {
  if (!text.startsWith(SYNTHETIC_MARK)) return false;
  const said = { call };
  const earlier = `${SYNTHETIC_MARK} The call ${named(call.callId)} of ${named(call.tool)} has no recorded result.`;
  return (
    text === missingResult(said) ||
    text.startsWith(earlier) ||
    text.startsWith(goneResult(said, '').split('(')[0] ?? text)
  );
}

/** In place of a part that no framework is known to have, and that is too long to be passed on. */
export function unknownPart(output: string): string {
  return `[A part of this message has a type that is not known. It is stored as ${output}.]`;
}

/** In place of an image or file that is no longer kept. */
export function goneMedia(mediaType: string): string {
  return `[A file (${mediaType}) is no longer kept.]`;
}

/** In place of a message that the store cannot give back. */
export function damagedMessage(place: number): string {
  return `[Message ${place} of this session is damaged in the store.]`;
}

/** In place of a part of a message that cannot be read. */
export function damagedPart(): string {
  return '[A part of this message is damaged in the store.]';
}

/** Above a result that arrived after its call had been summarised. */
export function lateResult(tool: string, callId: string): string {
  return `[Result of the call ${named(callId)} of ${named(tool)}, which arrived after the summary above.]`;
}

/** Whether a text opens what we say to a model on our own behalf, behind a summary. */
export function isLateResult(text: string): boolean {
  return /^\[Result of the call .{1,500} of .{1,500}, which arrived after the summary above\.\]$/.test(text);
}

/** How every summary begins. */
export const SUMMARY_MARK = '[Summary of the ';

/** A name as it can stand in a line: ids and tools come from outside. */
export function named(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed();
}
