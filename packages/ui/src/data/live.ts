/**
 * What happens in the workspace, as it happens: a stream of server-sent events, read with `fetch`
 * because `EventSource` cannot send the key. The stream is closed while the tab is hidden (browsers
 * allow six connections to a host) and goes on from the last cursor.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { LiveEvent, LiveEvents, LiveMessage } from '../../../spillway/src/inspector/api.ts';
import { address, locked, request, textsOf } from './api-client.ts';
import { observable } from './observable.ts';

const RETRY_MS = 2_000;

/** `paused` while the tab is hidden. */
export const liveState = observable<'connecting' | 'live' | 'paused' | 'lost'>('connecting');

type Listener = (message: LiveMessage) => unknown;
const listeners = new Set<Listener>();
let cursor: string | undefined;
let stream: AbortController | undefined;

/** Starts following; called once. */
export function startLive(): void {
  document.addEventListener('visibilitychange', () => (document.hidden ? pause() : open()));
  locked.watch((isLocked) => (isLocked ? stream?.abort() : open()));
  if (!document.hidden) open();
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

function pause(): void {
  stream?.abort();
  liveState.set('paused');
}

function open(): void {
  stream?.abort();
  const abort = new AbortController();
  stream = abort;
  follow(abort.signal)
    .catch(() => undefined)
    .then(() => {
      if (abort.signal.aborted || locked.value) return;
      liveState.set('lost');
      setTimeout(() => !abort.signal.aborted && !document.hidden && open(), RETRY_MS);
    });
}

async function follow(signal: AbortSignal): Promise<void> {
  const response = await request(address('/api/live', { after: cursor }), { signal });
  liveState.set('live');
  for await (const block of textsOf(response, '\n\n')) receive(block);
}

function receive(block: string): void {
  const field = (name: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
      .join('\n');
  const data = field('data');
  if (data === '') return;
  const message = { event: field('event'), data: JSON.parse(data) } as LiveMessage;
  if (message.event !== 'settings') cursor = (message.data as LiveEvents).cursor;
  for (const listener of [...listeners]) listener(message);
}
