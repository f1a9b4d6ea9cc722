/** Which port the inspector listens on: the usual one, else the next that is free. */
import { SpillwayError } from '@spillway/core';
import type { InspectorServer } from './server.ts';

export const USUAL_PORT = 8_809;
const TRIES = 50;

/** The port; one that was asked for and is taken is an error. */
export async function listenOn(server: InspectorServer, asked: number | undefined): Promise<number> {
  if (asked !== undefined) {
    const port = await unlessTaken(server, asked);
    if (port !== null) return port;
    throw new SpillwayError(
      'store_unavailable',
      `Port ${asked} is in use: give another with --port, or leave --port out to take the next free one.`,
    );
  }
  for (let port = USUAL_PORT; port < USUAL_PORT + TRIES; port++)
    if ((await unlessTaken(server, port)) !== null) return port;
  return server.listen(0);
}

async function unlessTaken(server: InspectorServer, port: number): Promise<number | null> {
  try {
    return await server.listen(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return null;
    throw error;
  }
}
