/** A preview as it is worked out: one JSON value a line, each handed on as it comes. */
import type { PreviewLine, PreviewOrder } from '../../../spillway/src/inspector/api.ts';
import { postFor } from './api-client.ts';

export async function readPreview(
  order: PreviewOrder,
  signal: AbortSignal,
  onLine: (line: PreviewLine) => void,
): Promise<void> {
  const { body } = await postFor('/api/preview', order, signal);
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    pending += value;
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) if (line !== '' && !signal.aborted) onLine(JSON.parse(line) as PreviewLine);
  }
}
