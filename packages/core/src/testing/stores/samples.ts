/**
 * Outputs to put into a store, and ways to get them back. Ids count up and times are fixed, so that
 * a failing case fails the same way twice.
 */
import { type ArtifactId, mintArtifactId } from '../../model/artifact.ts';
import type { LedgerEvent } from '../../model/events.ts';
import { OK } from '../../model/outcome.ts';
import type { OutputDraft } from '../../model/output.ts';
import type { PartKind, PartSpec, PartTotals } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import type { Audience, ProjectedText, Projection, ProjectionRecord } from '../../model/projection.ts';
import type {
  OutputStore,
  OutputWriter,
  ReadFrom,
  Seal,
  SealResult,
  Store,
  StoreLimits,
} from '../../model/store.ts';
import { PieceCutter } from '../../text/pieces.ts';
import type { ChecksOf, ContractCheck } from '../cases.ts';

/** 1 January 2026, in milliseconds: when samples happen unless told otherwise. */
const SAMPLE_TIME = 1_767_225_600_000;

let minted = 0;

/** A draft with an id of its own. */
export function draft(fields: Partial<OutputDraft> = {}): OutputDraft {
  minted++;
  const digits = minted;
  const id = mintArtifactId(SAMPLE_TIME, (count) => {
    return Uint8Array.from({ length: count }, (_, i) => Math.floor(digits / 256 ** (count - 1 - i)) % 256);
  });
  return {
    id,
    tool: 'execute_command',
    session: 'session-1',
    scope: 'scope-1',
    startedAt: SAMPLE_TIME,
    ...fields,
  };
}

/** Content as capture would hand it over. */
export function piecesOf(
  content: string | Uint8Array,
  kind: PartKind = 'text',
): { readonly pieces: readonly Piece[]; readonly totals: PartTotals } {
  const cutter = new PieceCutter(kind);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const pieces = [...cutter.push(bytes), ...cutter.finish()];
  return { pieces, totals: cutter.totals() };
}

/** The content of a part, alone or with what it is. */
export type SamplePart =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly spec: Partial<PartSpec> };

/** What to change about the usual sample. */
export interface SampleOutput extends Partial<OutputDraft>, Partial<Omit<Seal, 'parts' | 'projection'>> {
  /** Default: one text. */
  readonly parts?: readonly SamplePart[];
  /** The text of a projection to freeze with the seal, for the model. */
  readonly shown?: string;
  /** Whether that projection tells the handle. */
  readonly disclosed?: boolean;
}

/** Declares the parts and appends all of them; returns their totals for the seal. */
export async function writeParts(
  writer: OutputWriter,
  parts: readonly SamplePart[],
): Promise<readonly PartTotals[]> {
  const all: PartTotals[] = [];
  for (const part of parts) {
    const { content, spec } =
      typeof part === 'object' && 'content' in part ? part : { content: part, spec: {} };
    const full: PartSpec = { role: 'content', kind: 'text', name: 'stdout', ...spec };
    const index = writer.part(full);
    const { pieces, totals } = piecesOf(content, full.kind);
    for (const piece of pieces) await writer.append(index, piece);
    all.push(totals);
  }
  return all;
}

/** Stores an output from beginning to end. */
export async function storeOutput(store: OutputStore, sample: SampleOutput = {}): Promise<SealResult> {
  const { parts = ['hello\n'], shown, disclosed = false, outcome = OK, events, ...rest } = sample;
  const {
    complete = true,
    sourceTruncated = false,
    endedAt = SAMPLE_TIME + 1_000,
    summary = 'a sample',
    ...fields
  } = rest;
  const made = draft(fields);
  const writer = await store.create(made);
  const totals = await writeParts(writer, parts);
  return writer.seal({
    outcome,
    complete,
    sourceTruncated,
    endedAt,
    summary,
    parts: totals,
    ...(shown === undefined && !disclosed
      ? {}
      : { projection: projectionOf(made.id, { text: shown ?? 'shown', disclosed }) }),
    ...(events === undefined ? {} : { events }),
  });
}

/** All bytes of a part from the checkpoint of a place on. */
export async function bytesOf(
  store: OutputStore,
  id: ArtifactId,
  part = 0,
  from: ReadFrom = { bytes: 0 },
): Promise<Uint8Array> {
  const { pieces } = await store.read(id, part, from);
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(Buffer.concat(all));
}

/** The text of a part. */
export async function textOf(store: OutputStore, id: ArtifactId, part = 0): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytesOf(store, id, part));
}

/** What an output is sealed with, beside the totals of its parts. */
export const SEAL = {
  outcome: OK,
  complete: true,
  sourceTruncated: false,
  endedAt: 1,
  summary: '',
} as const;

/** A projection record to freeze. */
export function projectionOf(
  output: ArtifactId,
  fields: { readonly text?: string; readonly audience?: Audience; readonly disclosed?: boolean } = {},
): ProjectionRecord {
  const { text = 'shown', audience = 'model', disclosed = false } = fields;
  const projected = text as ProjectedText;
  return {
    output,
    audience,
    at: SAMPLE_TIME + 1_000,
    policy: { strategy: 'head_tail' },
    rendererVersion: 1,
    selections: [{ part: 0, segments: [['keep', 0, 5]] }],
    projection: {
      text: projected,
      notice: null,
      blocks: [{ type: 'text', text: projected }],
      metadata: metadataOf(output, text, disclosed),
    },
    disclosed,
  };
}

export function eventOf(fields: Partial<LedgerEvent> = {}): LedgerEvent {
  return { type: 'captured', at: SAMPLE_TIME, scope: 'scope-1', ...fields };
}

function metadataOf(output: ArtifactId, text: string, disclosed: boolean): Projection['metadata'] {
  return {
    original_size: text.length,
    original_lines: 1,
    truncated_size: text.length,
    notice_size: 0,
    strategy_used: 'head_tail',
    artifact_id: disclosed ? output : null,
    was_truncated: disclosed,
    estimated_tokens: Math.ceil(text.length / 4),
    omitted: [],
    elided_chars: 0,
    saved_path: null,
    exceeds_max: false,
    source_truncated: false,
    ill_formed: false,
    lookalikes: 0,
    policy_hash: '0',
    stored: true,
    complete: true,
    outcome: OK,
  };
}

/** Opens a new, empty store. Whoever runs the case closes it. */
export type OpenStore<Kind extends OutputStore = Store> = (options?: {
  readonly limits?: StoreLimits;
}) => Promise<Kind>;

/** A promise of every store. Checked in stores that its argument makes. */
export type ContractCase<Kind extends OutputStore = Store> = ContractCheck<OpenStore<Kind>>;

/** Checks by their sentences; each is given a new, empty store. */
export type Checks<Kind extends OutputStore = Store> = ChecksOf<Kind>;

export function contract<Kind extends OutputStore = Store>(
  checks: Checks<Kind>,
  options?: { readonly limits?: StoreLimits },
): readonly ContractCase<Kind>[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async (open) => check(await open(options)),
  }));
}
