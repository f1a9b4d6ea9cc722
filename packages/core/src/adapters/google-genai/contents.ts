/** The many forms in which the SDK takes contents, as a list of contents; and answers, as the same. */
import type {
  Content,
  ContentListUnion,
  ContentUnion,
  GenerateContentResponse,
  Part,
  PartUnion,
} from '@google/genai';

/** Contents of a request. */
export function contentsOf(given: ContentListUnion): Content[] {
  const list: readonly (Content | PartUnion)[] = Array.isArray(given) ? given : [given];
  if (list.every(isContent)) return [...list];
  return [{ role: 'user', parts: partsOf(list as readonly PartUnion[]) }];
}

/** The parts of a system instruction. */
export function partsOfContent(given: ContentUnion | undefined): Part[] {
  if (given === undefined) return [];
  if (Array.isArray(given)) return partsOf(given);
  return isContent(given) ? [...(given.parts ?? [])] : partsOf([given]);
}

/** An answer: of `generateContent`, or all pieces of `generateContentStream`. */
export type GoogleReply = GenerateContentResponse | readonly GenerateContentResponse[];

/**
 * What a model answered, each side in one content: the pieces of a stream are put together. With
 * the results of functions that the SDK called, and then, at times, with all that was before.
 */
export function answersOf(reply: GoogleReply): {
  readonly contents: readonly Content[];
  readonly how: 'whole' | 'more';
} {
  const responses = (Array.isArray(reply) ? reply : [reply]) as readonly GenerateContentResponse[];
  const given = responses.flatMap((response) => response.candidates?.[0]?.content ?? []);
  const history = responses.at(-1)?.automaticFunctionCallingHistory ?? [];
  if (history.length > 0) {
    const isThere = given.every((content) => history.includes(content));
    return { contents: isThere ? history : [...history, ...given], how: 'whole' };
  }
  const contents: Content[] = [];
  for (const content of given) {
    const last = contents.at(-1);
    if (last !== undefined && last.role === content.role) last.parts = joined(last.parts, content.parts);
    else contents.push({ ...content, parts: [...(content.parts ?? [])] });
  }
  return { contents, how: 'more' };
}

/** Texts that were cut into pieces are one text again. */
function joined(before: readonly Part[] = [], more: readonly Part[] = []): Part[] {
  const parts = [...before];
  for (const part of more) {
    const last = parts.at(-1);
    if (last !== undefined && isPlainText(last) && isPlainText(part))
      parts[parts.length - 1] = { text: `${last.text}${part.text}` };
    else parts.push(part);
  }
  return parts;
}

function isPlainText(part: Part): boolean {
  return typeof part.text === 'string' && Object.keys(part).length === 1;
}

function isContent(given: Content | PartUnion): given is Content {
  return typeof given === 'object' && 'parts' in given;
}

function partsOf(given: readonly PartUnion[]): Part[] {
  return given.map((part) => (typeof part === 'string' ? { text: part } : part));
}
