/**
 * The capture that a host feeds by hand. The signal that it was opened with ends it: `write`,
 * `flush` and `end` then reject with its reason. What had arrived is kept by `finish`, or, where
 * the host does not come to that, when the capture is disposed of: as cancelled, with what it said
 * so far.
 */
import type { CaptureEnd, OpenCapture, OpenPart, OpenPartSpec, Processed } from '../options.ts';
import type { CallCapture } from './captures.ts';

const CANCELLED: CaptureEnd = { outcome: { status: 'cancelled' }, complete: false };

export function openCapture(
  { capture, draft }: Pick<CallCapture, 'capture' | 'draft'>,
  answer: (end: CaptureEnd) => Promise<Processed>,
  sealed: (processed: Processed) => Promise<unknown>,
  signal: AbortSignal | undefined,
): OpenCapture {
  let finished: Promise<Processed> | undefined;
  const finish = (end: CaptureEnd): Promise<Processed> => {
    finished = answer(end);
    return finished;
  };
  const part = ({ alone, ...spec }: OpenPartSpec): OpenPart => {
    const opened = capture.part({ role: 'content', kind: 'text', ...spec });
    const unlessAborted = async <T>(work: () => Promise<T>): Promise<T> => {
      signal?.throwIfAborted();
      return work();
    };
    return {
      index: opened.index,
      write: (chunk) => unlessAborted(() => capture.write(opened, chunk, alone !== true)),
      flush: () => unlessAborted(() => capture.flush(opened)),
      end: (notes = []) => unlessAborted(() => capture.end(opened, notes)),
    };
  };
  return {
    id: draft.id,
    part,
    finish,
    async [Symbol.asyncDispose]() {
      await sealed(await (finished ?? finish(CANCELLED)));
    },
  };
}
