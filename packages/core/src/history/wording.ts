/** What a model reads in places where no tool said anything. Text that a model reads is an API: every sentence is pinned by a test. */
import type { Pair } from './pairing.ts';

/** Marks what did not come from a tool. */
export const SYNTHETIC_MARK = '[No tool output.';

/** In place of a result that never came. */
export function missingResult({ call }: Pick<Pair, 'call'>): string {
  return `${SYNTHETIC_MARK} The call ${call.callId} of ${call.tool} has no recorded result. Run it again if its output is needed.]`;
}

/** In place of a result that is no longer kept. */
export function goneResult({ call }: Pick<Pair, 'call'>, output: string): string {
  return `${SYNTHETIC_MARK} The result of the call ${call.callId} of ${call.tool} (${output}) is no longer kept. Run it again if its output is needed.]`;
}

/** In place of an image or file that is no longer kept. */
export function goneMedia(mediaType: string): string {
  return `[A file (${mediaType}) is no longer kept.]`;
}

/** Above a result that arrived after its call had been summarised. */
export function lateResult(tool: string, callId: string): string {
  return `[Result of the call ${callId} of ${tool}, which arrived after the summary above.]`;
}

/** When a request would not fit. */
export function refusal(tokens: number, window: number, hard: number): string {
  return `The request has ${tokens} tokens and the window ${window}: over hard_at, which is ${hard} tokens. Compact the session, then prepare the request again.`;
}
