/**
 * A session as JSON Lines: outputs with their bytes, what was sent of them, messages, and every
 * version of the summary, in an order in which they can be imported one by one. The last line counts
 * the others, so a file that was cut is recognised. A line holds at most 48 KB of content, so neither
 * side ever holds an output. Handles, ids and bytes stay the same; importing the same lines again
 * changes nothing, and nothing that is there is replaced.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import { type LedgerEvent, projectedEvent } from '../model/events.ts';
import { allItems } from '../model/every-item.ts';
import { each, fieldsOf, isCount, isId, isOneOf, isText, shaped, wrong } from '../model/fields.ts';
import type { StoredMessage } from '../model/message.ts';
import { isCompactionOutput, type OutputRecord } from '../model/output.ts';
import { isShown } from '../model/part.ts';
import type { Audience, ProjectionRecord } from '../model/projection.ts';
import {
  parseOutputRecord,
  parseProjectionRecord,
  parseSummaryRecord,
  storedMessage,
} from '../model/records.ts';
import type { SessionName, SummaryRecord } from '../model/session.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import { OutputCopy } from '../stores/copying.ts';
import { abortable } from '../text/abortable.ts';
import { pluralize } from '../text/numbers.ts';
import { checkMessage } from './check-message.ts';
import type { SessionContext } from './context.ts';
import { latestSummary, messagesAbove } from './read-session.ts';
import { isRecord, parsed } from './shapes/json.ts';

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
type HistoryLine =
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
  const outputs = await allItems((page) => store.list({ ...name, show: 'all', ...page }));
  for (const { id } of outputs.reverse()) {
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

/**
 * Reads lines in the order in which they were exported. Blank lines are ignored. An import that is
 * given up leaves whole outputs and messages only; the same lines again go on from there.
 */
export async function importLines(
  store: Store,
  name: SessionName,
  lines: AsyncIterable<string> | Iterable<string>,
  { signal }: WaitOptions = {},
): Promise<LineCounts> {
  const importing = new LinesImport(store, name);
  let number = 0;
  try {
    for await (const text of signal === undefined ? lines : abortable(lines, signal)) {
      number++;
      if (text.trim() !== '') await importing.take(parseLine(text, number, importing), number);
    }
    importing.mustBeWhole();
  } finally {
    await importing.discardOpen();
  }
  return importing.taken;
}

class LinesImport {
  readonly #store: Store;
  readonly #name: SessionName;
  readonly #arrived = { outputs: 0, messages: 0, summaries: 0 };
  readonly #taken = { outputs: 0, messages: 0, summaries: 0 };
  #begun = false;
  #open: OutputCopy | null = null;
  #ended: LineCounts | null = null;
  #before: number | null = null;

  constructor(store: Store, name: SessionName) {
    this.#store = store;
    this.#name = name;
  }

  get taken(): LineCounts {
    return { ...this.#taken };
  }

  async take(line: HistoryLine, number: number): Promise<void> {
    if (line.type !== 'session' && !this.#begun)
      throw cut('The file does not start with the line of its session: its beginning is missing', this);
    if (line.type === 'session') this.#begun = true;
    else if (line.type === 'output') await this.#begin(line);
    else if (line.type === 'bytes')
      await this.#opened(number).add(line.part, Buffer.from(line.base64, 'base64'));
    else if (line.type === 'end') await this.#end(this.#opened(number), line);
    else if (line.type === 'message') await this.#message(line);
    else if (line.type === 'summary') {
      this.#arrived.summaries++;
      this.#taken.summaries += await takeSummary(this.#store, this.#name, line.record);
    } else if (line.type === 'session_end') this.#ended = line;
  }

  mustBeWhole(): void {
    if (this.#open !== null) throw cut(`The file ends inside output ${this.#open.id}: it was cut`, this);
    if (!this.#begun) throw cut('The file is empty', this);
    if (this.#ended === null) throw cut('The file has no closing line: its end is missing', this);
    for (const kind of ['outputs', 'messages', 'summaries'] as const)
      if (this.#ended[kind] !== this.#arrived[kind])
        throw cut(
          `The file should have ${this.#ended[kind]} ${kind} and has ${this.#arrived[kind]}: lines are missing`,
          this,
        );
  }

  async discardOpen(): Promise<void> {
    await this.#open?.discard();
  }

  async #begin({ record }: Extract<HistoryLine, { type: 'output' }>): Promise<void> {
    if (this.#open !== null) throw cut(`Lines of output ${this.#open.id} are missing`, this);
    this.#open = await OutputCopy.begin(this.#store, this.#name, record);
  }

  async #end(open: OutputCopy, line: Extract<HistoryLine, { type: 'end' }>): Promise<void> {
    if (line.output !== open.id) throw cut(`Lines of output ${open.id} are missing`, this);
    await open.end(line.projections, importedEvents(this.#name, open.record, line.projections));
    this.#open = null;
    this.#arrived.outputs++;
    if (open.isNew) this.#taken.outputs++;
  }

  async #message({ record }: Extract<HistoryLine, { type: 'message' }>): Promise<void> {
    if (this.#open !== null) throw cut(`Lines of output ${this.#open.id} are missing`, this);
    const newest = { ...this.#name, order: 'newest', limit: 1 } as const;
    this.#before ??= (await this.#store.messages(newest)).items[0]?.ordinal ?? 0;
    const { scope: _, session: __, place: ___, ...draft } = record;
    const [kept] = await this.#store.addMessages({ ...this.#name, messages: [draft] });
    this.#arrived.messages++;
    if ((kept?.ordinal ?? 0) > this.#before) this.#taken.messages++;
  }

  #opened(number: number): OutputCopy {
    if (this.#open !== null) return this.#open;
    throw cut(`Line ${number} belongs to an output whose first line is missing`, this);
  }
}

/** What the ledger notes of an output that is imported: that it was captured, and to whom it was shown. */
function importedEvents(
  name: SessionName,
  { id, tool, parts, outcome, endedAt: at }: OutputRecord,
  projections: readonly ProjectionRecord[],
): LedgerEvent[] {
  if (isCompactionOutput(tool)) return [];
  const call = { ...name, tool };
  const data = {
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    chars: parts.filter(isShown).reduce((sum, part) => sum + part.chars, 0),
    status: outcome.status,
  };
  const captured: LedgerEvent = { ...call, type: 'captured', at, output: id, data };
  return [captured, ...projections.map((projection) => projectedEvent(call, projection))];
}

/** Adds a summary if it is the next version; one that is here already is skipped. */
async function takeSummary(
  store: Store,
  name: SessionName,
  record: Extract<HistoryLine, { type: 'summary' }>['record'],
): Promise<number> {
  const { version, scope: _, session: __, ...draft } = record;
  const latest = (await latestSummary({ store, name }))?.version ?? 0;
  if (latest !== version - 1) return 0;
  await store.addSummary({ ...draft, ...name, parent: latest });
  return 1;
}

function parseLine(text: string, number: number, importing: LinesImport): HistoryLine {
  const value = parsed(text, () => undefined);
  if (!isRecord(value) || typeof value.type !== 'string')
    throw cut(`Line ${number} is not a line of an exported session, or only a piece of one`, importing);
  try {
    return parseHistoryLine(value);
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    const { outputs, messages } = importing.taken;
    throw new SpillwayError(
      error.code,
      `Line ${number}: ${error.message.replace(/ Nothing was stored\.$/, '')} Imported so far: ${pluralize(outputs, 'output')} and ${pluralize(messages, 'message')}.`,
    );
  }
}

function cut(what: string, { taken }: LinesImport): SpillwayError {
  const so = `${pluralize(taken.outputs, 'output')} and ${pluralize(taken.messages, 'message')}`;
  return new SpillwayError(
    'corrupt',
    `${what}. Imported so far: ${so}. Export the session again and import the whole file; what is here already stays.`,
  );
}

const LINES: Readonly<Record<HistoryLine['type'], (value: unknown, path: string) => void>> = {
  session: shaped({ format: isKnownFormat, scope: isText, session: isText }),
  output: shaped({ record: (value) => parseOutputRecord(value, 'record') }),
  bytes: shaped({ part: isCount, base64: isBase64 }),
  end: shaped({ output: isId, projections: each((value, path) => parseProjectionRecord(value, path)) }),
  message: shaped({ record: isMessage }),
  summary: shaped({ record: (value) => parseSummaryRecord(value, 'record') }),
  session_end: shaped({ outputs: isCount, messages: isCount, summaries: isCount }),
};

const isLineType = isOneOf(Object.keys(LINES));

function parseHistoryLine(value: unknown): HistoryLine {
  const { type } = fieldsOf(value, '');
  isLineType(type, 'type');
  LINES[type as HistoryLine['type']](value, '');
  return value as HistoryLine;
}

function isKnownFormat(value: unknown, path: string): void {
  if (value === 2) return;
  isCount(value, path);
  throw invalidArgument('The session was exported by a later version of Spillway: update Spillway.');
}

/** As the export writes it: another spelling would be read as other bytes. */
function isBase64(value: unknown, path: string): void {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0)
    throw wrong(path, 'must be base64');
}

function isMessage(value: unknown): void {
  const { id, place, scope, session } = fieldsOf(checkMessage(value, 'record'), 'record');
  isText(id, 'record.id');
  isCount(place, 'record.place');
  isText(scope, 'record.scope');
  isText(session, 'record.session');
}
