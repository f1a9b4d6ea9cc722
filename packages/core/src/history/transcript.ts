/**
 * A session with everything in it: canonical first, results whole. Calls and results are paired
 * over the whole session, so the references are read first; contents are read one message at a
 * time.
 */
import type { Spillway } from '../engine.ts';
import type { Store } from '../model/store.ts';
import { canonicalBlocks } from './content.ts';
import type { DerivedMessage } from './message.ts';
import { pair } from './pairing.ts';
import { allAbove, recordedIn, type SessionName } from './read-session.ts';
import { type ContentOf, renderMessages } from './render-messages.ts';
import { resolveCalls } from './resolve-calls.ts';

interface TranscriptContext {
  readonly store: Pick<Store, 'messages' | 'find' | 'frozen'>;
  readonly spillway: Pick<Spillway, 'contents'>;
}

/** Messages in order, each call followed by its result. */
export async function* transcript(
  context: TranscriptContext,
  name: SessionName,
): AsyncGenerator<DerivedMessage> {
  const { store, spillway } = context;
  const contentOf: ContentOf = async ({ record }) =>
    record === null ? [] : canonicalBlocks(spillway, record);
  const all = await allAbove(store, name, 0);
  const { messages } = pair(all);
  const isRecorded = recordedIn(store, name, 0, all);
  for (const message of messages)
    yield* (await renderMessages(
      context,
      message,
      await resolveCalls(store, name, message.pairs, isRecorded),
      contentOf,
    )) as DerivedMessage[];
}
