/** Answers that are read as they come: the texts between two separators, each handed on at once. */
import type { PreviewLine, PreviewOrder, ReasonsLine } from '../../../spillway/src/inspector/api.ts';
import { postFor, request } from './api-client.ts';

export async function* textsOf({ body }: Response, separator: string): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const texts = (pending + value).split(separator);
    pending = texts.pop() ?? '';
    yield* texts.filter((text) => text !== '');
  }
}

/** A preview as it is worked out. */
export async function readPreview(
  order: PreviewOrder,
  signal: AbortSignal,
  onLine: (line: PreviewLine) => void,
): Promise<void> {
  await eachLine(await postFor('/api/preview', order, signal), signal, onLine);
}

/** Why blocks of an output were kept, and until then how far that is. */
export async function readReasons(
  id: string,
  signal: AbortSignal,
  onLine: (line: ReasonsLine) => void,
): Promise<void> {
  const path = `/api/outputs/${encodeURIComponent(id)}/reasons`;
  await eachLine(await request(path, { signal }), signal, onLine);
}

async function eachLine<T>(
  response: Response,
  signal: AbortSignal,
  onLine: (line: T) => void,
): Promise<void> {
  for await (const text of textsOf(response, '\n')) if (!signal.aborted) onLine(JSON.parse(text) as T);
}
