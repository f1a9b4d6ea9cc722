/**
 * Bounds results on their way to a screen: `steps` and UI streams carry what a tool returned,
 * whole. What is too long becomes a flagged preview; history is not touched.
 */
import type { UIMessageChunk } from 'ai';
import type { TransportOptions } from '../../history/index.ts';
import type { Agent, ShapeName } from '../../index.ts';

/** For `toUIMessageStream().pipeThrough(limitUIStream(agent))`. */
export function limitUIStream<C extends UIMessageChunk>(
  agent: Agent<ShapeName>,
  options: TransportOptions = {},
): TransformStream<C, C> {
  return agent.session.limitEvents(options) as TransformStream<C, C>;
}
