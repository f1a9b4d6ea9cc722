/**
 * What a model reads when a fetch is refused: wrong arguments of `get_artifact`, and outputs that
 * are not there. Each sentence says what to do next and quotes nothing that was stored.
 */
import { formatCount } from '../text/numbers.ts';

export const REFUSED_ARGUMENT = {
  several: 'Ask for lines, chars, a pattern, a path, rows or a file, not for several at once.',
  notAnObject: 'Arguments must be an object with artifact_id.',
  noId: 'artifact_id is missing: name the artifact as its notice does, or give search.',
  unknown: (name: string, guess: string, known: readonly string[]) =>
    `Unknown argument ${JSON.stringify(name.slice(0, 40))}.${guess} Known: ${known.join(', ')}.`,
  notText: (name: string) => `${name} must be a string of at most 10,000 chars.`,
  notANumber: (name: string) => `${name} must be a whole number from 1 up.`,
  notARange: (name: string) => `${name} must look like 12-40, 12- or 12.`,
  reversed: (name: string, first: number, last: number) =>
    `${name}: the range ends before it begins (${first}-${last}).`,
  tooLong: (name: string, most: number) => `${name} may have at most ${most} chars.`,
  tooLongForPages: (name: string, pageLimit: number) =>
    `${name} is too long for pages of ${formatCount(pageLimit)} chars.`,
  cursor: 'cursor must be one that an earlier page named.',
  cursorOfArtifact: 'cursor must be one that an earlier page of this artifact named.',
  cursorOfQuestion: 'cursor must be one that an earlier page of the same question named.',
  cursorWithout: (names: readonly string[]) =>
    `This cursor goes with the ${oneOf(names)} of the page that named it: repeat both.`,
  cursorOfOtherPart: 'This cursor belongs to another part. Leave out part, or cursor.',
  noSuchPart: (names: readonly string[]) => `This artifact has no such part. Its parts: ${names.join(', ')}.`,
  noPatterns: 'Pattern search is not available here. Ask by lines or chars.',
  slowPattern:
    'This pattern takes too long on an output of this size. Use a simpler one, or ask by lines or chars.',
  ofSession: (asked: string, other: string) =>
    `${asked} asks for the whole session: leave out ${JSON.stringify(other.slice(0, 40))}, or leave out ${asked}.`,
  emptySearch: 'search needs a word or a number to look for.',
  noMessages: 'No messages are kept here. Use search, or an artifact_id.',
  contextAlone: 'context goes with pattern: give a pattern too, or leave out context.',
  cursorAlone: 'cursor goes on by itself: leave out lines, chars, start_line and end_line.',
  noDiff: 'This part is not a diff, so file cannot be used. Ask by lines, chars or pattern.',
  noTable:
    'This part does not look like a table (CSV, TSV, aligned or ruled columns), so rows cannot be used. Ask by lines, chars or pattern.',
  noRawForm: (what: string) => `${what} has no raw form. Leave out one of the two.`,
} as const;

export const REFUSED_OUTPUT = {
  notFound: (id: string) => `There is no artifact ${id} here. Do not retry.`,
  purged: (id: string) => `Artifact ${id} is no longer kept. Do not retry.`,
  retired: (id: string) => `Artifact ${id} can no longer be fetched: its handle was retired. Do not retry.`,
  noStore: 'Nothing is stored here: open Spillway with a store.',
} as const;

/** `json_path, rows or file`. */
function oneOf(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
