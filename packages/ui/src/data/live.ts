/**
 * What happens in the workspace, as it happens: a stream of server-sent events, read with `fetch`
 * because `EventSource` cannot send the key. Browsers allow six connections to a host, so one of the
 * visible pages reads the stream and passes it on to the others. While no page is visible nobody
 * reads; the next one goes on from the last cursor.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { LiveEvent, LiveMessage, RunningRow } from '../../../spillway/src/inspector/api.ts';
import { address, locked, request, textsOf } from './api-client.ts';
import { observable } from './observable.ts';

const RETRY_MS = 2_000;

type LiveState = 'connecting' | 'live' | 'lost';
export const liveState = observable<LiveState>('connecting');
/** Outputs that are being captured. */
export const running = observable<readonly RunningRow[]>([]);

/** What pages tell each other: messages of the stream, its state, and that one of them is new. */
type Shared = LiveMessage | { readonly event: 'state'; readonly data: LiveState } | { readonly event: 'new' };
type Listener = (message: LiveMessage) => unknown;

const channel = new BroadcastChannel('spillway-live');
const listeners = new Set<Listener>();
let cursor: string | undefined;
/** Of this page, while it reads the stream or waits for its turn. */
let turn: AbortController | undefined;
let isReading = false;

/** Starts following; called once. */
export function startLive(): void {
  channel.onmessage = ({ data: message }: MessageEvent<Shared>) => {
    if (message.event !== 'new') take(message);
    if (message.event !== 'new' || !isReading) return;
    if (cursor !== undefined) channel.postMessage({ event: 'hello', data: { cursor } });
    channel.postMessage({ event: 'running', data: running.value });
    channel.postMessage({ event: 'state', data: liveState.value });
  };
  document.addEventListener('visibilitychange', update);
  locked.watch(update);
  update();
}

/** Calls `listener` with the events of each batch while the component is shown. */
export function useLiveEvents(listener: (items: readonly LiveEvent[]) => void): void {
  useMessages((message) => message.event === 'events' && listener(message.data.items));
}

/** Calls `listener` when files with settings have changed. */
export function useLiveSettings(listener: () => void): void {
  useMessages((message) => message.event === 'settings' && listener());
}

function useMessages(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const each: Listener = (message) => latest.current(message);
    listeners.add(each);
    return () => listeners.delete(each);
  }, []);
}

function update(): void {
  if (document.hidden || locked.value) {
    turn?.abort();
    turn = undefined;
  } else if (turn === undefined) {
    turn = new AbortController();
    const { signal } = turn;
    liveState.set('connecting');
    channel.postMessage({ event: 'new' });
    // Without locks, as behind a tunnel without TLS, every page reads for itself.
    const reading = navigator.locks
      ? navigator.locks.request('spillway-live', { signal }, () => read(signal))
      : read(signal);
    // Aborted while it waited.
    reading.catch(() => undefined);
  }
}

async function read(signal: AbortSignal): Promise<void> {
  isReading = true;
  while (!signal.aborted) {
    await follow(signal).catch(() => undefined);
    if (signal.aborted) break;
    share({ event: 'state', data: 'lost' });
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  isReading = false;
}

async function follow(signal: AbortSignal): Promise<void> {
  const response = await request(address('/api/live', { after: cursor }), { signal });
  share({ event: 'state', data: 'live' });
  for await (const block of textsOf(response, '\n\n')) {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (data !== undefined) share({ event, data: JSON.parse(data) } as LiveMessage);
  }
}

function share(message: Exclude<Shared, { event: 'new' }>): void {
  channel.postMessage(message);
  take(message);
}

function take(message: Exclude<Shared, { event: 'new' }>): void {
  if (message.event === 'state') {
    liveState.set(message.data);
    return;
  }
  if ('cursor' in message.data) cursor = message.data.cursor;
  if (message.event === 'running') running.set(message.data);
  for (const listener of [...listeners]) listener(message);
}
