/**
 * Writes a session as JSON Lines: outputs with their bytes, what was sent of them, messages, and
 * every version of the summary, in an order in which they can be imported one by one. The last line
 * counts the others, so that a file that was cut is recognised. A line holds at most 48 KB of
 * content, so neither side ever holds an output.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { allItems } from '../../model/every-item.ts';
import type { StoredMessage } from '../../model/message.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import { storedMessage } from '../../model/records.ts';
import type { SessionName } from '../../model/session.ts';
import type { Store } from '../../model/store.ts';
import type { SummaryRecord } from '../../model/summary.ts';
import type { SessionContext } from '../context.ts';
import { messagesAbove } from '../read-session.ts';

/** How many lines of a kind a session has. */
export interface LineCounts {
  /** Stored results and media. */
  readonly outputs: number;
  /** Messages of the session. */
  readonly messages: number;
  /** Versions of its summary. */
  readonly summaries: number;
}

/** One line. Bytes belong to the last `output`; its `end` follows. */
export type HistoryLine =
  | ({ readonly type: 'session'; readonly format: 2 } & SessionName)
  | { readonly type: 'output'; readonly record: OutputRecord }
  | { readonly type: 'bytes'; readonly part: number; readonly base64: string }
  | { readonly type: 'end'; readonly output: ArtifactId; readonly projections: readonly ProjectionRecord[] }
  | { readonly type: 'message'; readonly record: StoredMessage }
  | { readonly type: 'summary'; readonly record: SummaryRecord }
  | ({ readonly type: 'session_end' } & LineCounts);

type Exported = Pick<SessionContext, 'store' | 'name'>;

const LINE_BYTES = 48 * 1024;
export const AUDIENCES: readonly Audience[] = ['model', 'transport', 'screen'];

/** The lines of a session, without line ends. */
export async function* exportLines(context: Exported): AsyncGenerator<string> {
  for await (const line of linesOf(context)) yield JSON.stringify(line);
}

async function* linesOf({ store, name }: Exported): AsyncGenerator<HistoryLine> {
  const counts = { outputs: 0, messages: 0, summaries: 0 };
  yield { type: 'session', format: 2, ...name };
  for (const id of (await idsOf(store, name)).reverse()) {
    const record = await store.find({ scope: name.scope, id });
    if (record === undefined || 'purgedAt' in record) continue;
    yield* outputLines(store, record);
    counts.outputs++;
  }
  for await (const record of messagesAbove({ store, name }, 0)) {
    yield { type: 'message', record: storedMessage(record) };
    counts.messages++;
  }
  for (const record of (await allItems((page) => store.summaries({ ...name, ...page }))).reverse()) {
    yield { type: 'summary', record };
    counts.summaries++;
  }
  yield { type: 'session_end', ...counts };
}

async function* outputLines(store: Store, record: OutputRecord): AsyncGenerator<HistoryLine> {
  yield { type: 'output', record };
  for (const { index } of record.parts) {
    for await (const piece of (await store.read(record.id, index, { bytes: 0 })).pieces) {
      for (let at = 0; at < piece.length; at += LINE_BYTES) {
        const bytes = piece.subarray(at, at + LINE_BYTES);
        yield { type: 'bytes', part: index, base64: Buffer.from(bytes).toString('base64') };
      }
    }
  }
  const projections: ProjectionRecord[] = [];
  for (const audience of AUDIENCES) {
    const frozen = await store.frozen(record.id, audience);
    if (frozen !== undefined) projections.push(frozen);
  }
  yield { type: 'end', output: record.id, projections };
}

/** Newest first, as stores list them. */
async function idsOf(store: Store, name: SessionName): Promise<ArtifactId[]> {
  return (await allItems((page) => store.list({ ...name, show: 'all', ...page }))).map(({ id }) => id);
}
