/**
 * The transport projection as stream transformers: one for events as objects, one for server-sent
 * events as bytes. Only results of calls are looked at; every other event passes as it is, byte for
 * byte. Back-pressure is the stream's own.
 */

import type { SessionName } from '../../model/session.ts';
import { eachResult, type Locate, type LocatedResult } from './locate.ts';
import { Previews, type TransportLimits, type TransportReader } from './preview.ts';
import { decodeData, encodeData, FrameSplitter, unended } from './sse.ts';

/** Limits, and how results are found in events. */
export interface TransportOptions extends TransportLimits {
  /** Finds results in events of another shape. */
  readonly locate?: Locate;
  /** Bytes of one server-sent event above which it is left out. Default: 64 MiB. */
  readonly maxEventBytes?: number;
}

const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/** Limits the results in a stream of events. */
export function limitEvents(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions = {},
): TransformStream<unknown, unknown> {
  const limit = limiter(reader, name, options);
  return new TransformStream({
    async transform(event, controller) {
      controller.enqueue(await limit(event));
    },
  });
}

/** Limits the results in a stream of server-sent events whose data is JSON. */
export function limitServerSentEvents(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions = {},
): TransformStream<Uint8Array, Uint8Array> {
  const limit = limiter(reader, name, options);
  const splitter = new FrameSplitter(options.maxEventBytes ?? MAX_EVENT_BYTES);
  const pass = async (frame: Uint8Array): Promise<Uint8Array> => {
    const data = decodeData(frame);
    if (data === null) return frame;
    const limited = await limit(data.value);
    return limited === data.value ? frame : encodeData(data.fields, limited);
  };
  return new TransformStream({
    async transform(chunk, controller) {
      for (const frame of splitter.push(chunk)) controller.enqueue(await pass(frame));
    },
    async flush(controller) {
      for (const frame of splitter.finish()) {
        const passed = await pass(frame);
        // An event that was never ended is none for whoever reads it; it must not become one here.
        controller.enqueue(passed === frame ? frame : unended(passed));
      }
    },
  });
}

/** An event whose results fit is returned itself. */
function limiter(
  reader: TransportReader,
  name: SessionName,
  options: TransportOptions,
): (event: unknown) => Promise<unknown> {
  const previews = new Previews(reader, name, options);
  const limit = async (event: unknown, found: LocatedResult): Promise<unknown> => {
    const { callId, content, kind } = found;
    if (kind === 'text' && typeof content === 'string') {
      const text = await previews.text({ callId }, content);
      return text === content ? event : found.replace(text);
    }
    const limited = await previews.of({ callId }, content);
    return limited.limited ? found.replace(limited.content) : event;
  };
  const { locate } = options;
  if (locate === undefined) return (event) => eachResult(event, limit);
  return async (event) => {
    const found = locate(event);
    return found === null ? event : limit(event, found);
  };
}
