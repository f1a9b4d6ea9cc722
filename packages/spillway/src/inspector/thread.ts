/**
 * A session as a thread: what was said, what was called and what came back, in order. It is put
 * together once and kept while the session stays as it is, so that any page of a long session costs
 * the same. A session without messages is the list of its outputs.
 */

import type { ArtifactId, Store } from '@spillway/core';
import { everyItem, type MessageRecord, type SummaryRecord } from '@spillway/core/store';
import { jsonIn } from '../fields.ts';
import type { LedgerIndex } from './ledger-index.ts';
import { type FetchedRange, fetchedRanges, keepLast, type OutputRow, outputRow } from './rows.ts';

const CLIPPED_CHARS = 2_000;
const INPUT_CHARS = 200;
const MOST_PARSED = 100_000;
/** Where threads are read from. */
interface Inspected {
  readonly store: Store;
  readonly index: LedgerIndex;
}

/** Threads that are kept. */
const MOST_THREADS = 8;

type MessageDraft = ReturnType<typeof messageDraft>;
type SummaryDraft = ReturnType<typeof summaryDraft>;
/** A call before its output is looked up. Without messages each output is one. */
type CallDraft = ReturnType<typeof callDraft>;
type Draft = MessageDraft | SummaryDraft | CallDraft;

/** An entry with its place in the thread. Longer texts are clipped: `/api/sessions/:id/message`. */
export type ThreadMessage = MessageDraft & { readonly index: number };
export type ThreadSummary = SummaryDraft & { readonly index: number };
export interface ThreadCall extends Omit<CallDraft, 'output'> {
  readonly index: number;
  /** Null: no result was recorded, or it is no longer kept. */
  readonly output: OutputRow | null;
  readonly state: 'kept' | 'missing' | 'purged';
  readonly fetched: readonly FetchedRange[];
}
export type ThreadEntry = ThreadMessage | ThreadCall | ThreadSummary;

export interface Thread {
  readonly stamp: string;
  readonly entries: readonly Draft[];
  readonly messages: number;
  readonly missing: number;
  readonly compactions: number;
  /** What each entry is found by; read when somebody looks for something. */
  words?: Promise<readonly string[]>;
}

interface SessionName {
  readonly scope: string;
  readonly id: string;
}

export class Threads {
  readonly #kept = new Map<string, Thread>();

  async of(inspected: Inspected, name: SessionName): Promise<Thread> {
    const key = JSON.stringify([name.scope, name.id]);
    const stamp = await stampOf(inspected, name);
    const kept = this.#kept.get(key);
    if (kept?.stamp === stamp) return kept;
    return keepLast(this.#kept, key, await threadOf(inspected, name, stamp), MOST_THREADS);
  }
}

/** Some entries, with their outputs. */
export async function entriesOf(
  { store, index }: Inspected,
  { scope }: SessionName,
  { entries }: Thread,
  indexes: readonly number[],
): Promise<ThreadEntry[]> {
  const shown: ThreadEntry[] = [];
  for (const at of indexes) {
    const draft = entries[at];
    if (draft === undefined) continue;
    if (draft.kind !== 'call') {
      shown.push({ ...draft, index: at });
      continue;
    }
    const found = draft.output === null ? undefined : await store.find({ scope, id: draft.output });
    const record = found === undefined || 'purgedAt' in found ? null : found;
    const state = record !== null ? 'kept' : found === undefined ? 'missing' : 'purged';
    const output = record === null ? null : outputRow(record, index.trail(record.id));
    const fetched = draft.output === null ? [] : fetchedRanges(index, draft.output);
    const asked = record === null ? '' : withoutTool(record.summary, record.tool);
    const input = asked === '' || asked === record?.tool ? draft.input : asked;
    shown.push({ ...draft, index: at, input, output, state, fetched });
  }
  return shown;
}

/** The entries that hold a text: in what was said, in the name of a tool, in what a call asked for. */
export async function matchingIn(
  { store }: Inspected,
  { scope }: SessionName,
  thread: Thread,
  text: string,
): Promise<number[]> {
  const wanted = text.toLowerCase();
  thread.words ??= Promise.all(
    thread.entries.map(async (draft) => {
      if (draft.kind !== 'call') return draft.text.toLowerCase();
      const found = draft.output === null ? undefined : await store.find({ scope, id: draft.output });
      const summary = found === undefined || 'purgedAt' in found ? '' : found.summary;
      return `${draft.tool} ${draft.input} ${summary}`.toLowerCase();
    }),
  );
  return (await thread.words).flatMap((words, at) => (words.includes(wanted) ? [at] : []));
}

/** What the call of an output asked for, as its message has it; empty if no message tells. */
export function askedIn({ entries }: Thread, id: ArtifactId): string {
  const call = entries.find((entry) => entry.kind === 'call' && entry.output === id);
  return call?.kind === 'call' ? call.input : '';
}

/** Where an output, a call or a time (`at-MS`) stands; -1 if it is not there. */
export function indexIn({ entries }: Thread, name: string): number {
  const [, at] = /^at-(\d{1,15})$/.exec(name) ?? [];
  if (at !== undefined) return entries.findLastIndex((entry) => entry.at <= Number(at));
  return entries.findIndex(
    (entry) => entry.kind === 'call' && (entry.output === name || entry.call_id === name),
  );
}

/** Changes with everything that a thread shows. */
async function stampOf({ store, index }: Inspected, { scope, id }: SessionName): Promise<string> {
  const last = await store.messages({ scope, session: id, order: 'newest', limit: 1 });
  const summary = await store.summaries({ scope, session: id, limit: 1 });
  const outputs = index.trailsOf(scope, id).length;
  return [last.items[0]?.ordinal ?? 0, summary.items[0]?.version ?? 0, outputs].join(' ');
}

async function threadOf(inspected: Inspected, name: SessionName, stamp: string): Promise<Thread> {
  const { store, index } = inspected;
  const reading = new ThreadReading();
  const query = { scope: name.scope, session: name.id };
  for await (const message of everyItem((page) => store.messages({ ...query, ...page })))
    reading.take(message);
  const summaries: SummaryRecord[] = [];
  for await (const summary of everyItem((page) => store.summaries({ ...query, ...page })))
    summaries.unshift(summary);
  const { entries, messages } = reading;
  if (messages === 0) {
    const outputs = index
      .trailsOf(name.scope, name.id)
      .map(({ id, tool, at }) => callDraft({ tool, at, output: id }));
    return { stamp, entries: outputs, messages, missing: 0, compactions: 0 };
  }
  const missing = entries.filter((entry) => entry.kind === 'call' && entry.output === null).length;
  const all = withSummaries(entries, summaries);
  return { stamp, entries: all, messages, missing, compactions: summaries.length };
}

class ThreadReading {
  readonly entries: Draft[] = [];
  readonly #open = new Map<string, CallDraft>();
  messages = 0;

  take(message: MessageRecord): void {
    this.messages++;
    const { ordinal: place, at, parts = [] } = message;
    const draft = messageDraft(message);
    if (draft.chars > 0 || draft.media.length > 0) this.entries.push(draft);
    for (const part of parts) {
      if (part.type === 'call') this.#call(part.callId, part.tool, part.input, place, at);
      if (part.type !== 'result') continue;
      const call = this.#open.get(part.callId);
      if (call === undefined) this.#call(part.callId, part.tool, '', place, at).output = part.output;
      else call.output = part.output;
    }
  }

  #call(callId: string, tool: string, input: string, place: number, at: number): CallDraft {
    const words = inputWords(input);
    const call = callDraft({
      place,
      at,
      call_id: callId,
      tool,
      input: oneLine(words),
      input_chars: words.length,
    });
    this.entries.push(call);
    this.#open.set(callId, call);
    return call;
  }
}

/** All text of a message. */
export function textOf({ parts = [] }: MessageRecord): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'data' ? [part.json] : []))
    .join('\n');
}

function messageDraft(message: MessageRecord) {
  const { ordinal: place, role, at, parts = [] } = message;
  const text = textOf(message);
  const media = parts.flatMap((part) => (part.type === 'media' ? [part.mediaType] : []));
  return { kind: 'message' as const, place, role, at, text: clipped(text), chars: text.length, media };
}

/** `place`: the message that holds the call; null where only the output is known. */
function callDraft(given: {
  readonly tool: string;
  readonly at: number;
  readonly place?: number;
  readonly call_id?: string;
  readonly input?: string;
  readonly input_chars?: number;
  readonly output?: ArtifactId;
}) {
  const output: ArtifactId | null = null;
  return { kind: 'call' as const, place: null, call_id: null, input: '', input_chars: 0, output, ...given };
}

/** A compaction: what stands for the messages up to `covers`. */
function summaryDraft({ version, at, covers, by, text }: SummaryRecord) {
  return { kind: 'summary' as const, version, at, covers, by, text: clipped(text), chars: text.length };
}

function withSummaries(entries: readonly Draft[], summaries: readonly SummaryRecord[]): Draft[] {
  const all = [...entries];
  for (const summary of summaries) {
    const behind = all.findLastIndex((entry) => entry.at <= summary.at) + 1;
    all.splice(behind, 0, summaryDraft(summary));
  }
  return all;
}

function clipped(text: string): string {
  return text.slice(0, CLIPPED_CHARS).toWellFormed();
}

/** What a call asks for: its only argument, or each with its name; what is no object stays as it is. */
function inputWords(input: string): string {
  const given = input.length <= MOST_PARSED ? jsonIn(input) : null;
  if (typeof given !== 'object' || given === null) return input;
  const fields = Object.entries(given);
  const [only] = fields.length === 1 ? Object.values(given) : [];
  if (typeof only === 'string') return only;
  const words = fields.map(
    ([name, one]) => `${name}: ${typeof one === 'string' ? one : JSON.stringify(one)}`,
  );
  return words.join(' · ');
}

function oneLine(text: string): string {
  return text
    .slice(0, INPUT_CHARS * 2)
    .replace(/\s+/g, ' ')
    .slice(0, INPUT_CHARS)
    .toWellFormed();
}

function withoutTool(summary: string, tool: string): string {
  return summary.startsWith(`${tool}: `) || summary.startsWith(`${tool} `)
    ? summary.slice(tool.length).replace(/^[:\s]+/, '')
    : summary;
}
