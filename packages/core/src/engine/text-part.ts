/**
 * One text part: takes its pieces, and decides what is kept of it. What fits is shown as it is and
 * never looked at. Anything else becomes a table of rows; `decide` is asked once, on the whole text;
 * the strategy that was decided on ranks, and one fit takes rows within the share. A document that
 * must stay valid is read by its format beside the table. If a strategy throws, the plain ends of
 * the part are shown: the table always holds them.
 */
import { type CallPurpose, purposeOf } from '../capture/call-purpose.ts';
import { commandIn, filePrinted } from '../capture/file-read.ts';
import { simpleCommands } from '../capture/shell-line.ts';
import { detect } from '../detect/detect.ts';
import { expectedKinds, type Hints, pathIn } from '../detect/hints.ts';
import { formatOf } from '../formats/index.ts';
import type { ContentKind, Detected } from '../model/content.ts';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { Expected, Format } from '../model/format.ts';
import type { PartSpec } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { Selection } from '../model/selection.ts';
import type { FormatReader, PartText, Selected, Share } from '../model/strategy.ts';
import { wholeChars } from '../projection/project.ts';
import { decide, isLog, type SampleKinds } from '../strategies/decide.ts';
import { END_RULES } from '../strategies/ends.ts';
import type { Evidence } from '../strategies/failures/failure-scores.ts';
import { planOf } from '../strategies/outline/index.ts';
import type { Plan } from '../strategies/outline/plan.ts';
import { standsOut } from '../strategies/summary.ts';
import { LineUnits } from '../table/line-units.ts';
import { controlsIn } from '../text/byte-scan.ts';
import { isLineStart } from '../text/cut.ts';
import { Query } from '../text/query.ts';
import { decode, measure } from '../text/utf8.ts';
import { type Draft, Drafts, type TextFacts } from './drafts.ts';
import { TextTable } from './text-table.ts';

/** Most outputs are shorter: of those everything is known before anything is looked at. */
const HOLD_BYTES = 131_072;
/** Bytes that are no text are shown as they are where there are fewer: a notice would be longer. */
const LEAST_WITHHELD = 1_000;
/** What decides on text under `element`, and where a format gives up. */
const TEXT_STRATEGY = 'head_tail';

const CR = 13;

/** What was decided: who selects, and why. */
interface Decision {
  readonly name: string;
  readonly why: string | null;
  readonly draft: (share: Share) => Draft;
}

export class TextPart implements PartText {
  readonly #facts: TextFacts;
  /** The stored text, as long as all of it may be shown. */
  #raw: Piece[] | null = [];
  /** Pieces that nobody has looked at yet. */
  #held: Piece[] = [];
  #total: Extent = NOTHING;
  #illFormed = 0;
  #last: Uint8Array = new Uint8Array(0);
  #text: TextTable | undefined;
  #drafts: Drafts | undefined;
  #kinds: Kinds = new Kinds();
  #detected: Detected | undefined;
  #format: Format | undefined;
  #withheld: string | null = null;
  /** The format at work: rows of the table as its units, or a reader of documents beside it. */
  #units: LineUnits | null = null;
  #reader: FormatReader | null = null;
  #readAt: Extent = NOTHING;
  #waiting: Uint8Array[] = [];
  #expected: readonly Expected[] | undefined;
  #query: Query | undefined;
  #purpose: CallPurpose | undefined;
  #isFinished = false;
  #isNew: ((line: Uint8Array) => boolean) | undefined;

  constructor(facts: TextFacts) {
    this.#facts = facts;
  }

  push(piece: Piece): void {
    this.#total = sum(this.#total, piece.extent);
    this.#illFormed += piece.illFormed;
    this.#last = piece.bytes;
    if (this.#raw !== null) {
      const { reachChars, policy } = this.#facts;
      if (this.#total.chars <= Math.max(reachChars, wholeChars(policy))) this.#raw.push(piece);
      else this.#raw = null;
    }
    if (this.#text !== undefined) this.#text.push(piece);
    else {
      this.#held.push(piece);
      if (this.#total.bytes > HOLD_BYTES) this.#begin();
    }
  }

  /** A document stays valid by itself; so it is not joined. */
  lines(): readonly Piece[] | null {
    const first = this.#held[0]?.bytes;
    if (first === undefined || this.#text !== undefined) return null;
    const isDocument = /^\s*(?:\{|\[\s*(?:["{[\d\]-]|true|false|null)|<[!?a-zA-Z])/.test(
      decode(first.subarray(0, 200)),
    );
    return isDocument || this.#last.at(-1) === CR ? null : this.#held;
  }

  compare(isNew: (line: Uint8Array) => boolean): void {
    this.#isNew = isNew;
  }

  select(share: Share): Selected {
    const lines = this.#total.breaks + (this.#isOpen ? 1 : 0);
    const fits = this.#total.chars <= share.chars && lines <= share.lines;
    const isAsIs = fits && this.#raw !== null && (share.asIs === true || !this.#hasFormatting());
    if (isAsIs && this.#illFormed === 0) return this.#whole(lines);
    this.#finish();
    if (this.#withheld !== null) return this.#nothing(lines, this.#withheld);
    if (isAsIs) return this.#whole(lines);
    return this.#selected(share);
  }

  get #isOpen(): boolean {
    return this.#last.length > 0 && !isLineStart(this.#last, this.#last.length);
  }

  /** All of the stored text. */
  #whole(lines: number): Selected {
    const bytes = Buffer.concat((this.#raw ?? []).map((piece) => piece.bytes));
    const { chars } = this.#total;
    const selection: Selection =
      bytes.length === 0 ? [] : [{ kind: 'keep', start: 0, end: bytes.length, chars, lines }];
    const { strategy } = this.#facts.policy;
    const name = strategy === 'element' ? TEXT_STRATEGY : strategy;
    return { ...this.#plainFacts(name, null), selection, texts: selection.map(() => decode(bytes)) };
  }

  /** Bytes that are no text: nothing of them is shown, and everything counts. */
  #nothing(lines: number, withheld: string): Selected {
    const { bytes: end, chars } = this.#total;
    const selection: Selection = [
      { kind: 'omit', start: 0, end, chars, lines, firstLine: 1, lastLine: lines },
    ];
    return { ...this.#plainFacts('binary', 'it is no text'), selection, texts: [''], withheld };
  }

  #plainFacts(decidedBy: string, why: string | null): Omit<Selected, 'selection' | 'texts'> {
    const nothing = {
      grammar: null,
      findings: null,
      fallback: null,
      error: null,
      withheld: null,
      isExact: true,
    };
    return { ...nothing, decidedBy, why, reasons: () => [] };
  }

  #selected(share: Share): Selected {
    let error: string | null = null;
    let made: { readonly name: string; readonly why: string | null; readonly draft: Draft };
    try {
      const { name, why, draft } = this.#decide(share);
      made = { name, why, draft: draft(share) };
    } catch (thrown) {
      error = errorName(thrown);
      made = { name: TEXT_STRATEGY, why: null, draft: this.#making.plainEnds(share) };
    }
    const { name, why, draft } = made;
    const failure =
      draft.isByFormat !== true && this.#format?.staysValid === true && name !== 'none'
        ? this.#formatFailure
        : null;
    return {
      ...draft,
      decidedBy: draft.decidedBy ?? name,
      why,
      grammar: draft.grammar ?? null,
      fallback:
        error === null
          ? this.#asksFormat
            ? failure
            : null
          : `${this.#facts.policy.strategy} failed (${error})`,
      error,
      withheld: null,
      isExact: draft.isExact ?? true,
    };
  }

  /** Who selects. Nothing competes: only the strategy that is decided on ranks. */
  #decide(share: Share): Decision {
    const { policy, added } = this.#facts;
    const { strategy } = policy;
    const making = this.#making;
    if (this.#keepsDocuments && this.#hasFormat && this.#format?.staysValid === true)
      return {
        name: 'element',
        why: `a default strategy decides about text, and it is ${this.#detected?.kind}`,
        draft: (each) => this.#byFormat(each),
      };
    const own = added(strategy);
    if (own !== undefined)
      return {
        name: strategy,
        why: null,
        draft: (each) => making.ranked(own, each, this.#textEvidence(each)),
      };
    if (strategy === 'auto' && policy.contentDetection) return this.#auto(share);
    if (strategy === 'none') return { name: 'none', why: null, draft: () => making.everything() };
    if (strategy === 'smart_summary') return this.#summary(share);
    if (strategy === 'element' && this.#hasFormat)
      return { name: 'element', why: null, draft: (each) => this.#byFormat(each) };
    const name = strategy === 'element' || strategy === 'auto' ? TEXT_STRATEGY : strategy;
    return { name, why: null, draft: (each) => this.#keeping(name, each, this.#textEvidence(each)) };
  }

  /** A strategy by its name, with lines that tell of errors kept. */
  #keeping(name: string, share: Share, evidence: Evidence): Draft {
    const making = this.#making;
    if (name === 'reading') return making.reading(share, this.#facts.isFile ? 'blocks' : 'lines');
    const rule = END_RULES[name];
    if (rule === undefined) throw new RangeError(`there is no strategy ${name}`);
    return making.ends(share, name, rule(this.#facts.policy), evidence);
  }

  /** The summary decides where something failed; elsewhere the format, if there is one. */
  #summary(share: Share): Decision {
    const evidence = this.#summaryEvidence(share);
    if (this.#hasFormat && !this.#making.hasFindings(evidence))
      return { name: 'element', why: null, draft: (each) => this.#byFormat(each) };
    return { name: 'smart_summary', why: null, draft: (each) => this.#making.summary(each, evidence) };
  }

  #auto(share: Share): Decision {
    const { isCommand } = this.#callPurpose;
    const failed = share.ended === 'badly';
    const evidence: Evidence = this.#isPrinted ? 'any' : 'supported';
    const making = this.#making;
    const plan = failed || this.#format?.staysValid === true ? null : this.#plan(share);
    if (plan !== null && (plan.isQuoted || !making.hasErrors('sure')))
      return { name: plan.strategy, why: plan.why, draft: (each) => making.planned(plan, each) };
    const { choice, why } = decide({
      ...this.#callPurpose,
      kinds: this.#kinds,
      element: !this.#hasAutoFormat ? null : this.#format?.staysValid === true ? 'valid document' : 'lines',
      failed,
      hasErrors: (which) => making.hasErrors(which === 'sure' ? 'sure' : evidence),
      standsOut: () => standsOut(making.parts(evidence), this.#text?.unusual ?? [], share),
    });
    const draft = (each: Share): Draft => {
      if (choice === 'element') return this.#byFormat(each);
      if (choice === 'smart') return making.summary(each, evidence);
      if (choice === 'reading') return this.#keeping('reading', each, 'sure');
      const plain = failed && isCommand ? 'tail' : TEXT_STRATEGY;
      return this.#keeping(plain, each, failed || this.#isPrinted ? 'any' : 'sure');
    };
    const name =
      choice === 'smart'
        ? 'smart_summary'
        : choice === 'plain'
          ? failed && isCommand
            ? 'tail'
            : TEXT_STRATEGY
          : choice;
    return { name, why, draft };
  }

  /** What the command is run for, where the shape of its text tells. */
  #plan(share: Share): Plan | null {
    const { spec, tool, input, isFile, about } = this.#facts;
    // Where it is known what a file is read for, the room goes to that.
    if (isFile && about !== undefined) return null;
    const path = spec.name === 'stderr' ? '' : (filePrinted(tool, input) ?? pathIn(input) ?? '');
    const [command] = (simpleCommands(commandIn(input)) ?? []).filter(({ words }) => words[0] !== 'cd');
    const words = command?.words ?? [];
    const purpose = this.#callPurpose;
    return planOf(this.#making.rows, {
      ...purpose,
      words,
      path: path === '' && isFile ? (words.at(-1) ?? '') : path,
      endedWell: share.ended === 'well',
      isLog: () => this.#making.hasErrors('any') || isLog({ ...purpose, kinds: this.#kinds }),
    });
  }

  #byFormat(share: Share): Draft {
    const grammar = this.#format?.grammar;
    if (this.#units !== null) return this.#making.byUnits(this.#units, share, grammar);
    return this.#making.byDocument(this.#reader as FormatReader, share, grammar);
  }

  /** Whether the format has a grammar that selects, and the text follows it. */
  get #hasFormat(): boolean {
    return (this.#units !== null || this.#reader !== null) && this.#formatFailure === null;
  }

  get #formatFailure(): string | null {
    const failure = this.#units?.failure ?? this.#reader?.failure ?? null;
    // The way from the cleaned text back to the stored one went with the rows that were dropped.
    const isLost = this.#reader !== null && this.#text?.isFormatted === true && this.#text.table.isPruned;
    return failure ?? (isLost ? 'it is coloured, and longer than a table of its lines' : null);
  }

  /** Source code is read: its declarations alone do not say what it does. */
  get #hasAutoFormat(): boolean {
    return this.#hasFormat && this.#detected?.kind !== 'code';
  }

  /** Whether lines with words for errors are the tool's own. */
  get #isPrinted(): boolean {
    return this.#format === undefined || this.#format.errorLines === 'own';
  }

  #textEvidence(share: Share): Evidence {
    if (this.#isPrinted) return 'any';
    return share.ended === 'badly' && this.#isOfCommand && this.#format?.errorLines !== 'quoted'
      ? 'any'
      : 'sure';
  }

  #summaryEvidence(share: Share): Evidence {
    if (this.#isPrinted || this.#format?.staysValid === true) return 'any';
    return share.ended === 'badly' && this.#isOfCommand && this.#format?.errorLines !== 'quoted'
      ? 'any'
      : 'supported';
  }

  get #isOfCommand(): boolean {
    const { spec, tool } = this.#facts;
    return spec.name === 'stdout' || spec.name === 'stderr' || tool === 'execute_command';
  }

  get #callPurpose(): CallPurpose {
    const { spec, tool, input } = this.#facts;
    this.#purpose ??= purposeOf(tool, input);
    const isStream = spec.name === 'stdout' || spec.name === 'stderr';
    return isStream ? { ...this.#purpose, isCommand: true } : this.#purpose;
  }

  /** Whether the kind of the content matters at all. */
  get #detects(): boolean {
    const { policy, added } = this.#facts;
    const { strategy, preserveErrors, preserveWarnings, salientShare } = policy;
    if (strategy === 'none') return false;
    if (this.#asksFormat || strategy === 'auto') return true;
    return added(strategy) !== undefined || ((preserveErrors || preserveWarnings) && salientShare > 0);
  }

  /** Whether a format may decide under this strategy. */
  get #asksFormat(): boolean {
    return this.#asksLines || this.#keepsDocuments;
  }

  /** Whether one may whose lines need not stay valid. */
  get #asksLines(): boolean {
    const { strategy, contentDetection } = this.#facts.policy;
    return strategy === 'auto' ? contentDetection : strategy === 'element' || strategy === 'smart_summary';
  }

  /** Whether documents stay valid although another strategy is the default. */
  get #keepsDocuments(): boolean {
    const { policy, isDefaultStrategy } = this.#facts;
    const isOther = policy.strategy !== 'auto' && policy.strategy !== 'none';
    return isDefaultStrategy && policy.contentDetection && isOther;
  }

  /** Whether formatting would be left out: asked of a text that may be shown whole. */
  #hasFormatting(): boolean {
    if (!this.#facts.cleans) return false;
    if (this.#text !== undefined) return this.#text.isFormatted || this.#text.counted.controlled > 0;
    return this.#held.some(({ bytes }) => controlsIn(bytes, bytes.length).length > 0);
  }

  get #making(): Drafts {
    if (this.#drafts === undefined || this.#text === undefined) throw new Error('asked before the end');
    return this.#drafts;
  }

  #begin(): TextTable {
    const { vocabulary, reachChars: budget, cleans } = this.#facts;
    const text = new TextTable({
      vocabulary: vocabulary(),
      budget,
      bytes: this.#total.bytes,
      cleans,
      isNew: () => this.#isNew,
      query: () => this.#asked,
      onSample: (sample, position) => this.#sampled(sample, position),
      mayBeRead: () => this.#facts.isFile || this.#kinds.some((kind) => kind === 'code' || kind === 'prose'),
      evidence: () => (this.#isPrinted ? ['any'] : ['supported', 'sure']),
      units: () => this.#units,
      isDocument: () => this.#reader !== null,
      onClean: (bytes) => this.#read(bytes),
    });
    this.#text = text;
    this.#drafts = new Drafts(text, this.#facts, () => this.#asked);
    for (const piece of this.#held.splice(0)) text.push(piece);
    return text;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const text = this.#text ?? this.#begin();
    text.finish();
    // What its format cannot read is shown by its rows.
    if (this.#reader !== null && this.#reader.failure !== null) text.makeRows();
  }

  get #asked(): Query {
    this.#query ??= new Query(this.#facts.input, this.#facts.about);
    return this.#query;
  }

  /** The first sample says what comes into question; later ones settle what the text is. */
  #sampled(sample: Uint8Array, position: 'whole' | 'first' | 'later'): void {
    if (!this.#detects) return;
    if (position === 'later') {
      const copy = Buffer.from(sample);
      this.#kinds.add(() => this.#detect(copy, false).kind);
      return;
    }
    const detected = this.#detect(sample, position === 'whole');
    const { policy, reachChars, input, about, isFile, isRequestedRange } = this.#facts;
    this.#kinds.add(detected.kind);
    this.#detected = detected;
    this.#format = formatOf(detected.kind, this.#facts.formats);
    if (policy.contentDetection && !isRequestedRange)
      this.#withheld = withheldName(this.#format, detected, sample);
    const isAsked = this.#format?.staysValid === true ? this.#asksFormat : this.#asksLines;
    if (this.#withheld !== null || !isAsked) return;
    const lines = this.#format?.lines?.bind(this.#format);
    if (lines !== undefined && this.#text !== undefined) {
      const relevance = (texts: readonly Uint8Array[]) => this.#asked.relevance(texts);
      this.#units = new LineUnits(this.#text.table, lines, { detected, policy, reachChars, relevance });
    } else
      this.#reader =
        this.#format?.keep?.(detected).start(policy, reachChars, { input, about, isFile }) ?? null;
    for (const bytes of this.#waiting.splice(0)) this.#give(bytes);
  }

  #detect(sample: Uint8Array, complete: boolean): Detected {
    const { spec, tool, input } = this.#facts;
    const { strategy } = this.#facts.policy;
    const hints: Omit<Hints, 'complete'> = {
      ...hintsOf(spec, tool, input),
      ...(strategy === 'auto' ? { exec: this.#callPurpose.isCommand } : {}),
      seen: this.#text?.counted ?? { lines: 0, controlled: 0 },
    };
    const formats = this.#facts.formats;
    this.#expected ??= expectedKinds({ ...hints, complete }, formats);
    return detect(sample, { ...hints, complete, expected: this.#expected }, formats);
  }

  /** Cleaned bytes for the format; what comes before the first sample waits. */
  #read(bytes: Uint8Array): void {
    if (!this.#asksFormat || this.#withheld !== null) return;
    if (this.#detected === undefined) this.#waiting.push(bytes);
    else if (this.#reader !== null) this.#give(bytes);
  }

  #give(bytes: Uint8Array): void {
    if (this.#reader === null) return;
    const { illFormed, ...extent } = measure(bytes);
    this.#reader.push({ bytes, start: this.#readAt, extent, illFormed } as Piece);
    this.#readAt = sum(this.#readAt, extent);
  }
}

/** The kinds of the samples, in order; each is found out when it is first asked for. */
class Kinds implements SampleKinds {
  readonly #kinds: (ContentKind | (() => ContentKind))[] = [];

  add(kind: ContentKind | (() => ContentKind)): void {
    this.#kinds.push(kind);
  }

  get length(): number {
    return Math.max(1, this.#kinds.length);
  }

  at(index: number): ContentKind {
    const known = this.#kinds[index] ?? 'text';
    if (typeof known === 'string') return known;
    const kind = known();
    this.#kinds[index] = kind;
    return kind;
  }

  some(is: (kind: ContentKind) => boolean): boolean {
    return this.#kinds.some((_, i) => is(this.at(i)));
  }
}

/** What part and call say of the content: its media type, and the file that it was read from. */
function hintsOf({ mediaType, name: part }: PartSpec, tool: string, input: unknown): Omit<Hints, 'complete'> {
  const file = part === 'stderr' ? null : filePrinted(tool, input);
  return {
    tool,
    input,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(file === null ? {} : { name: file }),
  };
}

/** What a part is that is not shown; null if it is. */
function withheldName(format: Format | undefined, detected: Detected, sample: Uint8Array): string | null {
  if (sample.length < LEAST_WITHHELD) return null;
  const name = format?.withheld?.(detected) ?? null;
  return name !== null && measure(sample).illFormed > 0 ? name : null;
}

/** The class of an error, as a word: an error may have any name. */
export function errorName(error: unknown): string {
  const name = error instanceof Error ? error.name : 'Error';
  return /^\w{1,40}$/.test(name) ? name : 'Error';
}
