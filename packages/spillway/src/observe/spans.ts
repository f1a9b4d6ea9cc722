/**
 * Spans from the events of the ledger, beside the metrics: a tool call, what was shown of it, a
 * request, a compaction. Names and attributes follow the GenAI conventions of OpenTelemetry
 * (semantic conventions 1.41), and `spillway.*` for what those have no word for. Content is in them
 * only on request. The tracer is passed in: one of OpenTelemetry, or an object of its shape. Spans are
 * children of the span that is active when the event happens.
 */

import type { LedgerEvent } from '@spillway/core';
import { numberOf } from '../fields.ts';
import type { Attributes } from './metrics.ts';

/** What is used of a tracer of `@opentelemetry/api`. */
export interface TracerLike {
  /** Begins a span. */
  startSpan(name: string, options: SpanOptionsLike): SpanLike;
}

/** What a span is begun with. */
export interface SpanOptionsLike {
  /** 0: work inside the process. */
  readonly kind: 0;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  /** Names and numbers, no content. */
  readonly attributes: Attributes;
}

/** What is used of a span. */
export interface SpanLike {
  /** 2: it failed. */
  setStatus(status: { readonly code: 2 }): unknown;
  /** Ends it. Milliseconds since 1970. */
  end(endTime: number): void;
}

/** What spans tell beside names and numbers. */
export interface SpanOptions {
  /**
   * Content of an event: arguments and result of a call, as texts. Asked for each tool call where it
   * is given; by default no span holds content.
   */
  readonly content?: (
    event: LedgerEvent,
  ) => { readonly input?: string; readonly result?: string } | undefined;
}

interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
  readonly failed?: boolean;
}

type Data = Readonly<Record<string, string | number | boolean>>;

/** Traces every event it is shown; pass it as `onEvent`. */
export function ledgerSpans(tracer: TracerLike, { content }: SpanOptions = {}): (event: LedgerEvent) => void {
  return (event) => {
    const facts = SPANS[event.type]?.(event, event.data ?? {});
    if (facts === undefined) return;
    const { at, session, output, data = {} } = event;
    const shown = event.type === 'captured' ? content?.(event) : undefined;
    const span = tracer.startSpan(facts.name, {
      kind: 0,
      startTime: at - numberOf(data.ms),
      attributes: {
        ...facts.attributes,
        ...(session === undefined ? {} : { 'gen_ai.conversation.id': session }),
        ...(output === undefined ? {} : { 'spillway.artifact.id': output }),
        ...(shown?.input === undefined ? {} : { 'gen_ai.tool.call.arguments': shown.input }),
        ...(shown?.result === undefined ? {} : { 'gen_ai.tool.call.result': shown.result }),
      },
    });
    if (facts.failed === true) span.setStatus({ code: 2 });
    span.end(at);
  };
}

const SPANS: Partial<Record<LedgerEvent['type'], (event: LedgerEvent, data: Data) => SpanFacts>> = {
  captured({ tool = '' }, { status = 'ok', call_id, bytes, chars }) {
    const failed = status !== 'ok';
    return {
      name: `execute_tool ${tool}`,
      failed,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.type': 'function',
        ...(call_id === undefined ? {} : { 'gen_ai.tool.call.id': call_id }),
        ...(failed ? { 'error.type': status } : {}),
        'spillway.output.bytes': numberOf(bytes),
        'spillway.output.chars': numberOf(chars),
      },
    };
  },
  projected({ tool = '' }, { cut = false, chars, strategy = '', audience = 'model' }) {
    return {
      name: `spillway.project ${tool}`,
      attributes: {
        'gen_ai.tool.name': tool,
        'spillway.projection.cut': cut,
        'spillway.projection.chars': numberOf(chars),
        'spillway.projection.strategy': strategy,
        'spillway.audience': audience,
      },
    };
  },
  reported(_, { tokens, expected }) {
    return {
      name: 'spillway.usage',
      attributes: {
        'gen_ai.usage.input_tokens': numberOf(tokens),
        'spillway.request.estimated_tokens': numberOf(expected),
      },
    };
  },
  prepared(_, { tokens, window, verdict = '' }) {
    return {
      name: 'spillway.request',
      failed: verdict === 'refused',
      attributes: {
        'spillway.request.estimated_tokens': numberOf(tokens),
        'spillway.request.window_tokens': numberOf(window),
        'spillway.request.verdict': verdict,
      },
    };
  },
  compacted(_, { kind = '', by = '', version, messages, results }) {
    return {
      name: 'spillway.compact',
      attributes: {
        'spillway.compaction.kind': kind,
        'spillway.compaction.by': by,
        'spillway.compaction.version': numberOf(version),
        'spillway.compaction.messages': numberOf(messages),
        'spillway.compaction.results': numberOf(results),
      },
    };
  },
};
