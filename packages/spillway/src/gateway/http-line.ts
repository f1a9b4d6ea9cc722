/** A client over HTTP, its relay and its upstream, and how they end together. */
import type { HttpStreams } from './http-streams.ts';
import type { Upstream } from './ports.ts';
import type { Relay } from './relay.ts';

export interface HttpLine {
  readonly principal: string;
  readonly relay: Relay;
  readonly upstream: Upstream;
  readonly streams: HttpStreams;
}

/** Ends a line. Whoever waits for an answer gets an error that says why. */
export async function endLine({ streams, upstream, relay }: HttpLine, why: string): Promise<void> {
  await relay.refuseAll(why);
  streams.close();
  await upstream.close();
  await relay.close();
}
