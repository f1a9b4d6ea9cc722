/**
 * The projection stage: an output's facts and its parts go in, one bounded
 * projection comes out. Pure: what is stored or frozen is the engine's business.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { Dialect } from '../model/dialect.ts';
import { type FetchAddress, type FetchHint, fetchCall, partAddress } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import { type PartRecord, redactedIn } from '../model/part.ts';
import type { Policy } from '../model/policy.ts';
import type {
  Omission,
  PartSelection,
  ProjectedBlock,
  ProjectedText,
  Projection,
} from '../model/projection.ts';
import type { KeptLines } from '../model/strategy.ts';
import { type Caps, type Fitted, fit } from './fit.ts';
import { joinLines } from './render/text.ts';
import { isCut, partAt, type Section, type TextView, textsIn, type View } from './section.ts';

/** What is known of an output beside its parts. */
export interface OutputFacts
  extends Pick<OutputRecord, 'outcome' | 'complete' | 'sourceTruncated' | 'summary'> {
  /** The handle, or why the output has none. */
  readonly storage: { readonly id: ArtifactId } | { readonly notStored: string };
  readonly savedPath: string | null;
  /** For a requested range, which has no handle: the call that continues behind what is shown. */
  readonly paged: ((shown: { readonly lines: number; readonly chars: number }) => string) | null;
  /** The output of the same call that it was compared with. */
  readonly comparedWith?: ArtifactId | null;
}

interface ProjectJob extends OutputFacts {
  readonly sections: readonly Section[];
  readonly policy: Policy;
  readonly policyHash: string;
  readonly dialect: Dialect;
  readonly hint: FetchHint;
  /** Whether an argument such as `json_path` can be answered here. */
  readonly answers: (argument: string) => boolean;
  readonly tokens: (text: string) => number;
  /** The class of the error that a dialect or a tokenizer of the host threw. */
  readonly error?: string;
}

export interface Projected {
  readonly projection: Projection;
  readonly selections: readonly PartSelection[];
  readonly reasons: readonly PartReasons[];
}

/** Why blocks of a part were kept. */
export interface PartReasons {
  /** Index of the part. */
  readonly part: number;
  /** Why the strategy was chosen, where the content decided: it ends the sentence `… because`. */
  readonly decision?: string;
  /** The runs that were kept, in order. */
  readonly blocks: readonly KeptLines[];
}

export function project(job: ProjectJob): Projected {
  const { policy, sections } = job;
  const texts = sections.filter((section) => section.text !== null).map((section) => section.part);
  const totalChars = total(texts, 'chars');
  const { paged } = job;
  const id = 'id' in job.storage && paged === null ? job.storage.id : null;
  const facts = {
    artifact: id,
    notStored: 'notStored' in job.storage && paged === null ? job.storage.notStored : null,
    paged: paged !== null,
    outcome: job.outcome,
    complete: job.complete,
    sourceTruncated: job.sourceTruncated,
    totalChars,
    totalLines: total(texts, 'lines'),
    totalBytes: total(texts, 'bytes'),
    encoding: encodingIn(texts),
    redacted: redactedIn(texts),
    savedPath: job.savedPath,
    cardSummary: totalChars > policy.artifactThreshold ? job.summary : null,
  };
  const callFor = (gap: Omission, what: 'text' | 'no text' = 'text') => {
    if (paged !== null) return paged({ lines: gap.first_line - 1, chars: gap.first_char - 1 });
    if (id === null) return null;
    // A page would be of no use.
    if (what === 'no text' && job.hint.kind === 'command') return job.hint.export(id);
    return fetchCall(job.hint, id, addressOf(gap, job));
  };
  const fitted = fit(
    { sections, policy, dialect: job.dialect, tokens: job.tokens, facts, callFor },
    capsOf(policy),
  );
  return {
    projection: assemble(job, fitted, facts.totalChars, facts.totalLines, id),
    selections: selectionsOf(fitted),
    get reasons() {
      return reasonsOf(fitted);
    },
  };
}

function reasonsOf({ views }: Fitted): PartReasons[] {
  return textsIn(views).flatMap(({ part, selected: { why, reasons } }) => {
    const blocks = reasons();
    if (blocks.length === 0 && why === null) return [];
    return [{ part: part.index, ...(why === null ? {} : { decision: why }), blocks }];
  });
}

/** The limit for showing it whole. */
export function wholeChars({ inlineLimit, slack }: Policy): number {
  return Math.floor(inlineLimit * (1 + slack));
}

function capsOf(policy: Policy): Caps {
  const off = Number.POSITIVE_INFINITY;
  if (policy.strategy === 'none') return { chars: off, lines: off, tokens: off };
  return {
    chars: policy.inlineLimit,
    wholeChars: wholeChars(policy),
    lines: policy.maxLines ?? off,
    tokens: policy.maxTokens ?? off,
  };
}

/**
 * By structure if possible, else by lines, or by chars inside a line; whole parts from their start.
 */
function addressOf(gap: Omission, { sections, answers }: ProjectJob): FetchAddress {
  const start = partAt(sections, gap.part);
  if (gap.last_part !== gap.part) return { cursor: `${gap.part}.0.${start.bytes}` };
  // With very many parts some names are unknown; numbers never are.
  const part = sections.some(({ run }) => run !== undefined)
    ? String(start.ordinal)
    : partAddress(
        sections.map(({ part }) => part),
        gap.part,
      );
  const byFormat = Object.entries(gap.found_by ?? {}).find(([argument]) => answers(argument));
  const range =
    gap.lines > 0
      ? { lines: [gap.first_line, gap.last_line] as const }
      : { chars: [gap.first_char, gap.last_char] as const };
  const address: FetchAddress = byFormat === undefined ? range : { byFormat };
  return part === undefined ? address : { part, ...address };
}

function assemble(
  job: ProjectJob,
  fitted: Fitted,
  totalChars: number,
  totalLines: number,
  id: ArtifactId | null,
): Projection {
  const isCut = fitted.omissions.length > 0;
  const parts = job.sections.map((section) => section.part);
  const texts = textsIn(fitted.views).map(({ selected }) => selected);
  const [first] = texts;
  const encoding = encodingIn(parts);
  const redacted = redactedIn(parts);
  const error = job.error ?? texts.find((each) => each.error !== null)?.error ?? null;
  return {
    text: fitted.text as ProjectedText,
    notice: fitted.apart ? (fitted.notice as ProjectedText) : null,
    blocks: blocksOf(fitted),
    metadata: {
      original_size: totalChars,
      original_lines: totalLines,
      truncated_size: fitted.text.length,
      notice_size: fitted.apart ? fitted.notice.length : 0,
      strategy_used: job.paged === null ? (first?.decidedBy ?? job.policy.strategy) : 'paged',
      artifact_id: isIdentity(fitted, parts) ? null : id,
      was_truncated: !isWhole(fitted),
      estimated_tokens: Math.ceil(fitted.text.length / 4),
      omitted: fitted.omissions,
      elided_chars: fitted.elidedChars,
      saved_path: isCut ? job.savedPath : null,
      exceeds_max: total(parts, 'bytes') > job.policy.maxArtifactSize,
      source_truncated: job.sourceTruncated,
      ill_formed: parts.some((part) => part.illFormed > 0),
      ...(encoding === null ? {} : { encoding }),
      ...(redacted === 0 ? {} : { redacted }),
      lookalikes: fitted.lookalikes,
      policy_hash: job.policyHash,
      ...((job.comparedWith ?? null) === null ? {} : { compared_with: job.comparedWith ?? null }),
      ...(error === null ? {} : { strategy_error: error }),
      stored: 'id' in job.storage,
      complete: job.complete,
      outcome: job.outcome,
    },
  };
}

function encodingIn(parts: readonly PartRecord[]): string | null {
  const all = new Set(parts.flatMap(({ encoding }) => encoding ?? []));
  return all.size === 0 ? null : [...all].join(', ');
}

function isIdentity(fitted: Fitted, parts: readonly PartRecord[]): boolean {
  const isExact = parts.every((part) => part.illFormed === 0 && part.encoding === undefined);
  return isWhole(fitted) && isExact && redactedIn(parts) === 0;
}

function isWhole({ omissions, views }: Fitted): boolean {
  const isKept = ({ selected }: TextView) => selected.selection.every(({ kind }) => kind === 'keep');
  return omissions.length === 0 && textsIn(views).every(isKept);
}

/** The notice goes with the first cut text; streams of one command are one block. */
function blocksOf({ text, notice, texts, views, apart }: Fitted): ProjectedBlock[] {
  const textBlock = (content: string, view?: View): ProjectedBlock => ({
    type: 'text',
    text: content as ProjectedText,
    ...(view?.kind === 'text' ? { part: view.part.index } : {}),
  });
  if (apart) return [textBlock(notice), textBlock(text, views[0])];
  if (views.length === 0 || textsIn(views).some(({ labelled }) => labelled)) return [textBlock(text)];
  // One text, with its notice inside or without one.
  if (views.length === 1 && views[0]?.kind !== 'other') return [textBlock(text, views[0])];
  const headed = Math.max(0, views.findIndex(isCut));
  return views.flatMap((view, at) => {
    const opening = at === headed ? notice : '';
    if (view.kind !== 'other') {
      const body = texts[at] as string;
      // JSON or XML takes no notice inside.
      const isApart = opening !== '' && view.kind === 'text' && view.selected.grammar?.embed !== undefined;
      return isApart
        ? [textBlock(opening), textBlock(body, view)]
        : [textBlock(joinLines([opening, body]), view)];
    }
    const inPlace: ProjectedBlock = { type: 'part', part: view.part.index };
    return opening === '' ? [inPlace] : [textBlock(opening), inPlace];
  });
}

function selectionsOf({ views }: Fitted): PartSelection[] {
  return views.flatMap((view) => {
    if (view.kind === 'text')
      return [
        {
          part: view.part.index,
          segments: view.selected.selection.map(({ kind, start, end }) => [kind, start, end] as const),
        },
      ];
    if (view.kind === 'other') return [];
    return view.sections.map(({ part, run }) => ({
      part: part.index,
      ...(run === undefined ? {} : { last_part: run.last }),
      segments: [['omit', 0, part.bytes] as const],
    }));
  });
}

function total(parts: readonly PartRecord[], unit: 'chars' | 'lines' | 'bytes'): number {
  return parts.reduce((sum, part) => sum + part[unit], 0);
}
