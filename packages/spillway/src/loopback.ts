/**
 * The names of this machine. A server that listens on one of them answers only requests that name
 * one of them: a page from elsewhere can make its own name point here, but not this one.
 */
import type { AddressInfo, Server } from 'node:net';
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address to listen on is reached from this machine only. */
export function isLoopback(address: string): boolean {
  return LOOPBACK_NAMES.includes(address.toLowerCase()) || address === '::1';
}

/** Whether a `Host` header names this machine, whatever the port. */
export function namesLoopback(host: string | undefined): boolean {
  return LOOPBACK_NAMES.includes(hostname(host ?? ''));
}

/** Starts a server; resolves with the port that it has. */
export function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** A port as people write it: a number up to 65535; null for anything else. */
export function portOf(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

export function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}
